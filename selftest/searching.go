package selftest

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"time"

	"github.com/linerate/linerate/bench"
	"github.com/linerate/linerate/dut/journal"
	"github.com/linerate/linerate/plan"
	"github.com/linerate/linerate/result"
	"github.com/linerate/linerate/testbed/lab"
)

// PDR with few and short trials: enough to find a limit within 1 %.
func goals(width plan.Ratio, d time.Duration) []plan.Goal {
	return []plan.Goal{{Name: "PDR", LossRatio: 0.005, ExceedRatio: 0.5, TrialDuration: plan.Duration(d), DurationSum: plan.Duration(3 * d), Width: width}}
}

// slowLoops are the most that a generator or sink can spend on a frame.
const slowLoops = 4096

// runPlan makes a whole run, as `linerate bench` does, and returns its only cell.
func (s *session) runPlan(ctx context.Context, name string, p plan.Plan, plant func(bench.Station) error) (cell result.Cell, trials []result.Trial, err error) {
	// The lab of the single trials would take CPU time from this one.
	if err := s.closeRig(); err != nil {
		return cell, nil, err
	}
	out := filepath.Join(s.options.Out, name)
	if s.options.Out == "" {
		var remove func() error
		if out, remove, err = s.scratch(); err != nil {
			return cell, nil, err
		}
		defer func() { err = errors.Join(err, remove()) }()
	}
	run, err := bench.Run(ctx, bench.Options{
		Plan: p, Out: out, JournalDir: s.options.JournalDir, Command: []string{"linerate", "selftest", "--only", name}, Events: silent{}, Plant: plant,
	})
	if err != nil {
		return cell, nil, err
	}
	_, trials, err = result.Open(out)
	if err != nil {
		return cell, nil, err
	}
	cell = run.Cells[0]
	if cell.Skipped != "" {
		return cell, nil, skip("%s", cell.Skipped)
	}
	return cell, trials, nil
}

// scratch is a folder for a run that nobody will read. Its removal is journalled.
func (s *session) scratch() (folder string, remove func() error, err error) {
	id := "selftest-" + lab.NewID()
	j, err := journal.Create(s.options.JournalDir, id)
	if err != nil {
		return "", nil, err
	}
	folder = filepath.Join(os.TempDir(), "linerate-"+id)
	if err := j.Record(journal.Action{Kind: journal.Command, Argv: []string{"rm", "-rf", folder}}); err != nil {
		return "", nil, errors.Join(err, j.Close())
	}
	return folder, j.Close, nil
}

func limit50k(ctx context.Context, s *session) (Result, error) {
	return s.limit(ctx, "limit-50k", 50_000)
}

func limit200k(ctx context.Context, s *session) (Result, error) {
	return s.limit(ctx, "limit-200k", 200_000)
}

// limit plants an nftables rate limit. Its burst allowance lets 64 frames more
// through in each trial, which the truth contains.
func (s *session) limit(ctx context.Context, name string, pps int) (r Result, err error) {
	const trialDuration = time.Second
	p := plan.Default()
	p.Scenarios = []plan.Scenario{"limit"}
	p.Limit.PPS = s.options.amount(pps, pps+pps/30)
	p.Traffic.Flows = []int{10}
	p.Search.MaxLoadPPS = float64(4 * pps)
	p.Search.Goals = goals(0.005, trialDuration)
	p.Search.MaxTrialTime = plan.Duration(14 * time.Second)
	cell, _, err := s.runPlan(ctx, name, p, nil)
	if err != nil {
		return r, err
	}
	truth := float64(pps) + float64(p.Limit.BurstPackets)/trialDuration.Seconds()
	r.Quantities = []Quantity{{Name: "PDR", Unit: "pps", Truth: truth, Found: cell.Goals[0].ConditionalPPS, ToleranceRatio: 0.01}}
	r.ExpectedVerdict, r.Verdict, r.Evidence = string(result.DUTBound), cell.Verdict, cell.Evidence
	return r, nil
}

// slowPlan searches a router for a limit that the tester sets.
func slowPlan() plan.Plan {
	p := plan.Default()
	p.Traffic.Flows = []int{10}
	p.Search.Goals = goals(0.05, 300*time.Millisecond)
	p.Search.MaxTrialTime = plan.Duration(5 * time.Second)
	return p
}

func slowGenerator(ctx context.Context, s *session) (r Result, err error) {
	cell, _, err := s.runPlan(ctx, "slow-generator", slowPlan(), func(st bench.Station) error {
		st.Generator.Throttle = uint32(s.options.amount(slowLoops, 0))
		return nil
	})
	r.ExpectedVerdict, r.Verdict, r.Evidence = string(result.GeneratorBound), cell.Verdict, cell.Evidence
	return r, err
}

func slowSink(ctx context.Context, s *session) (r Result, err error) {
	cell, _, err := s.runPlan(ctx, "slow-sink", slowPlan(), func(st bench.Station) error {
		for _, k := range st.Sinks {
			if err := k.Throttle(uint32(s.options.amount(slowLoops, 0))); err != nil {
				return err
			}
		}
		return nil
	})
	r.ExpectedVerdict, r.Verdict, r.Evidence = string(result.ReceiverBound), cell.Verdict, cell.Evidence
	return r, err
}

func busyCPU(ctx context.Context, s *session) (Result, error) {
	return s.disturbed(ctx, "busy-cpu", HogOptions{Busy: time.Second})
}

// stolenPriority goes before the DUT's and the sinks' threads (testbed/lab).
const stolenPriority = 60

func stolenCPU(ctx context.Context, s *session) (Result, error) {
	return s.disturbed(ctx, "stolen-cpu", HogOptions{Priority: stolenPriority, Busy: 5 * time.Millisecond, Idle: 5 * time.Millisecond})
}

// disturbed runs a program on the DUT's first CPU from the calibration's end on. The
// record has to name it, and must not hold a throughput as if it had not been there.
func (s *session) disturbed(ctx context.Context, name string, o HogOptions) (r Result, err error) {
	if err := s.closeRig(); err != nil {
		return r, err
	}
	var stop func() error
	defer func() {
		if stop != nil {
			err = errors.Join(err, stop())
		}
	}()
	cell, trials, err := s.runPlan(ctx, name, slowPlan(), func(st bench.Station) error {
		if st.Cell.Scenario == "none" || stop != nil || s.options.amiss {
			return nil
		}
		o.CPU = st.CPUs.DUT[0]
		var err error
		stop, err = startHog(s.options.Hog, o)
		return err
	})
	if err != nil {
		return r, err
	}
	r.ExpectedVerdict, r.Verdict, r.Evidence = string(result.Unstable), cell.Verdict, cell.Evidence
	r.ExpectedDisturbance, r.Disturbance = result.ForeignLoad, foreign(trials, cell.ID)
	r.CleanNumber = cell.Verdict == result.DUTBound || !cell.Disturbed()
	return r, nil
}

// foreign is the code of foreign load if most trials of a cell recorded it.
func foreign(trials []result.Trial, cell string) string {
	n, named := 0, 0
	for _, t := range trials {
		if t.Cell != cell || t.Purpose != result.ForSearch {
			continue
		}
		n++
		for _, d := range t.Disturbances {
			if d.Code == result.ForeignLoad {
				named++
				break
			}
		}
	}
	if 2*named > n {
		return result.ForeignLoad
	}
	return ""
}
