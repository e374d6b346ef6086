package journal

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/linerate/linerate/internal/netns"
	"github.com/linerate/linerate/internal/testenv"
)

func init() { runtime.LockOSThread() }

func appendTo(file, text string) Action {
	return Action{Kind: Command, Argv: []string{"sh", "-c", "cat >> " + file}, Stdin: text}
}

func TestUndoRunsInReverseAndGoesOnAfterAnError(t *testing.T) {
	dir := t.TempDir()
	out := filepath.Join(dir, "out")
	j, err := Create(dir, "one")
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range []Action{appendTo(out, "1"), {Kind: Command, Argv: []string{"false"}}, appendTo(out, "2"), appendTo(out, "3")} {
		if err := j.Record(a); err != nil {
			t.Fatal(err)
		}
	}
	err = j.Close()
	if err == nil || !strings.Contains(err.Error(), "false") {
		t.Errorf("Close: %v, want the error of the failed undo", err)
	}
	if got, _ := os.ReadFile(out); string(got) != "321" {
		t.Errorf("undone in the order %q, want 321", got)
	}
	if _, err := os.Stat(filepath.Join(dir, "one.journal")); !os.IsNotExist(err) {
		t.Errorf("the journal is still there: %v", err)
	}
}

func TestUndoToStopsAtTheMark(t *testing.T) {
	dir := t.TempDir()
	out := filepath.Join(dir, "out")
	j, err := Create(dir, "one")
	if err != nil {
		t.Fatal(err)
	}
	if err := j.Record(appendTo(out, "a")); err != nil {
		t.Fatal(err)
	}
	mark := j.Mark()
	if err := j.Record(appendTo(out, "b")); err != nil {
		t.Fatal(err)
	}
	if err := j.UndoTo(mark); err != nil {
		t.Fatal(err)
	}
	if got, _ := os.ReadFile(out); string(got) != "b" {
		t.Errorf("undone %q, want b", got)
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestTakenName(t *testing.T) {
	dir := t.TempDir()
	j, err := Create(dir, "one")
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	if _, err := Create(dir, "one"); err == nil || !strings.Contains(err.Error(), "taken") {
		t.Errorf("Create with a taken name: %v", err)
	}
	k, err := Create(dir, "two")
	if err != nil {
		t.Fatal(err)
	}
	defer k.Close()
	if others, err := k.Others(); err != nil || !slices.Equal(others, []string{"one"}) {
		t.Errorf("Others: %v, %v, want [one]", others, err)
	}
}

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

func TestMissingToolSaysWhatToInstall(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	err := Action{Kind: Command, Argv: []string{"nft", "-f", "-"}}.Run()
	if err == nil || !strings.Contains(err.Error(), "nftables") {
		t.Errorf("%v, want a hint at the package nftables", err)
	}
	if _, lookErr := exec.LookPath("nft"); lookErr == nil {
		t.Fatal("the test did not hide nft")
	}
}
