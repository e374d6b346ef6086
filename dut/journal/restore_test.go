package journal

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/linerate/linerate/internal/netns"
	"github.com/linerate/linerate/internal/testenv"
)

// TestRestoreAfterKill leaves the journal of a process that was killed, with a
// torn last line, beside that of a live one.
func TestRestoreAfterKill(t *testing.T) {
	testenv.NeedRoot(t)
	dir := t.TempDir()
	ns := "lr-test-" + filepath.Base(dir)
	live, err := Create(dir, "live")
	if err != nil {
		t.Fatal(err)
	}
	defer live.Close()
	if err := os.WriteFile(filepath.Join(dir, "dead.journal"), []byte(`{"kind":"delete-netns","netns":"`+ns+`"}
{"kind":"set-sysctl","netns":"`+ns+`","key":"net.ipv4.ip_forward","value":"0"}
{"kind":"set-sys`), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := netns.Create(ns); err != nil {
		t.Fatal(err)
	}
	defer netns.Delete(ns)
	restored, alive, err := Restore(dir)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(alive, []string{"live"}) || len(restored) != 1 || restored[0].ID != "dead" || len(restored[0].Errors) > 0 || len(restored[0].Undone) != 2 {
		t.Errorf("restored %+v, alive %v", restored, alive)
	}
	if netns.Exists(ns) {
		t.Error("the namespace is still there")
	}
	if again, _, err := Restore(dir); err != nil || len(again) != 0 {
		t.Errorf("a second restore found %+v, %v", again, err)
	}
}

// TestRestoreAfterKillInTheSecondCell leaves what a run leaves that made and unmade
// one cell and was killed in the next, between the record of its undo and its change.
func TestRestoreAfterKillInTheSecondCell(t *testing.T) {
	testenv.NeedRoot(t)
	_, err := exec.LookPath("nft")
	testenv.Need(t, "nft", err)
	for _, applied := range []bool{false, true} {
		dir := t.TempDir()
		ns := fmt.Sprintf("lr-test-%d-%v", os.Getpid(), applied)
		j, err := Create(dir, "dead")
		if err != nil {
			t.Fatal(err)
		}
		record := func(a Action) {
			t.Helper()
			if err := j.Record(a); err != nil {
				t.Fatal(err)
			}
		}
		run := func(a Action) {
			t.Helper()
			if err := a.Run(); err != nil {
				t.Fatal(err)
			}
		}
		record(Action{Kind: DeleteNetns, Netns: ns})
		if err := netns.Create(ns); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { netns.Delete(ns) })
		mark := j.Mark()
		add := Action{Kind: Command, Netns: ns, Argv: []string{"nft", "-f", "-"}, Stdin: "table inet linerate {\n}\n"}
		drop := Action{Kind: Command, Netns: ns, Argv: []string{"nft", "delete", "table", "inet", "linerate"}}
		record(drop)
		run(add)
		if err := j.UndoTo(mark); err != nil {
			t.Fatal(err)
		}
		record(drop)
		if applied {
			run(add)
		}
		if err := j.file.Close(); err != nil { // as a kill does, which also ends the lock
			t.Fatal(err)
		}
		want := []string{"ip netns del " + ns}
		if applied {
			want = []string{drop.String(), want[0]}
		}
		restored, _, err := Restore(dir)
		if err != nil || len(restored) != 1 || len(restored[0].Errors) > 0 || !slices.Equal(restored[0].Undone, want) {
			t.Errorf("change made %v: restored %+v, %v; want %q undone and no errors", applied, restored, err, want)
		}
		if netns.Exists(ns) {
			t.Errorf("namespace %s is still there", ns)
		}
		if left, _ := filepath.Glob(filepath.Join(dir, "*"+suffix)); len(left) > 0 {
			t.Errorf("journals are left: %v", left)
		}
	}
}

// TestFailuresStayInOrder fails undos on both sides of those that succeed.
func TestFailuresStayInOrder(t *testing.T) {
	dir := t.TempDir()
	j, err := Create(dir, "one")
	if err != nil {
		t.Fatal(err)
	}
	short, long := Action{Kind: Command, Argv: []string{"false"}}, Action{Kind: Command, Argv: []string{"false", strings.Repeat("x", 500)}}
	out := filepath.Join(dir, "out")
	for _, a := range []Action{appendTo(out, "1"), long, appendTo(out, strings.Repeat("2", 300)), short, appendTo(out, "3")} {
		if err := j.Record(a); err != nil {
			t.Fatal(err)
		}
	}
	if err := j.UndoTo(2); err == nil || strings.Count(err.Error(), "undo: ") != 1 {
		t.Errorf("UndoTo: %v, want one error", err)
	}
	if got := kept(t, dir, "one"); j.Mark() != 3 || len(got) != 3 {
		t.Errorf("the journal holds %q and its mark is %d, want the three that are still to be undone", got, j.Mark())
	}
	if err := j.Close(); err == nil || strings.Count(err.Error(), "undo: ") != 2 {
		t.Errorf("Close: %v, want two errors", err)
	}
	f, err := os.Open(filepath.Join(dir, "one"+suffix))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	again, err := load(f)
	if err != nil {
		t.Fatal(err)
	}
	if again.Mark() != 2 || again.undos[0].Argv[len(again.undos[0].Argv)-1] != long.Argv[1] || len(again.undos[1].Argv) != 1 {
		t.Errorf("the journal holds %+v, want the failed ones in their order", again.undos)
	}
}
