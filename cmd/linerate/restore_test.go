package main

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/linerate/linerate/dut/journal"
)

func TestRestore(t *testing.T) {
	dir := t.TempDir()
	var b strings.Builder
	if err := restore(&b, filepath.Join(dir, "none"), true, false); err != nil || !strings.Contains(b.String(), "nothing to restore") {
		t.Errorf("without a folder: %v, %q", err, b.String())
	}
	undone := filepath.Join(dir, "undone")
	dead := func(id string, argv ...string) {
		t.Helper()
		line, err := json.Marshal(journal.Action{Kind: journal.Command, Argv: argv})
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, id+".journal"), append(line, '\n'), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	dead("dead1", "touch", undone)
	alive, err := journal.Create(dir, "alive1")
	if err != nil {
		t.Fatal(err)
	}
	defer alive.Close()

	var exit *exitError
	if err := restore(&b, dir, false, false); !errors.As(err, &exit) || exit.code != exitCannot || !strings.Contains(err.Error(), "2 journals") || !strings.Contains(err.Error(), "sudo") {
		t.Errorf("without root: %v", err)
	}
	b.Reset()
	if err := restore(&b, dir, true, false); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(undone); err != nil {
		t.Errorf("the undo was not made: %v", err)
	}
	for _, want := range []string{"run dead1: 1 change undone", "touch " + undone, "run alive1 is alive"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("restore does not say %q:\n%s", want, b.String())
		}
	}

	dead("dead2", "false")
	b.Reset()
	err = restore(&b, dir, true, true)
	if !errors.As(err, &exit) || exit.code != exitCannot || !strings.Contains(err.Error(), "journal is kept") {
		t.Errorf("an undo that fails: %v", err)
	}
	var r restoreReport
	if err := json.Unmarshal([]byte(b.String()), &r); err != nil || len(r.Restored) != 1 || len(r.Restored[0].Errors) != 1 || len(r.Alive) != 1 {
		t.Errorf("--json prints %s (%v)", b.String(), err)
	}
}
