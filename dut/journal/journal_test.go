package journal

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
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
	if err == nil || !strings.Contains(err.Error(), "false") || !strings.Contains(err.Error(), "the journal is kept: run `linerate restore`") {
		t.Errorf("Close: %v, want the error of the failed undo and what to do", err)
	}
	if got, _ := os.ReadFile(out); string(got) != "321" {
		t.Errorf("undone in the order %q, want 321", got)
	}
	if got := kept(t, dir, "one"); len(got) != 1 || got[0] != `{"kind":"command","argv":["false"]}`+"\n" {
		t.Errorf("the journal holds %q, want only what failed", got)
	}
	restored, _, err := Restore(dir)
	if err != nil || len(restored) != 1 || len(restored[0].Errors) != 1 || len(restored[0].Undone) != 0 {
		t.Errorf("restore: %+v, %v; want one error again", restored, err)
	}
	if got := kept(t, dir, "one"); len(got) != 1 {
		t.Errorf("after a restore that failed the journal holds %q", got)
	}
}

// kept are the lines of a journal on disk.
func kept(t *testing.T, dir, id string) []string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, id+suffix))
	if err != nil {
		t.Fatal(err)
	}
	return slices.Collect(strings.Lines(string(b)))
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
	if got, _ := os.ReadFile(filepath.Join(dir, "one.journal")); strings.Count(string(got), "\n") != 1 || !strings.Contains(string(got), `"stdin":"a"`) {
		t.Errorf("the journal holds %s, want the undo before the mark only", got)
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
