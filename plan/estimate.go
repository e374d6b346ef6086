package plan

// What a run takes, for the time that --dry-run prints. With the default goals a
// cell takes 17 trial-seconds and 23 seconds in all.
const (
	// mlrTrialsPerGoal times the duration sum is the trial time of one goal:
	// 17 s for two goals with S = 5 s, on a simulated DUT that behaves like Linux.
	mlrTrialsPerGoal = 1.7
	// binaryTrialsPerGoal is the number of trials in which a binary search over
	// the loads of a fast interface comes to a width of 0.5 %.
	binaryTrialsPerGoal = 13
	// trialOverheadSeconds is what a trial takes beyond its duration, the drain's
	// quiet time and the settling: arming both ends and reading the counters.
	trialOverheadSeconds = 0.15
	// calibrationSeconds is the calibration of one shape of traffic.
	calibrationSeconds = 4
	// openingSeconds opens and closes the testbed.
	openingSeconds = 2
)

// shape is what a calibration is good for.
type shape struct {
	ipVersion, flows int
	size             FrameSize
	directions       Direction
}

// EstimateSeconds is the time that the cells of a plan will take, opening and
// calibration included. It is an estimate: a DUT with a soft knee takes twice as
// long, one with a hard limit half of it, and max_trial_time bounds both.
func EstimateSeconds(cells []Cell, p Plan) float64 {
	if len(cells) == 0 {
		return 0
	}
	shapes := map[shape]bool{}
	for _, c := range cells {
		shapes[shape{c.IPVersion, c.Flows, c.FrameSize, c.Directions}] = true
	}
	return openingSeconds + calibrationSeconds*float64(len(shapes)) + float64(len(cells))*cellSeconds(p)
}

// cellSeconds is the time of one cell: its trial time, bounded by the plan, and
// what its trials take beyond their durations.
func cellSeconds(p Plan) float64 {
	var traffic, trials float64
	for _, g := range p.Search.Goals {
		d := g.TrialDuration.Seconds()
		if d <= 0 {
			continue
		}
		seconds := binaryTrialsPerGoal * d
		if p.Search.Algorithm == "mlrsearch" {
			seconds = mlrTrialsPerGoal * g.DurationSum.Seconds()
		}
		traffic += seconds
		trials += seconds / d
	}
	if most := p.Search.MaxTrialTime.Seconds(); traffic > most {
		trials *= most / traffic
		traffic = most
	}
	return traffic + trials*(trialOverheadSeconds+p.Trial.DrainQuiet.Seconds()+p.Trial.Settle.Seconds())
}
