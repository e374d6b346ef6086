package guest

import (
	"strings"
	"testing"
)

// TestWarm doubles until the time is long enough, and not for ever where no time passes.
func TestWarm(t *testing.T) {
	sent := 0
	atRate := func(perNS uint64) func(int) (int, uint64, error) {
		return func(packets int) (int, uint64, error) {
			sent += packets
			return packets, uint64(packets) * perNS, nil
		}
	}
	packets, took, err := warm(atRate(1000)) // a million packets a second
	if err != nil || packets != 128_000 || took.Milliseconds() != 128 || sent != 500*(1<<9-1) {
		t.Errorf("%d packets in %s, %d in all, error %v", packets, took, sent, err)
	}
	sent = 0
	if _, _, err := warm(atRate(0)); err == nil || !strings.Contains(err.Error(), "does not tell the time") || sent > 20_000_000 {
		t.Errorf("%d packets, error %v", sent, err)
	}
}
