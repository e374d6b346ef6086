package bench

import (
	"errors"
	"fmt"
	"strings"

	"github.com/linerate/linerate/dut"
	"github.com/linerate/linerate/dut/journal"
	"github.com/linerate/linerate/internal/kernel"
	"github.com/linerate/linerate/observe"
	"github.com/linerate/linerate/plan"
	"github.com/linerate/linerate/result"
	"github.com/linerate/linerate/testbed/lab"
)

// labTestbed is the lab of network namespaces on this machine.
type labTestbed struct {
	id      string
	options Options
	journal *journal.Journal
	lab     *lab.Lab
	// applied is the scenario that makeDUT put in place last.
	applied *dut.Applied
	// comeBack undoes the stepping aside of linerate's threads.
	comeBack func() error
	// speedsErr is why the speed of the CPUs cannot be measured: the kernel offers no timer to programs.
	speedsErr error
}

func newLabTestbed(id string, o Options) (*labTestbed, error) {
	if err := kernel.Require(); err != nil {
		return nil, err
	}
	j, err := journal.Create(o.JournalDir, id)
	if err != nil {
		return nil, err
	}
	return &labTestbed{id: id, options: o, journal: j}, nil
}

func (b *labTestbed) open() (err error) {
	if b.lab, err = lab.Open(b.id, b.options.Plan.Lab, b.journal); err != nil {
		return err
	}
	speeds, err := observe.WatchSpeeds(b.lab.CPUs.DUT)
	if b.speedsErr = err; err != nil {
		return nil
	}
	return speeds.Close()
}

func (b *labTestbed) clear() (err error) {
	b.comeBack, err = b.lab.StepAside()
	return err
}

func (b *labTestbed) simulation() *result.Sim { return nil }

func (b *labTestbed) close() error {
	var err error
	if b.comeBack != nil {
		err = b.comeBack()
	}
	return errors.Join(err, b.journal.Close())
}

func (b *labTestbed) describe() (result.Testbed, []result.Warning) {
	cpus := b.lab.CPUs
	described := result.Testbed{
		Kind: b.options.Plan.Testbed, DUTCPUs: cpus.DUT, TesterCPUs: cpus.Tester(), SharedCPUs: cpus.Shared(),
		MTUBytes: b.options.Plan.Lab.MTUBytes, Links: b.lab.Links(),
	}
	var doubts []result.Warning
	warn := func(code, text string) { doubts = append(doubts, result.Warning{Code: code, Text: text}) }
	if others, err := b.journal.Others(); err == nil && len(others) > 0 {
		warn("another-run", fmt.Sprintf("run %s is measuring on this machine at the same time: both take CPU time from each other; run them one after another", strings.Join(others, " and ")))
	}
	if cpus.Shared() {
		warn("shared-cpus", "generator and DUT share a CPU: the figures are of both together; a machine with more CPUs is needed to tell them apart")
	} else if cpus.SinksBesideDUT() {
		warn("sink-beside-dut", "there is no CPU left for the sink, so it runs beside the DUT and before it: the throughput is that of DUT and sink together, the CPU time of the sink is not counted as the DUT's")
	}
	if o := b.options.Plan.Observe; !o.Ledger || !o.Threads || !o.CPUSpeed {
		warn("observers-off", "the plan switches observers off (observe.*): verdicts rest on less, and what is not watched is not shown")
	}
	if b.speedsErr != nil {
		warn("cpu-speed-unknown", fmt.Sprintf("whether the CPUs kept their speed is not known: %v", b.speedsErr))
	}
	if err := b.lab.RealTime(); err != nil {
		warn("no-realtime", fmt.Sprintf("generator, DUT and sink have no real-time priority (%v): they take turns with everything else on the machine, figures are lower and vary more, a throughput without any loss means little, and where sink and DUT share a CPU there may be none; %s", err, kernel.RealTime.Fix))
	}
	return described, doubts
}

func (b *labTestbed) environment() (result.Environment, []result.Warning, error) {
	environment, warnings, err := observe.Environment(b.lab.DUT.Netns, b.lab.Devices())
	// Devices carry the run's id, by which two runs must not differ.
	environment.Offloads = withoutID(environment.Offloads, b.id)
	environment.Sysctls = withoutID(environment.Sysctls, b.id)
	return environment, warnings, err
}

// withoutID names devices by their part in the lab: "da" for "da-ID".
func withoutID(values map[string]string, id string) map[string]string {
	plain := make(map[string]string, len(values))
	for key, value := range values {
		plain[strings.ReplaceAll(key, "-"+id, "")] = value
	}
	return plain
}

func (b *labTestbed) follow(p plan.Plan) error {
	b.options.Plan = p
	return nil
}

func (b *labTestbed) makeDUT(c plan.Cell) (made madeDUT, skipped string, err error) {
	scenario := dut.Scenario{Cell: c, Plan: b.options.Plan, DUT: b.lab.DUT, CPUs: b.lab.CPUs.DUT, ProcessDir: b.journal.ProcessDir()}
	steps, err := scenario.Steps()
	var missing *dut.MissingError
	if errors.As(err, &missing) {
		return made, missing.Error(), nil
	}
	if err != nil {
		return made, "", err
	}
	applied, err := dut.Apply(append(steps, scenario.Tuning(b.options.Plan.DUT)...), b.journal)
	if err != nil {
		// The other cells can still be measured.
		return made, fmt.Sprintf("%v; `linerate doctor` tells what this machine lacks", err), nil
	}
	if err := scenario.Check(); err != nil {
		return madeDUT{setup: applied.Setup}, err.Error(), applied.Undo()
	}
	b.applied = applied
	b.lab.DUT = scenario.Shape()
	undo := func() error {
		b.lab.DUT = scenario.DUT
		return applied.Undo()
	}
	return madeDUT{setup: applied.Setup, undo: undo, alive: applied.Alive, doubts: dutDoubts(scenario)}, "", nil
}

func (b *labTestbed) openStation(c plan.Cell) (tester, error) {
	s, err := openStation(b.lab, b.options.Plan, c, b.applied, b.options.Events.TrialProgress)
	if err != nil {
		return nil, err // not a nil *station in a tester
	}
	s.journal, s.mark = b.journal, b.journal.Mark()
	s.scenario.CPUs, s.scenario.ProcessDir = b.lab.CPUs.DUT, b.journal.ProcessDir()
	if plant := b.options.Plant; plant != nil {
		if err := plant(Station{Cell: c, CPUs: b.lab.CPUs, Generator: &s.config, Sinks: s.sinks}); err != nil {
			return nil, errors.Join(err, s.close())
		}
	}
	return s, nil
}
