package bench

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/linerate/linerate/dut"
	"github.com/linerate/linerate/dut/journal"
	"github.com/linerate/linerate/frame"
	"github.com/linerate/linerate/generator"
	"github.com/linerate/linerate/generator/engine"
	"github.com/linerate/linerate/observe"
	"github.com/linerate/linerate/observe/ledger"
	"github.com/linerate/linerate/plan"
	"github.com/linerate/linerate/result"
	"github.com/linerate/linerate/sink"
	"github.com/linerate/linerate/testbed"
	"github.com/linerate/linerate/testbed/lab"
	"github.com/linerate/linerate/trial"
)

// station is the tester set up for one cell: generator, sinks and the bed that
// joins them.
type station struct {
	lab      *lab.Lab
	bed      *trial.Bed
	scenario dut.Scenario
	config   generator.Config
	engine   string
	ports    [2]testbed.Port
	sinks    []*sink.Sink
	flows    []frame.Flow
	priority int // of the sending threads
	// streams are the flows of each direction as the generator sends them.
	streams [][]frame.Flow
	// traffic has the settings of the engine.
	traffic plan.Traffic
	// applied is the scenario in place.
	applied *dut.Applied
	// journal takes the undos of events; mark is where the scenario's end.
	journal *journal.Journal
	mark    int
}

// openStation opens the sinks and draws the flows of a cell. Flows have not been
// learned yet, and there is no generator before learn.
func openStation(l *lab.Lab, p plan.Plan, cell plan.Cell, applied *dut.Applied, progress func(uint64, uint64, time.Duration)) (*station, error) {
	s := &station{lab: l, scenario: dut.Scenario{Cell: cell, Plan: p, DUT: l.DUT}, priority: l.GeneratorPriority()}
	if s.applied = applied; cell.Direct() {
		s.applied = &dut.Applied{} // of another cell
	}
	direct := cell.Direct()
	s.ports[0], s.ports[1] = l.Ports(direct)
	var err error
	if s.flows, err = s.scenario.Flows(p.Traffic.Seed); err != nil {
		return nil, err
	}
	s.config = generator.Config{Sizes: sizes(cell), CPUs: l.CPUs.Generators}
	s.engine, s.traffic = engine.Choose(p.Traffic.Engine, s.config.Sizes), p.Traffic
	s.flows = engine.Flows(s.engine, s.traffic, s.flows)
	s.bed = &trial.Bed{
		DrainQuiet: time.Duration(p.Trial.DrainQuiet), DrainMax: time.Duration(p.Trial.DrainMax), Settle: time.Duration(p.Trial.Settle),
		CPURoles: l.CPUs.Roles(), Progress: progress, PerFlow: p.Traffic.PerFlow,
	}
	if s.scenario.Tracked() {
		s.bed.ConntrackNetns = l.DUT.Netns
	}
	for i := range s.learnedDirections() {
		if err := s.openDirection(l, cell, i, direct); err != nil {
			return nil, errors.Join(err, s.close())
		}
	}
	l.ShareDUT(s.scenario.SharesCPUs())
	if !direct {
		s.bed.Paths = l.DUT.Paths
	}
	if err := errors.Join(l.Pin(), s.observe(p.Observe, direct)); err != nil {
		return nil, errors.Join(err, s.close())
	}
	return s, nil
}

// observe begins to watch the DUT as far as the plan wants it.
func (s *station) observe(what plan.Observe, direct bool) (err error) {
	if what.Ledger {
		watched := LedgerConfig(s.lab, direct, s.scenario.Tracked())
		watched.Counters, watched.Copied = s.scenario.Counters, s.scenario.Copies()
		if s.bed.Ledger, err = ledger.Open(watched); err != nil {
			return err
		}
	}
	if what.CPUSpeed {
		// A machine that cannot do it has been named for that when the testbed was described.
		s.bed.Speeds, _ = observe.WatchSpeeds(slices.Sorted(maps.Keys(s.bed.CPURoles)))
	}
	if !what.Threads {
		return nil
	}
	if s.bed.DUTThreads, err = watch(s.lab, direct, s.applied); err == nil && !direct {
		s.bed.DUTQueues = s.lab.DUTQueues()
	}
	return err
}

// watch measures who has the CPUs: the DUT, unless there is none, the sinks, or others.
func watch(l *lab.Lab, direct bool, applied *dut.Applied) (*observe.Threads, error) {
	var dutThreads []int
	if !direct {
		var err error
		if dutThreads, err = l.DUTThreads(); err != nil {
			return nil, err
		}
		processes, err := applied.Threads()
		if err != nil {
			return nil, err
		}
		dutThreads = append(dutThreads, processes...) // after those of the queues
	}
	sinks, err := l.SinkThreads()
	if err != nil {
		return nil, err
	}
	w, err := observe.WatchThreads(dutThreads)
	if err != nil {
		return nil, err
	}
	if err := w.MarkSinks(sinks); err != nil {
		return nil, errors.Join(err, w.Close())
	}
	return w, nil
}

// openDirection opens the sink of direction i: 0 is A to B, 1 is B to A.
func (s *station) openDirection(l *lab.Lab, cell plan.Cell, i int, direct bool) error {
	from, to := s.ports[i], s.ports[1-i]
	size := 0
	if len(s.config.Sizes) == 1 {
		size = s.config.Sizes[0]
	}
	k, err := sink.Open(sink.Config{
		Port: to.Name, Netns: to.Netns, Interface: to.Interface, Ifindex: to.Ifindex,
		Flows: cell.Flows, IPVersion: cell.IPVersion, SizeBytes: size,
		Pktgen: engine.Mark(s.engine, s.traffic, len(s.config.CPUs)),
	})
	if err != nil {
		return err
	}
	s.sinks = append(s.sinks, k)
	d := trial.Direction{
		Port: from.Name, Sink: k,
		Out: trial.Device{Netns: from.Netns, Name: from.Interface}, In: trial.Device{Netns: to.Netns, Name: to.Interface},
	}
	if !direct {
		out := []testbed.Side{l.DUT.B, l.DUT.A}[i]
		d.DUTOut = trial.Device{Netns: out.Netns, Name: out.Interface}
	}
	s.bed.Directions = append(s.bed.Directions, d)
	return nil
}

// open makes the generator of a name for some of the directions, with the flows of each.
func (s *station) open(name string, directions []int, flows [][]frame.Flow) (generator.Generator, error) {
	config := s.config
	config.Streams = nil
	for i, d := range directions {
		p, destination := s.ports[d], s.ports[d].NextHopMAC
		if s.scenario.Layer2() {
			destination = s.ports[1-d].MAC
		}
		config.Streams = append(config.Streams, generator.Stream{
			Port: p.Name, Netns: p.Netns, Interface: p.Interface, Ifindex: p.Ifindex,
			SourceMAC: p.MAC, DestinationMAC: destination, Flows: flows[i],
		})
	}
	return engine.Open(name, engine.Config{Config: config, Priority: s.priority, Traffic: s.traffic})
}

// Measure makes a trial.
func (s *station) Measure(ctx context.Context, r trial.Request) (result.Trial, error) {
	t, err := s.bed.Measure(ctx, r)
	return t, errors.Join(err, s.applied.Alive())
}

func (s *station) engineName() string { return s.bed.Generator.Engine() }

func (s *station) mostPPS() float64 { return s.scenario.MostPPS() }

func (s *station) hasten() { s.bed.DrainQuiet, s.bed.Settle = calibrationDrain, 0 }

func (s *station) silent(t result.Trial) error {
	switch {
	case t.Sent == 0:
		return fmt.Errorf("the generator got no time on CPUs %v in %d trials: something with a higher priority runs there; stop it, or name other CPUs in lab.tester_cpus", s.config.CPUs, probeAttempts)
	case t.Received == 0:
		return fmt.Errorf("no test frame arrived from %s to %s: the devices do not pass frames sent by XDP; `linerate doctor` tells what is missing", s.ports[0].Interface, s.ports[1].Interface)
	}
	return nil
}

func (s *station) close() error {
	var errs []error
	if s.bed != nil && s.bed.Generator != nil {
		errs = append(errs, s.bed.Generator.Close())
	}
	if s.bed != nil {
		errs = append(errs, s.bed.Ledger.Close())
	}
	if s.bed != nil && s.bed.Speeds != nil {
		errs = append(errs, s.bed.Speeds.Close())
	}
	if s.bed != nil && s.bed.DUTThreads != nil {
		errs = append(errs, s.bed.DUTThreads.Close())
	}
	for _, k := range s.sinks {
		errs = append(errs, k.Close())
	}
	return errors.Join(errs...)
}

func sizes(c plan.Cell) frame.Sizes {
	if c.FrameSize == plan.IMIX {
		return frame.SimpleIMIX(c.IPVersion)
	}
	return frame.Sizes{int(c.FrameSize)}
}
