package plan

import (
	"fmt"
	"slices"
	"time"
)

const ecmpScenario = "ecmp"

// ECMP is the equal-cost multipath of scenario ecmp: two routers, one connected to each
// side of the tester, and between them some routers, of which each flow takes one.
type ECMP struct {
	// Paths has an entry for each cell: its number of routers between the two.
	Paths []int `yaml:"paths" json:"paths"`
	// HashPolicy is net.ipv4.fib_multipath_hash_policy, and that of IPv6: 0 chooses by
	// addresses, 1 by ports too (Documentation/networking/ip-sysctl.rst, Linux 6.18).
	HashPolicy int `yaml:"hash_policy" json:"hash_policy"`
	// HoldTime is BGP's (RFC 4271 section 4.2), in whole seconds: a session whose other
	// end is silent for so long ends.
	HoldTime Duration `yaml:"hold_time" json:"hold_time"`
	// FailPath is the number of the path, from 1, that fails in a trial of its own after
	// the search; 0 for none.
	FailPath int `yaml:"fail_path" json:"fail_path"`
	// FailAt is when it fails, counted from the start of the trial.
	FailAt Duration `yaml:"fail_at" json:"fail_at"`
	// FailHow is FailLinkDown or FailSilent.
	FailHow string `yaml:"fail_how" json:"fail_how"`
	// TrialDuration is that of the trial.
	TrialDuration Duration `yaml:"trial_duration" json:"trial_duration"`
	// LoadPPS is its load per direction; 0 is half of the throughput.
	LoadPPS float64 `yaml:"load_pps" json:"load_pps"`
}

// The values of ECMP.FailHow.
const (
	// FailLinkDown takes the links of the path's router down: its neighbours lose the carrier.
	FailLinkDown = "link-down"
	// FailSilent makes the path's router drop all that it receives and sends, while its links stay up.
	FailSilent = "silent"
)

func defaultECMP() ECMP {
	return ECMP{
		Paths: []int{2}, HashPolicy: 1, HoldTime: Duration(9 * time.Second),
		FailAt: Duration(2 * time.Second), FailHow: FailLinkDown, TrialDuration: Duration(5 * time.Second),
	}
}

func (c *checker) ecmp(p Plan) {
	e := p.ECMP
	if len(e.Paths) == 0 {
		c.add("ecmp.paths", "", "leave the line out to have the default", "is empty")
	}
	distinct(c, "ecmp.paths", e.Paths, func(path string, n int) { c.whole(path, "ecmp.paths", n) })
	c.whole("ecmp.hash_policy", "ecmp.hash_policy", e.HashPolicy)
	if c.duration("ecmp.hold_time", e.HoldTime) && time.Duration(e.HoldTime)%time.Second != 0 {
		c.add("ecmp.hold_time", "", "", "%s is not a number of whole seconds, in which BGP tells it", e.HoldTime)
	}
	c.whole("ecmp.fail_path", "ecmp.fail_path", e.FailPath)
	if len(e.Paths) > 0 && e.FailPath > slices.Max(e.Paths) {
		c.add("ecmp.fail_path", "ecmp.paths", "", "there is no path %d of %d", e.FailPath, slices.Max(e.Paths))
	}
	c.choice("ecmp.fail_how", e.FailHow)
	at, long := c.duration("ecmp.fail_at", e.FailAt), c.duration("ecmp.trial_duration", e.TrialDuration)
	if at && long && e.FailAt >= e.TrialDuration {
		c.add("ecmp.fail_at", "ecmp.trial_duration", "", "%s is not before the end of the trial of %s", e.FailAt, e.TrialDuration)
	}
	c.load("ecmp.load_pps", e.LoadPPS, "at least 0", e.LoadPPS >= 0)
}

// multipath are the cells with one for each number of paths in the place of each of
// scenario ecmp.
func (p Plan) multipath(cells []Cell) []Cell {
	var all []Cell
	for _, c := range cells {
		if c.Scenario != ecmpScenario {
			all = append(all, c)
			continue
		}
		for _, n := range p.ECMP.Paths {
			c.PathCount = n
			if len(p.ECMP.Paths) > 1 {
				c.Variant = "1 path"
				if n > 1 {
					c.Variant = fmt.Sprintf("%d paths", n)
				}
			}
			all = append(all, c)
		}
	}
	return all
}
