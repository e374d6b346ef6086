package search

// Binary is the plain bisection of RFC 2544 section 26.1: one trial of the goal's
// trial duration decides a load. ExceedRatio and DurationSumS of the goals are
// not used; the conditional throughput is the forwarding rate at the lower bound.
type Binary struct {
	config Config
	trials []Trial
}

// NewBinary returns a bisection, or everything that is wrong with the configuration.
func NewBinary(c Config) (*Binary, error) {
	if err := c.validate(); err != nil {
		return nil, err
	}
	c.Goals = append([]Goal(nil), c.Goals...)
	return &Binary{config: c}, nil
}

// Add takes in a trial.
func (b *Binary) Add(t Trial) { b.trials = append(b.trials, t.cleaned()) }

// Next returns the trial to make next; false when every goal is bisected or the budget is used up.
func (b *Binary) Next() (Load, bool) {
	for _, g := range b.config.Goals {
		if load, ok := b.nextFor(g); ok {
			return load, fits(b.config, b.trials, load)
		}
	}
	return Load{}, false
}

// nextFor returns what one goal needs; false when it is done.
func (b *Binary) nextFor(g Goal) (Load, bool) {
	once := decidedByOne(g)
	bounds := boundsOf(once, b.config, b.trials, pointsOf(once, b.trials))
	load := Load{PPS: b.config.MaxLoadPPS, DurationS: g.TrialDurationS, Reason: g.Name + ": bisect"}
	switch {
	case bounds.Done:
		return Load{}, false
	case !bounds.HasUpper:
		load.Reason = g.Name + ": maximum load"
		return load, true
	}
	lower := b.config.MinLoadPPS
	if bounds.HasLower {
		lower = bounds.LowerPPS
	}
	if !bounds.HasLower && narrow(lower, bounds.UpperPPS, g.Width) {
		load.PPS, load.Reason = lower, g.Name+": minimum load"
		return load, true
	}
	load.PPS = roundDown((lower+bounds.UpperPPS)/2, g.Width)
	return load, load.PPS > lower && load.PPS < bounds.UpperPPS
}

// Bounds returns what the trials so far say.
func (b *Binary) Bounds() []Bounds {
	all := make([]Bounds, 0, len(b.config.Goals))
	_, more := b.Next()
	for _, g := range b.config.Goals {
		once := decidedByOne(g)
		bounds := boundsOf(once, b.config, b.trials, pointsOf(once, b.trials))
		bounds.Goal = g
		if _, pending := b.nextFor(g); !bounds.Done && (!pending || !more) {
			bounds.Done, bounds.Reason = true, endReason(b.config, pending)
		}
		all = append(all, bounds)
	}
	return all
}

// decidedByOne is the goal with one full trial as its whole evidence.
func decidedByOne(g Goal) Goal {
	g.ExceedRatio, g.DurationSumS = 0, g.TrialDurationS
	return g
}
