package trial

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/linerate/linerate/observe"
	"github.com/linerate/linerate/result"
)

// Limits above which a trial says nothing about the DUT.
const (
	// unsentLimit: a generator that falls further short says nothing about the DUT's lower bound.
	unsentLimit = 0.001
	// heldLimitNS: after such a pause a paced stream bunches its frames; shorter ones
	// are worked off without a queue of the DUT filling (docs/generators.md, pacing).
	heldLimitNS = 5e6
	// takenLimit is the share of a CPU that others may take away.
	takenLimit = 0.02
	// takenTicksS is the least time taken that counts where /proc/stat is the source,
	// which knows ticks of 10 ms only; takenS where context switches are.
	takenTicksS = 0.025
	takenS      = 0.01
	// softIRQLimit is the share of a CPU that soft interrupts may take.
	softIRQLimit = 0.05
	// frequencyLimit is the relative change of a CPU's clock that counts.
	frequencyLimit = 0.05
	// slewLimitPPM is twice what the kernel lets a time service adjust (MAXFREQ,
	// include/linux/timex.h).
	slewLimitPPM = 1000
	// suspendedLimitNS is above what reading three clocks one after the other can make up.
	suspendedLimitNS = 1e6
	// impossibleNS is half of what 32 bits of a time stamp can tell: an earlier arrival
	// than departure shows as a latency above it.
	impossibleNS = 1 << 31
)

// disturbances are what happened on the machine during the trial.
func disturbances(t result.Trial, before, after observe.Clocks) []result.Disturbance {
	var d list // causes before what follows from them
	if t.CPU != nil {
		for _, c := range t.CPU.PerCore {
			d.core(t, c)
		}
	}
	d.clocks(t, before, after)
	d.generator(t)
	return d
}

type list []result.Disturbance

func (d *list) add(code string, value float64, unit, format string, args ...any) {
	*d = append(*d, result.Disturbance{Code: code, Text: fmt.Sprintf(format, args...), Value: value, Unit: unit})
}

func (d *list) generator(t result.Trial) {
	if r := t.UnsentRatio(); r > unsentLimit {
		d.add(result.GeneratorShort, r, "share", "the generator could not offer %.2f %% of the load", 100*r)
	}
	if g := t.Gaps; g != nil && float64(g.MaxNS) > heldLimitNS && g.MaxNS > 2*g.TargetNS {
		d.add(result.GeneratorHeld, float64(g.MaxNS), "ns", "the generator was held up for %.1f ms, and the frames it missed left as a burst", float64(g.MaxNS)/1e6)
	}
}

func (d *list) core(t result.Trial, c result.Core) {
	long := func(share, limit, leastS float64) bool {
		return share > limit && share*t.ActualDurationS > leastS
	}
	if long(c.Steal, takenLimit, takenTicksS) {
		d.add(result.Stolen, c.Steal, "share", "the hypervisor took %.0f %% of CPU %d (%s) away", 100*c.Steal, c.CPU, c.Role)
	}
	least := takenS
	if c.ForeignName == "" {
		least = takenTicksS
	}
	if long(c.Foreign, takenLimit, least) {
		most := ""
		if c.ForeignName != "" {
			most = ", most of it " + c.ForeignName
		}
		d.add(result.ForeignLoad, c.Foreign, "share", "other programs took %.0f %% of CPU %d (%s)%s", 100*c.Foreign, c.CPU, c.Role, most)
	}
	if long(c.SoftIRQ, softIRQLimit, takenTicksS) {
		d.add(result.ForeignSoftIRQ, c.SoftIRQ, "share", "soft interrupts took %.0f %% of CPU %d (%s), where only threads should work", 100*c.SoftIRQ, c.CPU, c.Role)
	}
}

func (d *list) clocks(t result.Trial, before, after observe.Clocks) {
	if before.Source != after.Source {
		d.add(result.ClockSourceChanged, 1, "changes", "the kernel changed its clock source from %s to %s in mid-trial", before.Source, after.Source)
	}
	if ppm := observe.SlewPPM(before, after); math.Abs(ppm) > slewLimitPPM {
		d.add(result.ClockSlewed, ppm, "ppm", "the clock ran %.0f ppm off the hardware's: it was being adjusted", ppm)
	}
	if ns := observe.SuspendedNS(before, after); ns > suspendedLimitNS {
		d.add(result.Suspended, float64(ns), "ns", "the machine slept for %.1f ms in mid-trial", float64(ns)/1e6)
	}
	cpus := make([]int, 0, len(before.FrequencyHz))
	for cpu := range before.FrequencyHz {
		cpus = append(cpus, cpu)
	}
	slices.Sort(cpus)
	for _, cpu := range cpus {
		was, is := before.FrequencyHz[cpu], after.FrequencyHz[cpu]
		if is > 0 && math.Abs(is/was-1) > frequencyLimit {
			d.add(result.FrequencyChanged, is/was, "ratio", "CPU %d ran at %.2f GHz before the trial and at %.2f GHz after it", cpu, was/1e9, is/1e9)
		}
	}
	if t.Latency == nil {
		return
	}
	var impossible uint64
	for _, b := range t.Latency.Histogram {
		if b.UpToNS > impossibleNS {
			impossible += b.Frames
		}
	}
	if impossible > 0 {
		d.add(result.ImpossibleLatency, float64(impossible), "frames", "%d frames arrived before they were sent, or more than %.1f s later: the clocks of generator and sink disagree", impossible, impossibleNS/1e9)
	}
}

// briefly are short forms for a trial's reason to be repeated.
var briefly = map[string]string{
	result.GeneratorShort: "the generator was held up",
	result.GeneratorHeld:  "the generator was held up",
	result.Stolen:         "the hypervisor took CPU time away",
	result.ForeignLoad:    "other programs ran on the testbed's CPUs",
	result.ForeignSoftIRQ: "soft interrupts ran on the testbed's CPUs",
}

// Disturbed says why a trial tells nothing about the DUT and is worth repeating;
// empty if it is sound. The load at which a generator is always short is found by
// repeating a few times only.
func Disturbed(t result.Trial) string {
	if len(t.Disturbances) == 0 {
		return ""
	}
	first := t.Disturbances[0]
	return cmp.Or(briefly[first.Code], first.Text)
}
