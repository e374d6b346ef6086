package main

import (
	"fmt"
	"os"
	"time"

	"github.com/linerate/linerate/bench"
	"github.com/linerate/linerate/plan"
	"github.com/linerate/linerate/result"
	"github.com/linerate/linerate/search"
)

// script is a run of three cells as events, with a clock that the script moves.
type script struct {
	at    time.Time
	plan  plan.Plan
	cells []plan.Cell
}

func newScript() *script {
	p, err := plan.Load("testdata/plan.yaml")
	if err != nil {
		panic(err)
	}
	return &script{at: time.Date(2026, 3, 14, 9, 26, 53, 0, time.UTC), plan: p, cells: p.Cells()[:3]}
}

func (s *script) progress() *progress {
	return &progress{name: "a1b2c3", plan: s.plan, now: func() time.Time { return s.at }, timing: s.timing(s.at)}
}

// timing has estimates of its own, so that no golden file depends on the plan's.
func (s *script) timing(start time.Time) timing {
	return timing{started: start, of: len(s.cells), before: 10, perCell: 20}
}

func (s *script) bounds(ndrLow, ndrHigh, pdrLow, pdrHigh float64) []search.Bounds {
	of := func(name string, loss, low, high float64) search.Bounds {
		b := search.Bounds{Goal: search.Goal{Name: name, LossRatio: loss, Width: 0.005}, LowerPPS: low, UpperPPS: high, HasLower: low > 0, HasUpper: high > 0}
		b.Done = b.HasLower && b.HasUpper && (high-low)/high <= b.Goal.Width
		b.Regular = b.Done
		return b
	}
	return []search.Bounds{of("NDR", 0, ndrLow, ndrHigh), of("PDR", 0.005, pdrLow, pdrHigh)}
}

// trial plays one trial; wait is called for each part of a second of it.
func (s *script) trial(d bench.Events, number int, purpose result.Purpose, pps, loss float64, reason string, after []search.Bounds, wait func(time.Duration)) {
	d.TrialStarted(bench.TrialStart{Number: number, Purpose: purpose, LoadPPS: pps, Duration: time.Second, Reason: reason})
	sent := uint64(pps)
	lost := uint64(pps * loss)
	for i := uint64(1); i <= 5; i++ {
		wait(200 * time.Millisecond)
		d.TrialProgress(sent*i/5, (sent-lost)*i/5, time.Duration(i)*200*time.Millisecond)
	}
	wait(350 * time.Millisecond)
	d.TrialEnded(result.Trial{Number: number, Purpose: purpose, IntendedLoadPPS: pps, IntendedDurationS: 1, Intended: sent, Sent: sent, Received: sent - lost, Lost: lost}, after)
}

// play is the run up to the middle of its second cell.
func (s *script) play(d bench.Events, wait func(time.Duration)) {
	wait(400 * time.Millisecond)
	d.Opened(&result.Run{ID: "a1b2c3", Testbed: result.Testbed{Kind: "lab", DUTCPUs: []int{1}, TesterCPUs: []int{0}}, Environment: result.Environment{Kernel: "6.18.0"}}, s.cells)
	d.Doubt(result.Warning{Code: "sink-beside-dut", Text: "there is no CPU left for the sink, so it runs beside the DUT and before it: the throughput is that of DUT and sink together"})
	ceiling := search.Bounds{Goal: search.Goal{Name: "ceiling"}, LowerPPS: 4.3e6, HasLower: true}
	s.trial(d, 2, result.ForCalibration, 4.3e6, 0.001, "the highest load", []search.Bounds{ceiling}, wait)
	for _, flows := range []int{1, 10000} {
		d.Calibrated(result.Ceiling{IPVersion: 4, FrameSize: 64, Flows: flows, Directions: plan.Uni, Engine: "xdp", PPS: 4.412e6})
	}
	d.CellStarted(1, len(s.cells), s.cells[0])
	s.trial(d, 4, result.ForSearch, 4.412e6, 0.8, "the highest load", s.bounds(0, 4.412e6, 0, 4.412e6), wait)
	s.trial(d, 5, result.ForSearch, 0.66e6, 0.001, "what arrived at the highest load", s.bounds(0, 0.66e6, 0.66e6, 4.412e6), wait)
	s.trial(d, 6, result.ForSearch, 0.612e6, 0, "between the bounds", s.bounds(0.612e6, 0.615e6, 0.655e6, 0.658e6), wait)
	cell := measuredCell(0.655e6)
	cell.Warnings = []result.Warning{{Code: "steal", Text: "the hypervisor took 3 % of CPU 1"}}
	d.CellEnded(cell)
	d.CellStarted(2, len(s.cells), s.cells[1])
	s.trial(d, 8, result.ForSearch, 0.8e6, 0.04, "what arrived at the highest load", s.bounds(0, 0.8e6, 0, 0.8e6), wait)
	s.trial(d, 9, result.ForSearch, 0.602e6, 0, "between the bounds", s.bounds(0.602e6, 0.8e6, 0.602e6, 0.8e6), wait)
	d.TrialStarted(bench.TrialStart{Number: 10, Purpose: result.ForSearch, LoadPPS: 0.694e6, Duration: time.Second, Reason: "halfway between the bounds of PDR"})
	wait(600 * time.Millisecond)
	d.TrialProgress(416_400, 415_901, 600*time.Millisecond)
}

// finish is the rest of the run: the second cell, and a third that is skipped.
func (s *script) finish(d bench.Events, wait func(time.Duration)) {
	wait(900 * time.Millisecond)
	d.TrialEnded(result.Trial{Number: 10, Purpose: result.ForSearch, IntendedLoadPPS: 0.694e6, IntendedDurationS: 1, Intended: 694_000, Sent: 693_000, Unsent: 1000, Received: 692_000, Lost: 1000}, s.bounds(0.602e6, 0.694e6, 0.692e6, 0.694e6))
	d.CellEnded(measuredCell(0.692e6))
	d.CellStarted(3, len(s.cells), s.cells[2])
	d.CellEnded(result.Cell{ID: s.cells[2].ID(), Skipped: "iptables is not installed: install it with `apt-get install iptables`"})
}

// showScript plays the run on a real terminal, ten times faster than real, then
// stands still in the middle until it is told to go on.
func showScript(terminal *os.File) {
	s := newScript()
	t := terminalOf(terminal)
	if t == nil {
		fmt.Fprintln(terminal, "not a terminal")
		os.Exit(1)
	}
	p := newProgress("a1b2c3", s.plan)
	p.timing = s.timing(time.Now())
	d := startLive(t, p)
	wait := func(for_ time.Duration) { time.Sleep(for_ / 10) }
	s.play(d, wait)
	var line string
	fmt.Scanln(&line)
	s.finish(d, wait)
	d.Notice("interrupted: a notice stays")
	d.Close()
	fmt.Fprintln(terminal, "after the display")
}
