package kernels

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/linerate/linerate/attribution"
	"github.com/linerate/linerate/kernels/guest"
	"github.com/linerate/linerate/plan"
	"github.com/linerate/linerate/result"
	"github.com/linerate/linerate/testbed/vm"
)

const (
	// windowPackets are what the second window of a cell has more than the first.
	windowPackets = 20_000
	// smallInstructions per packet are too few for a line of their own: work of a timer, or of
	// the program that starts the generator.
	smallInstructions = 0.05
	// checkLimit is by how much the sum over the functions may differ from the figure that was
	// measured without the plugin before the record has a doubt.
	checkLimit = 0.02
)

// chooseMethod decides how to attribute: by the plugin, unless the plan wants samples or the
// emulator does not take it. The reason for samples is kept as a warning.
func (r *run) chooseMethod(ctx context.Context) error {
	by := r.options.Plan.VM.AttributeBy
	switch {
	case !r.options.Plan.VM.Attribute:
		return nil
	case by == plan.BySampling:
		r.method = result.BySampling
		return nil
	}
	r.method = result.ByPlugin
	err := vm.CounterAvailable(ctx)
	if err == nil {
		return nil
	}
	if by == plan.ByPlugin {
		return fmt.Errorf("attribute the instructions by a plugin (vm.attribute_by=plugin): %w", err)
	}
	r.method = result.BySampling
	r.record.Warnings = append(r.record.Warnings, result.Warning{Code: "attribution-by-sampling",
		Text: fmt.Sprintf("the instructions are attributed by samples, which are estimates, and not by counting each: %v", err)})
	return nil
}

// attributeKernel attributes a kernel's cells, by the samples of its first boot or by one
// boot more with the same seed, in which each instruction is counted. Where that fails, the
// counts stand all the same, and a warning of the run says why nothing is attributed.
func (r *run) attributeKernel(ctx context.Context, name string, q request, cells []result.Cell, first boot) error {
	var err error
	what := "read the samples"
	switch r.method {
	case result.BySampling:
		err = attributeCells(r.store, cells, first)
	case result.ByPlugin:
		what = "count each instruction"
		q.profilePackets, q.windowPackets = 0, windowPackets
		var b boot
		if b, err = q.bootOnce(ctx, first.Seed); err == nil {
			r.options.Events.Counted(name, b.Wall)
			err = attributeCounts(r.store, cells, b)
		}
	}
	if err == nil || ctx.Err() != nil {
		return err
	}
	r.record.Warnings = append(r.record.Warnings, result.Warning{Code: "attribution-failed", Text: fmt.Sprintf("%s: %s: %v", name, what, err)})
	return nil
}

// attributeCounts attributes the cells of a boot whose instructions were counted.
func attributeCounts(store *result.Store, cells []result.Cell, b boot) error {
	symbols, err := guest.UnpackSymbols(b.Counts.Raw)
	if err != nil {
		return err
	}
	for _, m := range b.Cells {
		i := indexOf(cells, m.Cell)
		if i < 0 || cells[i].InstructionsPerPacket == nil {
			continue
		}
		c := &cells[i]
		if m.Failure != "" || m.Windows == nil {
			c.Warnings = append(c.Warnings, result.Warning{Code: "attribution-failed", Text: "in the boot that counts each instruction: " + cmp.Or(m.Failure, "the guest marked no window")})
			continue
		}
		if m.Windows.First+1 >= len(b.Counts.Windows) {
			return fmt.Errorf("%s: count each instruction: the plugin saw %d windows, and the guest marked number %d", c.ID, len(b.Counts.Windows), m.Windows.First+1)
		}
		counts := map[string]int64{}
		for address, n := range b.Counts.Windows[m.Windows.First+1] {
			counts[symbols.At(address)] += int64(n)
		}
		for address, n := range b.Counts.Windows[m.Windows.First] {
			counts[symbols.At(address)] -= int64(n)
		}
		c.Attribution = exactly(counts, m.Windows.Packets)
		c.Warnings = append(c.Warnings, check(c.Attribution, c.InstructionsPerPacket.PerBoot[0])...)
		if c.Attribution.File, err = writeProfile(store, c.ID, twoLevels(counts, m.Windows.Packets)); err != nil {
			return err
		}
	}
	return nil
}

// exactly is the attribution of counts of so many packets.
func exactly(counts map[string]int64, packets int) *result.Attribution {
	a := &result.Attribution{Method: result.ByPlugin, Packets: packets, Subsystems: []result.AttributedPart{}, Functions: []result.AttributedFunction{}}
	subsystems, small := map[string]int64{}, map[string]int64{}
	exact := func(name string, n int64) result.AttributedPart {
		v := float64(n) / float64(packets)
		return result.AttributedPart{Name: name, InstructionsPerPacket: v, LowInstructions: v, HighInstructions: v}
	}
	for name, n := range counts {
		subsystem := attribution.Subsystem(name)
		subsystems[subsystem] += n
		if math.Abs(float64(n)) < smallInstructions*float64(packets) {
			small[subsystem] += n
			continue
		}
		a.Functions = append(a.Functions, result.AttributedFunction{AttributedPart: exact(name, n), Subsystem: subsystem})
	}
	for subsystem, n := range small {
		if n != 0 {
			name := fmt.Sprintf("[below %g each: %s]", smallInstructions, subsystem)
			a.Functions = append(a.Functions, result.AttributedFunction{AttributedPart: exact(name, n), Subsystem: subsystem})
		}
	}
	for name, n := range subsystems {
		a.Subsystems = append(a.Subsystems, exact(name, n))
	}
	inOrder(a)
	return a
}

// inOrder sorts by falling count.
func inOrder(a *result.Attribution) {
	order := func(a, b result.AttributedPart) int {
		return cmp.Or(cmp.Compare(b.InstructionsPerPacket, a.InstructionsPerPacket), cmp.Compare(a.Name, b.Name))
	}
	slices.SortFunc(a.Subsystems, order)
	slices.SortFunc(a.Functions, func(x, y result.AttributedFunction) int { return order(x.AttributedPart, y.AttributedPart) })
}

// check compares the sum with what was measured of the same seed in a boot without the plugin.
func check(a *result.Attribution, measured float64) []result.Warning {
	sum := 0.0
	for _, f := range a.Functions {
		sum += f.InstructionsPerPacket
	}
	a.Check = &result.AttributionCheck{SumInstructions: sum, MeasuredInstructions: measured, DifferenceRatio: sum/measured - 1}
	if math.Abs(a.Check.DifferenceRatio) <= checkLimit {
		return nil
	}
	return []result.Warning{{Code: "attribution-differs", Text: fmt.Sprintf(
		"the functions add up to %.1f instructions per packet, and %.1f were measured without the plugin (%+.1f %%): one of the two is wrong", sum, measured, 100*a.Check.DifferenceRatio)}}
}

// sinkOnlyParts gives each part of the cell its count in the same kernel without a DUT, with
// those parts added that only occur there.
func sinkOnlyParts(c, none *result.Attribution) {
	if c == nil || none == nil || c.Method != none.Method {
		return
	}
	c.Subsystems = lessSinkOnly(c.Subsystems, none.Subsystems,
		func(p result.AttributedPart) string { return p.Name },
		func(p result.AttributedPart) result.AttributedPart { return result.AttributedPart{Name: p.Name} },
		func(p *result.AttributedPart, n result.AttributedPart) {
			p.SinkOnlyInstructions = n.InstructionsPerPacket
		})
	c.Functions = lessSinkOnly(c.Functions, none.Functions,
		func(f result.AttributedFunction) string { return f.Name },
		func(f result.AttributedFunction) result.AttributedFunction {
			return result.AttributedFunction{AttributedPart: result.AttributedPart{Name: f.Name}, Subsystem: f.Subsystem}
		},
		func(f *result.AttributedFunction, n result.AttributedFunction) {
			f.SinkOnlyInstructions = n.InstructionsPerPacket
		})
	inOrder(c)
}

func lessSinkOnly[T any](parts, none []T, name func(T) string, empty func(T) T, set func(*T, T)) []T {
	for _, n := range none {
		i := slices.IndexFunc(parts, func(p T) bool { return name(p) == name(n) })
		if i < 0 {
			i, parts = len(parts), append(parts, empty(n))
		}
		set(&parts[i], n)
	}
	return parts
}

// twoLevels has each function under its part of the kernel: counts know of no callers.
func twoLevels(counts map[string]int64, packets int) calls {
	c := calls{comment: fmt.Sprintf("instructions of %d packets, each counted", packetsPerProfile)}
	names := map[string]int{}
	frame := func(name string) int {
		i, known := names[name]
		if !known {
			i = len(c.names)
			names[name], c.names = i, append(c.names, name)
		}
		return i
	}
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		value := int64(math.Round(float64(counts[name]) * packetsPerProfile / float64(packets)))
		if value > 0 {
			c.stacks, c.values = append(c.stacks, []int{frame(name), frame("(" + attribution.Subsystem(name) + ")")}), append(c.values, value)
		}
	}
	return c
}
