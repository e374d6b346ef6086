// Package dut makes the device under test what a scenario says, and unmakes it.
// A scenario is an ordered list of steps, each with its undo; an undo is written
// to the journal before its step is made.
package dut

import (
	"errors"
	"fmt"
	"os/exec"
	"strings"

	"github.com/linerate/linerate/dut/journal"
)

// Step is one change of the DUT and what undoes it. An Undo of no Kind means that
// the change is undone by another step's undo.
type Step struct {
	Do   journal.Action
	Undo journal.Action
}

// Applied is a scenario in place.
type Applied struct {
	// Setup are the steps as shell lines, with the versions of the tools used.
	Setup   []string
	journal *journal.Journal
	mark    int
}

// Apply makes the steps in order. If one fails, those before it are undone.
func Apply(steps []Step, j *journal.Journal) (*Applied, error) {
	a := &Applied{journal: j, mark: j.Mark(), Setup: []string{}}
	for _, s := range steps {
		undo, err := s.undo()
		if err == nil && undo.Kind != "" {
			err = j.Record(undo)
		}
		if err == nil {
			err = s.Do.Run()
		}
		if err != nil {
			return nil, errors.Join(fmt.Errorf("prepare the DUT: %w", err), a.Undo())
		}
		a.Setup = append(a.Setup, s.Do.String())
	}
	return a, nil
}

// Undo takes the scenario back, last step first.
func (a *Applied) Undo() error { return a.journal.UndoTo(a.mark) }

// undo is the step's undo; that of a sysctl is the value it has before the step.
func (s Step) undo() (journal.Action, error) {
	if s.Do.Kind != journal.SetSysctl {
		return s.Undo, nil
	}
	old, err := journal.ReadSysctl(s.Do.Netns, s.Do.Key)
	if err != nil {
		return journal.Action{}, err
	}
	undo := s.Do
	undo.Value = old
	return undo, nil
}

// MissingError says that a scenario needs something that this machine does not have.
type MissingError struct {
	Tool string
	Hint string
}

// Error says what is missing and how to get it.
func (e *MissingError) Error() string { return fmt.Sprintf("%s is not installed; %s", e.Tool, e.Hint) }

// requireTools returns a MissingError for the first tool that is not installed.
func requireTools(tools ...string) error {
	for _, t := range tools {
		if _, err := exec.LookPath(t); err != nil {
			return &MissingError{Tool: t, Hint: journal.InstallHint(t)}
		}
	}
	return nil
}

// ToolVersion is the first line that a tool prints about its version, or empty.
func ToolVersion(tool string) string {
	out, err := exec.Command(tool, "--version").Output()
	if err != nil {
		return ""
	}
	line, _, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
	return line
}
