package cost

import (
	"cmp"
	"fmt"
	"math"
	"os"
	"slices"

	"github.com/linerate/linerate/attribution"
	"github.com/linerate/linerate/result"
	"github.com/linerate/linerate/stats"
)

const (
	// groups of samples, one after another, show whether samples depend on each other.
	groups     = 20
	confidence = 0.95
)

// Symbols are those of the running kernel, its modules and its BPF programs.
func Symbols() (*attribution.Symbols, error) {
	f, err := os.Open("/proc/kallsyms")
	if err != nil {
		return nil, fmt.Errorf("read the kernel's symbols: %w; is CONFIG_KALLSYMS on?", err)
	}
	defer f.Close()
	return attribution.ReadSymbols(f)
}

// NoSampleError says that nothing of the DUT's work was met.
type NoSampleError struct{ Samples int }

func (e *NoSampleError) Error() string {
	return fmt.Sprintf("none of %d samples of the DUT's CPUs met its work", e.Samples)
}

// Cost divides the samples among the functions of the kernel, for so many packets that
// the DUT delivered.
func (t *Taken) Cost(packets uint64, symbols *attribution.Symbols) (*result.Cost, *attribution.Stacks, error) {
	first, last := t.span()
	if last <= first || packets == 0 {
		return nil, nil, &NoSampleError{len(t.samples)}
	}
	stacks, all, others := &attribution.Stacks{}, make([]int, groups), map[string]int{}
	names := make([][]string, len(t.chains))
	for _, s := range t.samples {
		if s.timeNS < first || s.timeNS > last {
			continue
		}
		group := int((s.timeNS - first) * groups / (last - first + 1))
		all[group]++
		if s.owner != "" {
			others[s.owner]++
			continue
		}
		if names[s.chain] == nil {
			names[s.chain] = stackOf(t.chains[s.chain], symbols)
		}
		stacks.Add(names[s.chain], group, 1)
	}
	c := &result.Cost{FrequencyHz: float64(t.frequencyHz), Packets: packets, LostSamples: t.lost, ThrottledTimes: t.throttled, DUTSamples: stacks.Total(),
		ExpectedSamples: int(math.Round(float64(last-first) / 1e9 * float64(t.frequencyHz) * float64(t.cpus))),
		Subsystems:      []result.CostPart{}, Functions: []result.CostFunction{}, Calls: stacks.Tree(attribution.LeastShare)}
	sum := make([]int, groups)
	for _, n := range all {
		c.Samples += n
	}
	perSample := 1e9 / float64(t.frequencyHz) / float64(packets)
	for name, counts := range stacks.ByFunction(groups) {
		c.Functions = append(c.Functions, result.CostFunction{CostPart: partOf(name, counts, all, perSample), Subsystem: attribution.Subsystem(name)})
		for i, n := range counts {
			sum[i] += n
		}
	}
	for name, counts := range stacks.BySubsystem(groups) {
		c.Subsystems = append(c.Subsystems, partOf(name, counts, all, perSample))
	}
	c.Others = sharesOf(others, c.Samples)
	whole := partOf("", sum, all, perSample)
	c.SampledNSPerPacket, c.LowNSPerPacket, c.HighNSPerPacket = whole.NSPerPacket, whole.LowNSPerPacket, whole.HighNSPerPacket
	order(c)
	return c, stacks, nil
}

// Strangers with a smaller share than this are named together.
const (
	leastOther  = 0.001
	otherOthers = "other threads"
)

func sharesOf(counts map[string]int, of int) []result.CPUShare {
	list := []result.CPUShare{}
	rest := 0
	for name, n := range counts {
		if share := float64(n) / float64(of); share >= leastOther || name == Idle || name == Sink || name == Linerate {
			list = append(list, result.CPUShare{Name: name, Share: share})
		} else {
			rest += n
		}
	}
	if rest > 0 {
		list = append(list, result.CPUShare{Name: otherOthers, Share: float64(rest) / float64(of)})
	}
	return list
}

// span is from the first sample of the DUT's work to the last: the time of the traffic.
func (t *Taken) span() (first, last uint64) {
	first = math.MaxUint64
	for _, s := range t.samples {
		if s.owner == "" {
			first, last = min(first, s.timeNS), max(last, s.timeNS)
		}
	}
	return first, last
}

// partOf takes the share among all samples of the CPUs, so that its interval is also that
// of how long the DUT worked.
func partOf(name string, counts, all []int, nsPerSample float64) result.CostPart {
	p := stats.ProportionOf(counts, all, confidence)
	n, of := 0, 0
	for i := range counts {
		n, of = n+counts[i], of+all[i]
	}
	ns := nsPerSample * float64(of)
	return result.CostPart{Name: name, NSPerPacket: p.Share * ns, LowNSPerPacket: p.Low * ns, HighNSPerPacket: p.High * ns, Samples: n}
}

func order(c *result.Cost) {
	by := func(a, b result.CostPart) int {
		return cmp.Or(cmp.Compare(b.NSPerPacket, a.NSPerPacket), cmp.Compare(a.Name, b.Name))
	}
	slices.SortFunc(c.Subsystems, by)
	slices.SortFunc(c.Functions, func(a, b result.CostFunction) int { return by(a.CostPart, b.CostPart) })
	slices.SortFunc(c.Others, func(a, b result.CPUShare) int {
		return cmp.Or(cmp.Compare(b.Share, a.Share), cmp.Compare(a.Name, b.Name))
	})
}
