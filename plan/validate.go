package plan

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
)

const (
	maxNameBytes = 64
	// maxCells keeps the product of the lists within reason: at 20 s a cell it is over two days.
	maxCells = 10_000
	// minMTUBytesIPv6 is the least MTU of a link that carries IPv6 (RFC 8200 section 5).
	minMTUBytesIPv6 = 1280
)

var planName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*$`)

// Validate returns nil, or *Problems with everything that is wrong with the plan.
// The problems have paths but no lines: Parse gives those.
func (p Plan) Validate() error { return p.check().err() }

// checker collects the broken rules.
type checker struct{ problems Problems }

func (c *checker) add(path, related, hint, format string, args ...any) {
	c.problems = append(c.problems, Problem{Path: path, Text: fmt.Sprintf(format, args...), Hint: hint, related: related})
}

func (p Plan) check() Problems {
	c := &checker{}
	c.choice("schema", p.Schema)
	if !planName.MatchString(p.Name) || len(p.Name) > maxNameBytes {
		c.add("name", "", "a name begins with a letter or digit and has letters, digits, dot, dash and underscore, 64 at most",
			"%s is not a name", shown(p.Name))
	}
	c.testbed(p.Testbed)
	c.lab(p.Lab)
	c.sim(p.Sim)
	c.scenarios(p.Scenarios)
	c.traffic(p.Traffic, p.Lab.MTUBytes)
	c.unpaced(p)
	c.whole("limit.pps", "limit.pps", p.Limit.PPS)
	c.whole("limit.burst_packets", "limit.burst_packets", p.Limit.BurstPackets)
	c.whole("testpmd.cores", "testpmd.cores", p.Testpmd.Cores)
	c.ruleset(p.Ruleset)
	c.routes(p.Routes)
	c.custom(p)
	c.ecmp(p)
	c.trial(p.Trial)
	c.search(p.Search)
	c.latency(p)
	c.cost(p)
	c.tests(p)
	c.workload(p)
	c.cells(p)
	c.dut(p)
	c.ab(p)
	c.sweep(p)
	c.extras(p)
	c.vm(p)
	c.tuning(p)
	return c.problems
}

// choice checks a text field that takes one of a few words.
func (c *checker) choice(path, value string) {
	if choices := textChoices[path]; !slices.Contains(choices, value) {
		c.add(path, "", didYouMean(value, choices), "%s is not known to this version", shown(value))
	}
}

// whole checks a whole number against the range of its kind of field.
func (c *checker) whole(path, kind string, value int) {
	if r := intRanges[kind]; int64(value) < r.min || int64(value) > r.max {
		c.add(path, "", "", "%s is out of range: %s to %s %s", grouped(int64(value)), grouped(r.min), grouped(r.max), r.unit)
	}
}

func (c *checker) duration(path string, value Duration) bool {
	r := durationRanges[kindOfPath(path)]
	if v := time.Duration(value); v < r.min || v > r.max {
		c.add(path, "", "", "%s is out of range: %s to %s", value, Duration(r.min), Duration(r.max))
		return false
	}
	return true
}

func (c *checker) testbed(value string) {
	if slices.Contains(laterTestbeds, value) {
		c.add("testbed", "", "use lab", "%s is not available in this version", value)
		return
	}
	c.choice("testbed", value)
}

func (c *checker) lab(lab Lab) {
	c.cpus("lab.dut_cpus", lab.DUTCPUs)
	c.cpus("lab.tester_cpus", lab.TesterCPUs)
	c.cpus("lab.sink_cpus", lab.SinkCPUs)
	c.whole("lab.mtu_bytes", "lab.mtu_bytes", lab.MTUBytes)
}

// cpus checks a list made in Go or read from JSON; the text forms check themselves.
func (c *checker) cpus(path string, list CPUList) {
	for _, cpu := range list {
		if cpu < 0 || cpu > maxCPU {
			c.add(path, "", "", "CPU %d: CPU numbers are 0 to %d", cpu, maxCPU)
		}
	}
	if _, err := slices.Clone(list).sorted(); err != nil {
		c.add(path, "", "list each CPU once", "a CPU is listed twice")
	}
}

func (c *checker) scenarios(list []Scenario) {
	listRule(c, "scenarios", list, "scenario", func(s Scenario) string { return s.Name() + " " + s.Backend() },
		func(path string, s Scenario) {
			if text, hint, ok := s.problem(); !ok {
				c.add(path, "", hint, "%s", text)
			}
		})
}

// listRule checks that a list has entries, that each is right, and that no two are
// the same. Two entries are the same when same gives one text for both.
func listRule[T any](c *checker, path string, list []T, what string, same func(T) string, check func(path string, entry T)) {
	if len(list) == 0 {
		c.add(path, "", "leave the line out to have the default", "is empty: a plan needs at least one %s", what)
	}
	first := map[string]int{}
	for i, entry := range list {
		at := fmt.Sprintf("%s[%d]", path, i)
		check(at, entry)
		if j, again := first[same(entry)]; again {
			c.add(at, fmt.Sprintf("%s[%d]", path, j), "remove one of them", "%v is the same as %s[%d]", entry, path, j)
			continue
		}
		first[same(entry)] = i
	}
}

// cells bounds the product of the lists without building it.
func (c *checker) cells(p Plan) {
	product := 1
	for _, n := range []int{len(p.Scenarios), len(p.Traffic.IPVersions), len(p.Traffic.FrameSizes), len(p.Traffic.Flows), len(p.Traffic.Directions)} {
		if product *= n; product > maxCells {
			c.add("traffic", "scenarios", "shorten the lists or split the plan",
				"the lists multiply to more than %s cells", grouped(maxCells))
			return
		}
	}
}

func (c *checker) trial(t Trial) {
	quiet := c.duration("trial.drain_quiet", t.DrainQuiet)
	most := c.duration("trial.drain_max", t.DrainMax)
	c.duration("trial.settle", t.Settle)
	if quiet && most && t.DrainMax < t.DrainQuiet {
		c.add("trial.drain_max", "trial.drain_quiet", "the drain could never see its quiet time",
			"%s is shorter than drain_quiet %s", t.DrainMax, t.DrainQuiet)
	}
}

// plainText is the entry itself, for lists whose entries differ when their texts do.
func plainText[T any](entry T) string { return strings.TrimSpace(fmt.Sprint(entry)) }
