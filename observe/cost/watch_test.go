package cost

import (
	"os"
	"testing"

	"github.com/linerate/linerate/internal/sampling"
)

// TestThreadsThatStartLater: a thread belongs to whom its process does, and one of a process
// that nobody named to that process.
func TestThreadsThatStartLater(t *testing.T) {
	own := uint32(os.Getpid())
	w, err := Open(Config{DUT: []int{1_000_001, 1_000_002}, Sinks: []int{1_000_010}, FrequencyHz: 1})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []struct {
		pid, tid uint32
		owner    string
	}{
		{1_000_001, 1_000_001, ""},
		{1_000_001, 1_000_003, ""},
		{1_000_010, 1_000_011, Sink},
		{own, own, Linerate},
		{own, 1_000_020, Linerate},
		{0, 0, Idle},
		{0xfffffff0, 0xfffffff1, "processes that have ended"},
	} {
		w.take(sampling.Sample{PID: s.pid, TID: s.tid})
		if got := w.taken.samples[len(w.taken.samples)-1].owner; got != s.owner {
			t.Errorf("thread %d of process %d is of %q, want %q", s.tid, s.pid, got, s.owner)
		}
	}
}
