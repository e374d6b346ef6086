package search

import "math"

const (
	// courseSteps is the number of steps of the probability that a course is tabulated for.
	courseSteps = 24
	// mostVotes bounds the trials that a course looks ahead.
	mostVotes = 24
)

// course is how the classification of a load will go, tabulated for the probability
// from 0 to 1 that a trial is high-loss: how likely the load becomes what is wanted
// of it, and the trial seconds until it is decided.
type course struct {
	wanted, seconds [courseSteps + 1]float64
}

// courseOf looks ahead from the trials that a load has had. A load that is already
// classified as wanted stays so at no cost. One that is classified otherwise gets
// trials until it is what is wanted, at most as many as decide a load.
func (g Goal) courseOf(s sums, want class) (c course) {
	first := g.classify(s)
	if first == want {
		for i := range c.wanted {
			c.wanted[i] = 1
		}
		return c
	}
	votes := int(math.Ceil(g.DurationSumS/g.TrialDurationS - slackS))
	unitS := g.TrialDurationS * math.Ceil(float64(votes)/mostVotes)
	votes = int(math.Ceil(g.DurationSumS/unitS - slackS))
	// decided[high][low] after so many more trials.
	decided := make([]class, (votes+1)*(votes+1))
	for high := 0; high <= votes; high++ {
		for low := 0; low+high <= votes; low++ {
			after := s
			after.fullHigh += float64(high) * unitS
			after.fullLow += float64(low) * unitS
			decided[high*(votes+1)+low] = g.classify(after)
		}
	}
	var wanted, seconds [mostVotes + 1][mostVotes + 1]float64
	for i := range c.wanted {
		p := float64(i) / courseSteps
		for n := votes; n >= 0; n-- {
			for high := 0; high <= n; high++ {
				low := n - high
				is := decided[high*(votes+1)+low]
				switch {
				case is == want:
					wanted[high][low], seconds[high][low] = 1, 0
				case is != undecided && is != first || n == votes:
					wanted[high][low], seconds[high][low] = 0, 0
				default:
					wanted[high][low] = p*wanted[high+1][low] + (1-p)*wanted[high][low+1]
					seconds[high][low] = unitS + p*seconds[high+1][low] + (1-p)*seconds[high][low+1]
				}
			}
		}
		c.wanted[i], c.seconds[i] = wanted[0][0], seconds[0][0]
	}
	return c
}

// at interpolates the course.
func (c *course) at(fails float64) (wanted, seconds float64) {
	x := fails * courseSteps
	i := min(int(x), courseSteps-1)
	x -= float64(i)
	return c.wanted[i] + x*(c.wanted[i+1]-c.wanted[i]), c.seconds[i] + x*(c.seconds[i+1]-c.seconds[i])
}
