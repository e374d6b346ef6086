package kernels

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os/exec"
	"strings"
	"time"

	"github.com/linerate/linerate/observe"
	"github.com/linerate/linerate/plan"
	"github.com/linerate/linerate/result"
	"github.com/linerate/linerate/testbed/vm"
)

// run is a run in progress.
type run struct {
	options Options
	record  result.Run
	store   *result.Store
	// requests are what the guests of each kernel that was opened have in common, by its name.
	requests map[string]request
	// method is how instructions are attributed, result.ByPlugin or result.BySampling; empty if they are not.
	method string
}

// Run boots the plan's kernels and returns the run as stored. A kernel that cannot be
// measured has its error in the record, and the others are measured all the same. When ctx
// ends, what was measured is kept and ctx's error is returned.
func Run(ctx context.Context, o Options) (*result.Run, error) {
	if err := vm.Available(); err != nil {
		return nil, fmt.Errorf("compare kernels: %w", err)
	}
	r := &run{options: o, requests: map[string]request{}}
	r.record = result.Run{
		Schema: result.SchemaV1, ID: o.Name, Started: time.Now().UTC(), Outcome: result.Running, Command: o.Command, Plan: o.Plan,
		Testbed: result.Testbed{Kind: "vm"}, Cells: []result.Cell{}, Warnings: []result.Warning{}, Kernels: []result.Kernel{},
	}
	r.describe(ctx)
	err := r.chooseMethod(ctx)
	if err != nil {
		return nil, err
	}
	if r.store, err = result.Create(o.Out, &r.record); err != nil {
		return nil, err
	}
	err = r.measure(ctx)
	r.record.Finished = time.Now().UTC()
	switch {
	case err == nil:
		r.record.Outcome = result.Measured
	case ctx.Err() != nil:
		r.record.Outcome = result.Interrupted
	default:
		r.record.Outcome, r.record.Error = result.Failed, err.Error()
	}
	return &r.record, errors.Join(err, r.store.SaveRun(&r.record), r.store.Close())
}

// describe records the machine that emulates; the counts do not depend on it.
func (r *run) describe(ctx context.Context) {
	environment, _, err := observe.Environment("", nil)
	if err != nil {
		r.record.Warnings = append(r.record.Warnings, result.Warning{Code: "environment-incomplete", Text: fmt.Sprintf("a part of the environment could not be read: %v", err)})
	}
	r.record.Environment = environment
	if r.record.Environment.Versions == nil {
		r.record.Environment.Versions = map[string]string{}
	}
	maps.Copy(r.record.Environment.Versions, r.options.Versions)
	if out, err := exec.CommandContext(ctx, vm.Emulator, "--version").Output(); err == nil {
		first, _, _ := strings.Cut(string(out), "\n")
		r.record.Environment.Versions["qemu"] = strings.TrimPrefix(first, "QEMU emulator version ")
	}
}

// measure goes through the kernels.
func (r *run) measure(ctx context.Context) error {
	for _, asked := range r.options.Plan.Kernels {
		k, cells := r.measureKernel(ctx, asked)
		r.record.Kernels = append(r.record.Kernels, k)
		r.record.Cells = append(r.record.Cells, cells...)
		sinkOnly(r.record.Cells)
		bindCells(r.record.Cells)
		r.record.KernelPairs = Compare(r.record.Cells, float64(r.options.Plan.VM.Margin))
		if err := r.store.SaveRun(&r.record); err != nil {
			return err
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	if r.options.Plan.VM.Rates() {
		return r.rates(ctx)
	}
	return nil
}

// measureKernel boots one kernel as often as the plan says. What could not be done is in
// the kernel's Error, and in Skipped of its cells.
func (r *run) measureKernel(ctx context.Context, asked string) (result.Kernel, []result.Cell) {
	p := r.options.Plan
	k := result.Kernel{Name: r.nameFor(asked), AskedFor: asked, QEMU: []string{}, Modules: []string{}, ModulesRefused: []string{}, Boots: []result.KernelBoot{}}
	fail := func(err error, cells []result.Cell) (result.Kernel, []result.Cell) {
		k.Error = err.Error()
		if ctx.Err() != nil {
			k.Error = "the run was interrupted"
		}
		r.options.Events.Failed(k)
		skipUnmeasured(cells, k)
		return k, cells
	}
	opened, err := vm.Open(ctx, asked, r.options.Cache)
	if err != nil {
		return fail(err, newCells(p, k.Name))
	}
	k.Name, k.Release, k.Source = r.nameFor(opened.Release), opened.Release, opened.Source
	cells := newCells(p, k.Name)
	q, err := prepare(p, opened, cells)
	if err != nil {
		return fail(err, cells)
	}
	if len(q.cells) == 0 { // each cell says why it is skipped
		r.options.Events.Opened(k, 0)
		return k, cells
	}
	q.init = r.options.Init
	maps.Copy(r.record.Environment.Versions, q.versions)
	r.requests[k.Name] = q
	if !p.VM.Counts() {
		r.options.Events.Opened(k, p.VM.Rounds)
		return k, cells
	}
	total := p.VM.Seeds * p.VM.Boots
	var first boot
	r.options.Events.Opened(k, total)
	for n := range total {
		q.profilePackets = 0
		if r.method == result.BySampling && n == 0 {
			q.profilePackets = profilePackets
		}
		b, err := q.bootOnce(ctx, int64(n%p.VM.Seeds)+1)
		k.QEMU = b.Command
		stored := result.KernelBoot{Seed: b.Seed, WallS: b.Wall.Seconds()}
		if err != nil {
			stored.Error = err.Error()
		}
		k.Boots = append(k.Boots, stored)
		if b.Booted.Release != "" {
			k.Release, k.Version, k.CommandLine = b.Booted.Release, b.Booted.Version, b.Booted.Cmdline
			k.Modules, k.ModulesRefused = b.Booted.Modules, b.Booted.Refused
		}
		if err != nil {
			return fail(err, cells)
		}
		if n == 0 {
			first = b
		}
		add(cells, b)
		r.options.Events.Booted(k, n+1, stored)
	}
	if err := r.attributeKernel(ctx, k.Name, q, cells, first); err != nil {
		return fail(err, cells)
	}
	return k, cells
}

// nameFor tells kernels of one release apart, in the order of the plan.
func (r *run) nameFor(release string) string {
	name := release
	for n := 2; ; n++ {
		taken := false
		for _, k := range r.record.Kernels {
			taken = taken || k.Name == name
		}
		if !taken {
			return name
		}
		name = fmt.Sprintf("%s#%d", release, n)
	}
}

// skipUnmeasured gives the cells of a kernel that failed the reason for which they have no figure.
func skipUnmeasured(cells []result.Cell, k result.Kernel) {
	for i, c := range cells {
		if c.Kernel == k.Name && c.InstructionsPerPacket == nil && c.ForwardingRate == nil && c.Skipped == "" {
			cells[i].Skipped = "the kernel was not measured: " + firstLine(k.Error)
		}
	}
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return strings.TrimSuffix(line, "; the last lines of its console:")
}

// newCells are the plan's cells for one kernel, not measured yet.
func newCells(p plan.Plan, kernel string) []result.Cell {
	if p.Tuning.On() {
		return tuningCells(p, kernel)
	}
	var cells []result.Cell
	for _, c := range p.Cells() {
		c.Variant = kernel
		cells = append(cells, result.Cell{
			ID: c.ID(), Scenario: c.Scenario, Backend: c.Backend, IPVersion: c.IPVersion, FrameSize: c.FrameSize, Flows: c.Flows,
			Directions: c.Directions, Variant: kernel, Kernel: kernel, Engine: "pktgen",
			Evidence: []string{}, Warnings: []result.Warning{}, Goals: []result.Goal{}, Setup: []string{},
		})
	}
	return cells
}
