package kernels

import (
	"fmt"
	"slices"
	"time"

	"github.com/linerate/linerate/kernels/guest"
	"github.com/linerate/linerate/plan"
	"github.com/linerate/linerate/result"
	"github.com/linerate/linerate/testbed/vm"
)

// spelling is the cell's scenario as a guest knows it.
func spelling(c result.Cell) string {
	return plan.Cell{Scenario: c.Scenario, Backend: c.Backend}.ScenarioID()
}

// prepare finds the modules of each scenario. A scenario that lacks one is skipped, which
// its cells say; without the modules of all scenarios there is nothing to measure.
func prepare(p plan.Plan, k *vm.Kernel, cells []result.Cell) (request, error) {
	q := request{
		kernel: k, packets: p.VM.Packets, repetitions: p.VM.Repetitions,
		memoryBytes: uint64(p.VM.MemoryBytes), limit: time.Duration(p.VM.TimeLimit),
	}
	if p.Tuning.On() {
		return q, q.tune(p, cells)
	}
	variant := p.VM.Iptables
	names, _ := guest.Modules(nil, variant)
	if _, err := k.Modules(names...); err != nil {
		return q, err
	}
	// What is loaded changes what a packet meets, so that every guest of a kernel loads
	// the same, whatever the plan measures.
	for _, s := range guest.Scenarios() {
		more, _ := guest.Modules([]string{s}, variant)
		if _, err := k.Modules(more...); err == nil {
			names = append(names, more...)
		}
	}
	missing := map[string]string{}
	for i, c := range cells {
		s := spelling(c)
		if _, looked := missing[s]; !looked {
			more, unknown := guest.Modules([]string{s}, variant)
			if unknown != "" {
				return q, fmt.Errorf("measure scenario %s: a guest does not have it", unknown)
			}
			missing[s] = ""
			if _, err := k.Modules(more...); err != nil {
				missing[s] = err.Error()
			} else if err := q.addIptables(s, variant); err != nil {
				missing[s] = err.Error()
			}
		}
		if missing[s] != "" {
			cells[i].Skipped = missing[s]
			continue
		}
		q.cells = append(q.cells, guest.Cell{Scenario: s, Flows: c.Flows, FrameSize: c.FrameSize, ExtraRules: p.VM.ExtraRules, Iptables: variant})
	}
	var err error
	q.modules, err = k.Modules(names...)
	return q, err
}

// add takes a boot's counts into the cells. A cell that failed in one boot is skipped for good.
func add(cells []result.Cell, b boot) {
	for _, m := range b.Cells {
		i := indexOf(cells, m.Cell)
		if i < 0 || cells[i].Skipped != "" {
			continue
		}
		c := &cells[i]
		c.Setup = m.Setup
		if m.Failure != "" {
			c.Skipped, c.InstructionsPerPacket = fmt.Sprintf("with seed %d: %s", b.Seed, m.Failure), nil
			continue
		}
		if c.InstructionsPerPacket == nil {
			c.InstructionsPerPacket = &result.InstructionsPerPacket{}
		}
		v := c.InstructionsPerPacket
		var each []float64
		for _, ns := range m.BusyNS {
			each = append(each, float64(ns)/float64(m.Sent))
		}
		v.PerBoot = append(v.PerBoot, median(each))
		v.Value, v.Min, v.Max, v.Boots = median(v.PerBoot), slices.Min(v.PerBoot), slices.Max(v.PerBoot), len(v.PerBoot)
		c.Evidence = []string{fmt.Sprintf("the kernel's pktgen sent %d packets in each of %d measurements of %d boots, and the receiving device counted all of them", m.Sent, len(m.BusyNS), v.Boots)}
		takeTuning(c, m)
		if m.ConntrackEntries > 0 {
			c.Evidence = append(c.Evidence, fmt.Sprintf("connection tracking has %d entries for %d flows", m.ConntrackEntries, m.Flows))
		}
		if m.RulePackets > 0 {
			c.Evidence = append(c.Evidence, fmt.Sprintf("the rule of iptables for new connections counted %d packets of %d flows", m.RulePackets, m.Flows))
		}
	}
}

// indexOf finds the cell that a guest measured.
func indexOf(cells []result.Cell, m guest.Cell) int {
	return slices.IndexFunc(cells, func(c result.Cell) bool {
		return spelling(c) == m.Scenario && c.Flows == m.Flows && c.FrameSize == m.FrameSize && sameSetting(c.Tuning, m.Setting)
	})
}

// sinkOnly gives each cell the value of its kernel and traffic without a DUT.
func sinkOnly(cells []result.Cell) {
	for i, c := range cells {
		if c.InstructionsPerPacket == nil || c.Tuning != nil {
			continue
		}
		for _, n := range cells {
			if n.Scenario == "none" && n.InstructionsPerPacket != nil && n.Kernel == c.Kernel && sameTraffic(n, c) {
				cells[i].InstructionsPerPacket.SinkOnly = n.InstructionsPerPacket.Value
				if c.Scenario != "none" {
					sinkOnlyParts(c.Attribution, n.Attribution)
				}
			}
		}
	}
}

func sameTraffic(a, b result.Cell) bool {
	return a.Flows == b.Flows && a.FrameSize == b.FrameSize && a.IPVersion == b.IPVersion && a.Directions == b.Directions
}

func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	if n%2 == 1 {
		return sorted[n/2]
	}
	return (sorted[n/2-1] + sorted[n/2]) / 2
}
