package dut

import (
	"errors"
	"path/filepath"

	"github.com/linerate/linerate/dut/journal"
)

// process is a step that starts a program which runs for as long as the scenario is in
// place. It has to stay in the foreground. The name tells the processes of a scenario
// apart; p.Dir is chosen here.
func (s Scenario) process(name string, argv []string, p journal.Process) Step {
	p.Dir = s.dirOf(name)
	start := journal.Action{Kind: journal.StartProcess, Netns: s.DUT.Netns, Argv: argv, Process: &p}
	return Step{Do: start, Undo: start.Stop()}
}

// dirOf is the folder of the scenario's process of that name.
func (s Scenario) dirOf(name string) string { return filepath.Join(s.ProcessDir, name) }

// started keeps the start of a process, and what it says about its version.
func (a *Applied) started(s Step) {
	a.processes = append(a.processes, s.Do)
	if s.VersionLine == "" {
		return
	}
	if line := s.Do.Printed(s.VersionLine); line != "" {
		a.Setup = append(a.Setup, "# "+s.Do.Argv[0]+": "+line)
	}
}

// Alive is nil while everything runs that the scenario started, and otherwise a
// *journal.EndedError with what the process printed last.
func (a *Applied) Alive() error {
	for _, p := range a.processes {
		if err := p.Alive(); err != nil {
			return err
		}
	}
	return nil
}

// Threads are the threads of the processes that the scenario started: their CPU time is
// the DUT's.
func (a *Applied) Threads() ([]int, error) {
	var all []int
	for _, p := range a.processes {
		tids, err := p.Threads()
		if err != nil {
			return nil, errors.Join(errors.New("find the threads of the DUT"), err)
		}
		all = append(all, tids...)
	}
	return all, nil
}
