// Package dut makes the device under test what a scenario says, and unmakes it.
// A scenario is an ordered list of steps, each with its undo; an undo is written
// to the journal before its step is made.
package dut

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"strconv"
	"strings"

	"github.com/linerate/linerate/dut/journal"
)

// Step is one change of the DUT and what undoes it. An Undo of no Kind means that
// the change is undone by another step's undo. The undo of a sysctl is the value
// that it has before the step.
type Step struct {
	// Do of no Kind makes nothing: the step is there for its Undo.
	Do   journal.Action
	Undo journal.Action
	// AtLeast makes the value of a sysctl the least that will do: the step is left out
	// where the value is no smaller, where it is 0 (no limit), and where the namespace
	// may not change it.
	AtLeast bool
	// IfPresent leaves the step out where the kernel has no such sysctl.
	IfPresent bool
	// IfAbsent leaves the step out where this file or folder is there already; empty for never.
	IfAbsent string
	// Atomic says that the step changes nothing if it fails, so that nothing is undone then.
	Atomic bool
	// VersionLine is in the line of a process's log that tells its version; empty where it is
	// asked for it beforehand, as any tool.
	VersionLine string
	// Missing says what this machine lacks if the step fails; nil if that can have many reasons.
	Missing *MissingError
}

// Applied is a scenario in place.
type Applied struct {
	// Setup are the versions of the tools that were run, as shell comments, and then
	// the steps that were made, as shell lines.
	Setup   []string
	journal *journal.Journal
	mark    int
	// processes are the starts of what runs as long as the scenario is in place.
	processes []journal.Action
}

// Apply makes the steps in order. If one fails, those before it are undone.
func Apply(steps []Step, j *journal.Journal) (*Applied, error) {
	a := &Applied{journal: j, mark: j.Mark(), Setup: versions(steps)}
	for _, s := range steps {
		before := j.Mark()
		made, err := s.apply(j)
		if err != nil && s.Atomic {
			err = errors.Join(err, j.Forget(before))
		}
		if err != nil && s.Missing != nil {
			err = fmt.Errorf("%w (%w)", s.Missing, err)
		}
		if err != nil {
			return nil, errors.Join(fmt.Errorf("prepare the DUT: %w", err), a.Undo())
		}
		if made && s.Do.Kind == journal.StartProcess {
			a.started(s)
		}
		if made {
			a.Setup = append(a.Setup, s.Do.String())
		}
	}
	return a, nil
}

// apply makes the step, unless there is no need to. Sysctls are read only now: what
// steps before this one load into the kernel brings keys with it.
func (s Step) apply(j *journal.Journal) (made bool, err error) {
	if s.IfAbsent != "" {
		if _, err := os.Stat(s.IfAbsent); err == nil {
			return false, nil
		}
	}
	undo := s.Undo
	if s.Do.Kind == journal.SetSysctl {
		old, err := journal.ReadSysctl(s.Do.Netns, s.Do.Key)
		if s.IfPresent && errors.Is(err, fs.ErrNotExist) {
			return false, nil
		}
		if err != nil {
			return false, err
		}
		if s.AtLeast {
			if enough, err := s.enough(old); err != nil || enough {
				return false, err
			}
		}
		undo = s.Do
		undo.Value = old
	}
	if s.Do.Kind == journal.SetDevice {
		undo = s.Do
		if undo.Value, err = journal.ReadDevice(s.Do.Netns, s.Do.Key); err != nil {
			return false, err
		}
	}
	if undo.Kind != "" {
		if err := j.Record(undo); err != nil {
			return false, err
		}
	}
	if s.Do.Kind == "" {
		return false, nil
	}
	return true, s.Do.Run()
}

// enough tells that the present value will do or must do.
func (s Step) enough(present string) (bool, error) {
	have, err := strconv.ParseUint(present, 10, 64)
	if err != nil {
		return false, fmt.Errorf("raise sysctl %s: its present value %q is not a number", s.Do.Key, present)
	}
	want, err := strconv.ParseUint(s.Do.Value, 10, 64)
	if err != nil {
		return false, fmt.Errorf("raise sysctl %s to %q: that is not a number", s.Do.Key, s.Do.Value)
	}
	return have == 0 || have >= want || !journal.SysctlWritable(s.Do.Netns, s.Do.Key), nil
}

// versions name the tools that the steps run, in the order of their first use.
func versions(steps []Step) []string {
	lines := []string{}
	seen := map[string]bool{}
	for _, s := range steps {
		if s.Do.Kind != journal.Command && s.Do.Kind != journal.StartProcess || s.VersionLine != "" {
			continue
		}
		tool := s.Do.Argv[0]
		if p := s.Do.Process; p != nil && p.Program != "" {
			tool = p.Program
		}
		if tool == "sh" || seen[tool] {
			continue // a shell is every system's own
		}
		seen[tool] = true
		version := ToolVersion(tool)
		if version == "" {
			version = tool + " of a version that it does not tell"
		}
		lines = append(lines, "# "+version)
	}
	return lines
}

// Undo takes the scenario back, last step first.
func (a *Applied) Undo() error { return a.journal.UndoTo(a.mark) }

// MissingError says that a scenario needs something that this machine does not have.
type MissingError struct {
	Tool string
	// Reason is empty for "is not installed".
	Reason string
	Hint   string
}

// Error says what is missing and how to get it.
func (e *MissingError) Error() string {
	return fmt.Sprintf("%s %s; %s", e.Tool, cmp.Or(e.Reason, "is not installed"), e.Hint)
}

// requireTools returns a MissingError for the first tool that is not installed.
func requireTools(tools ...string) error {
	for _, t := range tools {
		if _, err := exec.LookPath(t); err != nil {
			return &MissingError{Tool: t, Hint: journal.InstallHint(t)}
		}
	}
	return nil
}

// versionFlag is what the tools of iproute2 take in place of --version.
var versionFlag = map[string]string{"ip": "-V", "bridge": "-V"}

// ToolVersion is the first line that a tool prints about its version, or empty.
func ToolVersion(tool string) string {
	if tool == "dpdk-testpmd" {
		return "" // it would set up its devices
	}
	out, err := exec.Command(tool, cmp.Or(versionFlag[tool], "--version")).CombinedOutput() // BIRD prints it as an error
	if err != nil {
		return ""
	}
	line, _, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
	return line
}
