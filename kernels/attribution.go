package kernels

import (
	"bytes"
	"fmt"
	"math"

	"github.com/google/pprof/profile"

	"github.com/linerate/linerate/attribution"
	"github.com/linerate/linerate/kernels/guest"
	"github.com/linerate/linerate/result"
)

// profilePackets give some 15,000 samples, of which a function with 1 % of them has 100.
const profilePackets = 50_000

// attribute shares a cell's instructions out over the functions in which samples were taken.
func attribute(p *guest.Profile, value float64) *result.Attribution {
	a := &result.Attribution{Method: result.BySampling, Packets: p.Packets, Samples: p.Samples, Subsystems: []result.AttributedPart{}, Functions: []result.AttributedFunction{}}
	byFunction, bySubsystem, all := shares{}, shares{}, make([]float64, guest.Groups)
	for i, stack := range p.Stacks {
		name := p.Names[stack[0]]
		for group, n := range p.Counts[i] {
			byFunction.add(name, group, n)
			bySubsystem.add(attribution.Subsystem(name), group, n)
			all[group] += float64(n)
		}
	}
	for name, counts := range byFunction {
		a.Functions = append(a.Functions, result.AttributedFunction{AttributedPart: part(name, counts, all, value), Subsystem: attribution.Subsystem(name)})
	}
	for name, counts := range bySubsystem {
		a.Subsystems = append(a.Subsystems, part(name, counts, all, value))
	}
	inOrder(a)
	chains := attribution.Stacks{Names: p.Names, Stacks: p.Stacks, Counts: p.Counts}
	a.Calls = chains.Tree(attribution.LeastShare)
	return a
}

// shares are the samples of each name in each group.
type shares map[string][]float64

func (s shares) add(name string, group, n int) {
	if s[name] == nil {
		s[name] = make([]float64, guest.Groups)
	}
	s[name][group] += float64(n)
}

// t14 is the quantile of Student's distribution for 95 % and 15 groups.
const t14 = 2.145

// part has the interval of the groups' scatter. That of the samples would be too narrow:
// packets that cost the same let a timer meet some places of their path too often.
func part(name string, counts, all []float64, value float64) result.AttributedPart {
	n, of := 0.0, 0.0
	for g := range counts {
		n, of = n+counts[g], of+all[g]
	}
	share, square := n/of, 0.0
	for g := range counts {
		if all[g] > 0 {
			square += (counts[g]/all[g] - share) * (counts[g]/all[g] - share)
		}
	}
	groups := float64(len(counts))
	half := t14 * math.Sqrt(square/(groups-1)/groups)
	return result.AttributedPart{Name: name, InstructionsPerPacket: share * value,
		LowInstructions: max(0, share-half) * value, HighInstructions: min(1, share+half) * value}
}

// packetsPerProfile is what the values of a pprof profile are for: it holds whole numbers.
const packetsPerProfile = 1000

// calls are what a profile of pprof consists of: names of functions, call chains of indices
// into them with the innermost first, and the instructions of packetsPerProfile packets in each.
type calls struct {
	comment string
	names   []string
	stacks  [][]int
	values  []int64
}

// sampledCalls shares the instructions of a packet out over the call chains.
func sampledCalls(p *guest.Profile, value float64) calls {
	c := calls{comment: fmt.Sprintf("instructions of %d packets, from %d samples", packetsPerProfile, p.Samples), names: p.Names, stacks: p.Stacks}
	for _, counts := range p.Counts {
		n := 0
		for _, in := range counts {
			n += in
		}
		c.values = append(c.values, int64(math.Round(float64(n)/float64(p.Samples)*value*packetsPerProfile)))
	}
	return c
}

// writeProfile stores a cell's calls for `go tool pprof`.
func writeProfile(store *result.Store, cell string, c calls) (string, error) {
	out := &profile.Profile{
		SampleType:        []*profile.ValueType{{Type: "instructions", Unit: "count"}},
		DefaultSampleType: "instructions",
		Comments:          []string{cell + ": " + c.comment},
	}
	locations := make([]*profile.Location, len(c.names))
	for i, name := range c.names {
		f := &profile.Function{ID: uint64(i + 1), Name: name, SystemName: name}
		locations[i] = &profile.Location{ID: uint64(i + 1), Line: []profile.Line{{Function: f}}}
		out.Function, out.Location = append(out.Function, f), append(out.Location, locations[i])
	}
	for i, stack := range c.stacks {
		s := &profile.Sample{Value: []int64{c.values[i]}}
		for _, f := range stack {
			s.Location = append(s.Location, locations[f])
		}
		out.Sample = append(out.Sample, s)
	}
	var b bytes.Buffer
	if err := out.CheckValid(); err != nil {
		return "", fmt.Errorf("build the profile of %s: %w", cell, err)
	}
	if err := out.Write(&b); err != nil {
		return "", fmt.Errorf("build the profile of %s: %w", cell, err)
	}
	name := result.ProfileFile(cell)
	return name, store.WriteFile(name, b.Bytes())
}

// attributeCells does so for the cells of a boot that have a profile.
func attributeCells(store *result.Store, cells []result.Cell, b boot) error {
	for _, m := range b.Cells {
		i := indexOf(cells, m.Cell)
		if i < 0 || cells[i].InstructionsPerPacket == nil {
			continue
		}
		c := &cells[i]
		if m.ProfileFailure != "" {
			c.Warnings = append(c.Warnings, result.Warning{Code: "attribution-failed", Text: m.ProfileFailure})
		}
		if m.Profile == nil {
			continue
		}
		p, err := guest.UnpackProfile(m.Profile)
		if err != nil {
			return fmt.Errorf("%s: %w", c.ID, err)
		}
		if p.Samples == 0 {
			c.Warnings = append(c.Warnings, result.Warning{Code: "attribution-failed", Text: "no sample was taken: does this kernel have CONFIG_PERF_EVENTS?"})
			continue
		}
		c.Attribution = attribute(p, c.InstructionsPerPacket.Value)
		if p.Lost > 0 {
			c.Warnings = append(c.Warnings, result.Warning{Code: "samples-lost", Text: fmt.Sprintf("%d samples were lost beside %d", p.Lost, p.Samples)})
		}
		if c.Attribution.File, err = writeProfile(store, c.ID, sampledCalls(p, c.InstructionsPerPacket.Value)); err != nil {
			return err
		}
	}
	return nil
}
