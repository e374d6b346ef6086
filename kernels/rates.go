package kernels

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/linerate/linerate/kernels/guest"
	"github.com/linerate/linerate/result"
	"github.com/linerate/linerate/testbed/vm"
)

const (
	// leastCPU is the share of a CPU below which an emulator was kept from it by something else.
	leastCPU = 0.9
	// attempts is how often a measurement is made that stays disturbed.
	attempts = 3
)

// contender is a kernel that takes part in the rounds; the first one does so twice.
type contender struct {
	name    string
	twin    bool
	request request
}

// rates measures the forwarding rates of all kernels that were opened, in rounds.
func (r *run) rates(ctx context.Context) error {
	p := r.options.Plan
	record := &result.KernelRates{RoundsPlanned: p.VM.Rounds, AlphaRatio: float64(p.AB.Alpha), LeastChangeRatio: float64(p.AB.LeastChange), Pairs: []result.KernelRatePair{}}
	r.record.KernelRates = record
	accelerator, err := r.accelerate(ctx, &record.Accelerator)
	if err != nil || accelerator == "" {
		return err
	}
	list := r.contenders(accelerator)
	if len(list) == 0 {
		return nil
	}
	if err := enoughMemory(len(list), uint64(p.VM.MemoryBytes)); err != nil {
		return err
	}
	r.foresee(list)
	draw := rand.New(rand.NewPCG(uint64(p.Repeated.Seed), 0x6b65726e656c73))
	for n := 1; n <= p.VM.Rounds && len(list) > 0; n++ {
		if list, err = r.round(ctx, n, list, draw); err != nil {
			r.judgeRates()
			return err
		}
		record.RoundsMeasured = n
		r.judgeRates()
		if err := r.store.SaveRun(&r.record); err != nil {
			return err
		}
		r.options.Events.Round(n, p.VM.Rounds)
		if r.lacksTwin(list) {
			list = r.beginAnew(list)
			n = 0
		}
	}
	r.doubtRates()
	return nil
}

// accelerate decides what executes the guests, and records why. It is empty where the plan
// asks for counts as well, and rates cannot be measured.
func (r *run) accelerate(ctx context.Context, record *result.Accelerator) (vm.Accelerator, error) {
	found := vm.ProbeKVM(ctx)
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	*record = result.Accelerator{KVMUsable: found.Usable, Reason: found.Reason,
		KVMInstructionsPerS: found.KVMInstructionsPerS, EmulatorInstructionsPerS: found.EmulatorInstructionsPerS}
	used, warning, err := chooseAccelerator(r.options.Plan.VM.Accelerator, found)
	if err != nil && r.options.Plan.VM.Counts() {
		r.warn("rate-not-measured", err.Error())
		return "", nil
	}
	if warning != "" {
		r.warn("emulator-rate", warning)
	}
	record.Used = string(used)
	return used, err
}

// chooseAccelerator is what the plan's word comes to with what was found.
func chooseAccelerator(asked string, found vm.Probe) (used vm.Accelerator, warning string, err error) {
	switch {
	case asked == "tcg":
		return vm.Emulated, "the rates are those of an emulator (vm.accelerator=tcg), which executes a kernel's instructions by translating them: they compare kernels on it, and say nothing about the rates of a machine", nil
	case found.Usable:
		return vm.Hardware, "", nil
	case asked == "kvm" && found.KVMInstructionsPerS > 0:
		return vm.Hardware, "the rates are those of a KVM that is slower than an emulator (vm.accelerator=kvm): " + found.Reason, nil
	}
	return "", "", fmt.Errorf("measure rates: KVM does not work here: %s; count instructions instead (vm.metric=instructions), or measure the emulator's rates (vm.accelerator=tcg)", found.Reason)
}

func (r *run) warn(code, text string) {
	w := result.Warning{Code: code, Text: text}
	r.record.Warnings = append(r.record.Warnings, w)
	r.options.Events.Doubt(w)
}

// contenders are the kernels that can be booted.
func (r *run) contenders(a vm.Accelerator) (list []contender) {
	p := r.options.Plan
	for _, k := range r.record.Kernels {
		q, opened := r.requests[k.Name]
		if !opened || k.Error != "" || len(q.cells) == 0 {
			continue
		}
		q.accelerator, q.rate = a, &guest.Rate{TrialMS: int(time.Duration(p.VM.TrialDuration).Milliseconds()), LoadPPS: p.VM.LoadPPS}
		list = append(list, contender{name: k.Name, request: q})
	}
	return withTwin(list)
}

// round boots all contenders anew and measures each cell in all of them, one right after
// the other, in an order drawn by lot. It returns those that take part in the next one.
func (r *run) round(ctx context.Context, n int, list []contender, draw *rand.Rand) ([]contender, error) {
	guests := make([]*live, len(list))
	defer r.endAll(guests)
	for i, err := range bootAll(ctx, list, guests, draw) {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		r.noteBoot(list[i], guests[i], err)
		if err != nil {
			r.fail(list[i].name, err)
		}
	}
	cells := r.cellsOf(list)
	draw.Shuffle(len(cells), func(i, j int) { cells[i], cells[j] = cells[j], cells[i] })
	for _, cell := range cells {
		order := draw.Perm(len(list))
		for at, i := range order {
			if r.failed(list[i].name) {
				continue
			}
			if err := r.trial(ctx, list[i], guests[i], cell, result.KernelTrial{Round: n, Order: at + 1, Twin: list[i].twin}); err != nil {
				if ctx.Err() != nil {
					return nil, ctx.Err()
				}
				r.fail(list[i].name, err)
			}
		}
	}
	return slices.DeleteFunc(slices.Clone(list), func(c contender) bool { return r.failed(c.name) }), nil
}

// endAll ends the guests of a round.
func (r *run) endAll(guests []*live) {
	left := make([]error, len(guests))
	var all sync.WaitGroup
	for i, g := range guests {
		if g != nil {
			all.Go(func() { left[i] = g.end() })
		}
	}
	all.Wait()
	if err := errors.Join(left...); err != nil {
		r.warn("guest-left", err.Error())
	}
}

// bootAll boots the contenders, as many at a time as there are CPUs.
func bootAll(ctx context.Context, list []contender, guests []*live, draw *rand.Rand) []error {
	failures := make([]error, len(list))
	turn := make(chan struct{}, runtime.NumCPU())
	var all sync.WaitGroup
	for i, c := range list {
		seed := draw.Int64N(1 << 30)
		all.Go(func() {
			turn <- struct{}{}
			defer func() { <-turn }()
			g, err := c.request.start(ctx, seed)
			if err == nil {
				guests[i] = g
				err = g.ready(ctx)
			}
			failures[i] = err
		})
	}
	all.Wait()
	return failures
}

// cellsOf are the cells that any contender has.
func (r *run) cellsOf(list []contender) (cells []guest.Cell) {
	for _, c := range list {
		for _, cell := range c.request.cells {
			if !slices.Contains(cells, cell) {
				cells = append(cells, cell)
			}
		}
	}
	return cells
}

// trial measures one cell in one guest, again if something else had the CPU.
func (r *run) trial(ctx context.Context, c contender, g *live, cell guest.Cell, t result.KernelTrial) error {
	n := slices.Index(c.request.cells, cell)
	at := slices.IndexFunc(r.record.Cells, func(k result.Cell) bool {
		return k.Kernel == c.name && spelling(k) == cell.Scenario && k.Flows == cell.Flows && k.FrameSize == cell.FrameSize
	})
	if n < 0 || at < 0 {
		return nil
	}
	stored := &r.record.Cells[at]
	if f := stored.ForwardingRate; stored.Skipped != "" || f != nil && f.Failure != "" {
		return nil
	}
	t.Seed = g.seed
	for t.Attempts < attempts {
		t.Attempts++
		h, err := g.measure(ctx, n)
		switch {
		case err != nil:
			return err
		case h.Failure != "":
			forgetRate(stored, fmt.Sprintf("in round %d: %s", t.Round, h.Failure))
			return nil
		case h.Rate == nil:
			return fmt.Errorf("kernel %s: the guest measured %s and reported no rate", c.name, cell.Scenario)
		}
		t.Sent, t.Received = h.Sent, h.Received
		t.DurationS, t.GeneratorIdleS = float64(h.Rate.BusyNS+h.Rate.IdleNS)/1e9, float64(h.Rate.IdleNS)/1e9
		// The marks take some milliseconds themselves, in which the guest waits: they are not in the duration.
		t.CPURatio, t.ClockRatio = h.cpu.Seconds()/max(t.DurationS, 1e-3), h.clockRatio
		stored.Setup = h.Setup
		if t.Disturbed = disturbed(t); t.Disturbed == "" {
			break
		}
	}
	addTrial(stored, t)
	return nil
}

// disturbed is why a measurement is to be repeated: what the emulator could not have of a
// CPU while the generator did not wait.
func disturbed(t result.KernelTrial) string {
	if t.DurationS <= 0 {
		return "the generator took no time"
	}
	if busy := 1 - t.IdleRatio(); t.CPURatio < leastCPU*busy {
		return fmt.Sprintf("the emulator got %.0f %% of a CPU of this machine: something else had the rest", 100*t.CPURatio)
	}
	return ""
}

// noteBoot records a boot for rates.
func (r *run) noteBoot(c contender, g *live, err error) {
	k := r.kernel(c.name)
	stored := result.KernelBoot{Accelerator: string(c.request.accelerator)}
	if g != nil {
		stored.Seed, stored.WallS = g.seed, g.took.Seconds()
		if k.Version == "" {
			k.QEMU, k.Release, k.Version, k.CommandLine = g.command, g.booted.Release, g.booted.Version, g.booted.Cmdline
			k.Modules, k.ModulesRefused = append(k.Modules, g.booted.Modules...), append(k.ModulesRefused, g.booted.Refused...)
		}
	}
	if err != nil {
		stored.Error = err.Error()
	}
	k.Boots = append(k.Boots, stored)
}

func (r *run) kernel(name string) *result.Kernel {
	return &r.record.Kernels[slices.IndexFunc(r.record.Kernels, func(k result.Kernel) bool { return k.Name == name })]
}

func (r *run) failed(name string) bool { return r.kernel(name).Error != "" }

// fail takes a kernel out of the rounds that are left.
func (r *run) fail(name string, err error) {
	k := r.kernel(name)
	if k.Error != "" {
		return
	}
	k.Error = err.Error()
	r.options.Events.Failed(*k)
	skipUnmeasured(r.record.Cells, *k)
}

// enoughMemory refuses guests that this machine cannot hold at once.
func enoughMemory(guests int, each uint64) error {
	free, err := availableMemory()
	if err != nil || free == 0 {
		return err
	}
	if need := uint64(guests) * each; need > free {
		return fmt.Errorf("measure rates: %d guests of %d MB run at once, and this machine has %d MB of memory left: compare fewer kernels, or set vm.memory_bytes lower", guests, each>>20, free>>20)
	}
	return nil
}
