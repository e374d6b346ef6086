package sim

import "github.com/linerate/linerate/plan"

// Become makes the device another one, in the same virtual time. Stations that are set
// up from now on draw from round as well as from the seed: a device that is set up
// again has other noise than before, as a real one has.
func (t *Testbed) Become(p plan.Sim, round uint64) error {
	m, err := FromPlan(p)
	if err != nil {
		return err
	}
	t.Model, t.seed = m, uint64(p.Seed)+round<<32
	return nil
}
