package result

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// storedRun is the folder of a closed run with two trials.
func storedRun(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	s := create(t, dir)
	for n := 1; n <= 2; n++ {
		if err := s.AppendTrial(trialNumber(n)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestOpenLeavesOutATornLine(t *testing.T) {
	dir := storedRun(t)
	path := filepath.Join(dir, trialsFile)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	// Every place at which the last line can be cut, from its first byte to all but its newline.
	first := strings.IndexByte(string(data), '\n') + 1
	for end := first; end <= len(data); end++ {
		if err := os.WriteFile(path, data[:end], 0o644); err != nil {
			t.Fatal(err)
		}
		run, trials, err := Open(dir)
		if err != nil {
			t.Fatalf("cut at byte %d: %v", end, err)
		}
		whole := end == first || end >= len(data)-1
		warned := run.Warnings[len(run.Warnings)-1].Code == TornTrialLog
		wantTrials := 1
		if end >= len(data)-1 {
			wantTrials = 2
		}
		if warned == whole || len(trials) != wantTrials {
			t.Fatalf("cut at byte %d of %d: warned %v, %d trials", end, len(data), warned, len(trials))
		}
	}
}

func TestOpenRefuses(t *testing.T) {
	tests := []struct {
		name, file, content string
		says                []string
	}{
		{"another schema", runFile, `{"schema":"linerate.run/v9","cells":7}`, []string{"linerate.run/v9", SchemaV1}},
		{"no schema", runFile, `{}`, []string{`""`, SchemaV1}},
		{"not JSON", runFile, `schema: x`, []string{runFile, "not a JSON object"}},
		{"a wrong type", runFile, `{"schema":"linerate.run/v1","cells":7}`, []string{runFile, "cells"}},
		{"an unreadable line before the last", trialsFile, "{}\n{\"number\n{}\n", []string{trialsFile, "line 2"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := storedRun(t)
			if err := os.WriteFile(filepath.Join(dir, tt.file), []byte(tt.content), 0o644); err != nil {
				t.Fatal(err)
			}
			_, _, err := Open(dir)
			if err == nil {
				t.Fatal("no error")
			}
			for _, say := range append(tt.says, dir) {
				if !strings.Contains(err.Error(), say) {
					t.Errorf("error %q does not say %q", err, say)
				}
			}
		})
	}
	if _, _, err := Open(t.TempDir()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("empty folder: %v", err)
	}
	dir := storedRun(t)
	os.Remove(filepath.Join(dir, trialsFile))
	if _, _, err := Open(dir); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "trial log") {
		t.Errorf("no trial log: %v", err)
	}
}
