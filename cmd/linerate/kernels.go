package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/linerate/linerate/kernels"
	"github.com/linerate/linerate/result"
	"github.com/linerate/linerate/testbed/lab"
)

// defaultKernelsPlan is what `linerate kernels` starts from.
const defaultKernelsPlan = "kernels"

// exitUntestable tells `git bisect run` to skip a commit.
const exitUntestable = 125

// kernelsFlags are the flags of kernels. What is measured is in the plan.
type kernelsFlags struct {
	plan, out, name, cache string
	set, fields            []string
	json, html             bool
	failAbove              ratioFlag
	baseline               string
	commandLine            []string
}

func kernelsCommand() *cobra.Command {
	f := kernelsFlags{}
	cmd := &cobra.Command{
		Use:   "kernels [KERNEL...]",
		Short: "Compare kernels by the instructions that a forwarded packet costs",
		Long: `Compare kernels: each is booted in QEMU, with linerate as its first process, and
forwards packets in a lab inside. The virtual machine executes one instruction in each
nanosecond of its own time, so that its clock counts instructions: the figures repeat to
the last digit, on a laptop and on a busy machine, and need neither root nor KVM.

A KERNEL is a package (linux-image-6.1.0-50-cloud-amd64), fetched by apt and kept in
the user's cache; the path or URL of a .deb or .rpm, with those of its modules after
commas if they are not beside it; an image with its modules, bzImage,MODULES; or host. Without
one, the kernels of the plan are compared. The same kernel twice shows the scatter.

An instruction count says what code is executed, not how fast: there is no cache, no
memory bandwidth and no interrupt coalescing in it.

Exit codes for git bisect run, with --fail-above: 0 no cell became dearer, 1 one did,
125 the kernel could not be measured.`,
		Example: `  linerate kernels                      the kernels of the shipped plan
  linerate kernels linux-image-6.1.0-54-cloud-amd64 linux-image-6.1.0-55-cloud-amd64
  linerate kernels arch/x86/boot/bzImage,modules --scenarios none,route --flows 1
  linerate kernels linux-image-6.1.0-52-cloud-amd64 --baseline runs/good --fail-above 0.5%`,
		RunE: func(cmd *cobra.Command, args []string) error {
			f.commandLine = append([]string{"linerate"}, os.Args[1:]...)
			err := f.run(args, cmd.OutOrStdout(), cmd.ErrOrStderr())
			var exit *exitError
			if f.failAbove > 0 && errors.As(err, &exit) && exit.code == exitCannot {
				exit.code = exitUntestable
			}
			return err
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.plan, "plan", defaultKernelsPlan, "shipped `PLAN` or YAML file to start from")
	flags.StringArrayVar(&f.set, "set", nil, "change a field of the plan: `FIELD=VALUE`; may be repeated (fields: linerate plans --fields)")
	flags.Var(fieldFlag{&f.fields, "scenarios"}, "scenarios", "`LIST` of none, route, conntrack-nft, conntrack-iptables, snat-nft, snat-iptables, bridge; sets scenarios")
	flags.Var(fieldFlag{&f.fields, "traffic.flows"}, "flows", "`LIST` of numbers of flows; sets traffic.flows")
	flags.Var(fieldFlag{&f.fields, "vm.seeds"}, "seeds", "boot each kernel with seeds 1 to `N`; sets vm.seeds")
	flags.Var(fieldFlag{&f.fields, "vm.boots"}, "boots", "boot `N` times with each seed; sets vm.boots")
	flags.Var(fieldFlag{&f.fields, "vm.attribute"}, "attribute", "`true`: say in which functions of the kernel the instructions are; sets vm.attribute")
	flags.Lookup("attribute").NoOptDefVal = "true"
	flags.Var(fieldFlag{&f.fields, "vm.metric"}, "metric", "`METRIC`: instructions, rate or both; sets vm.metric")
	flags.Var(fieldFlag{&f.fields, "vm.accelerator"}, "accelerator", "`WORD` for what executes guests whose rates are measured: auto, kvm or tcg; sets vm.accelerator")
	flags.Var(fieldFlag{&f.fields, "vm.rounds"}, "rounds", "measure rates in `N` rounds; sets vm.rounds")
	flags.StringVar(&f.out, "out", "", "`FOLDER` of the run (default "+runsFolder+"/TIME-PLAN-NAME)")
	flags.StringVar(&f.name, "name", "", "`NAME` of the run (default six random digits)")
	flags.StringVar(&f.cache, "cache", "", "`FOLDER` for packages of kernels (default linerate/kernels in the user's cache)")
	flags.BoolVar(&f.json, "json", false, "print run.json on standard output at the end, instead of the summary")
	flags.BoolVar(&f.html, "html", true, "write report.html into the run's folder at the end")
	flags.Var(&f.failAbove, "fail-above", "exit with 1 if a cell with a DUT costs more than `SHARE` (1%) more than in the baseline; 125 if it could not be measured")
	flags.StringVar(&f.baseline, "baseline", "", "`FOLDER` of a run of kernels, whose first kernel --fail-above compares with (default: the first kernel of this run)")
	return cmd
}

// ratioFlag is a flag's value as a share: "1%" or "0.01".
type ratioFlag float64

func (r *ratioFlag) String() string { return "" }

// Type names the value in --help.
func (r *ratioFlag) Type() string { return "share" }

// Set reads a flag.
func (r *ratioFlag) Set(text string) error {
	number, percent := strings.CutSuffix(text, "%")
	v, err := strconv.ParseFloat(number, 64)
	if percent {
		v /= 100
	}
	if err != nil || !(v > 0 && v < 1) {
		return fmt.Errorf("%q is not a share above 0 and below 1; write 1%% or 0.01", text)
	}
	*r = ratioFlag(v)
	return nil
}

// run compares the kernels and says what came out.
func (f *kernelsFlags) run(asked []string, stdout, stderr io.Writer) error {
	o, err := f.options(asked)
	if err != nil {
		return err
	}
	reference, err := f.openBaseline()
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	o.Events = kernelLines{stderr}
	run, err := kernels.Run(ctx, o)
	if run == nil {
		if errors.Is(err, fs.ErrExist) {
			return &exitError{exitBadPlan, err}
		}
		return cannot(err)
	}
	shown := (&benchFlags{json: f.json, html: f.html}).conclude(run, o.Out, stdout, stderr)
	switch {
	case errors.Is(err, context.Canceled):
		return &exitError{exitInterrupted, fmt.Errorf("interrupted; what was measured is kept in %s", o.Out)}
	case err != nil:
		return cannot(err)
	case shown != nil:
		return cannot(shown)
	}
	if err := notMeasured(run); err != nil {
		return cannot(err)
	}
	return f.judge(run, reference, stderr)
}

// options are those of the plan and the flags.
func (f *kernelsFlags) options(asked []string) (kernels.Options, error) {
	p, err := loadPlan(f.plan, nil)
	if err != nil {
		return kernels.Options{}, err
	}
	p.Testbed = "vm"
	if len(asked) > 0 {
		p.Kernels = asked
	}
	if err := p.Set(append(f.fields, f.set...)); err != nil {
		return kernels.Options{}, planError(err)
	}
	o := kernels.Options{
		Plan: p, Out: f.out, Name: f.name, Command: f.commandLine, Cache: f.cache,
		Versions: map[string]string{"linerate": linerateVersion(), "go": runtime.Version()},
	}
	if o.Name == "" {
		o.Name = lab.NewID()
	}
	if o.Out == "" {
		o.Out = filepath.Join(runsFolder, time.Now().Format("20060102-150405")+"-"+fileName(p.Name)+"-"+o.Name)
	}
	if o.Cache == "" {
		if o.Cache, err = kernels.DefaultCache(); err != nil {
			return o, cannot(fmt.Errorf("find the folder for packages of kernels: %w; name one with --cache", err))
		}
	}
	if o.Init, err = os.Executable(); err != nil {
		return o, cannot(fmt.Errorf("find linerate's own program for the guest: %w", err))
	}
	return o, nil
}

// openBaseline reads the run of --baseline; nil without one.
func (f *kernelsFlags) openBaseline() (*result.Run, error) {
	switch {
	case f.baseline == "":
		return nil, nil
	case f.failAbove == 0:
		return nil, badArgument("--baseline says what to compare with, and --fail-above by how much a cell may be dearer: give both")
	}
	run, _, err := openRun(f.baseline)
	if err == nil && len(run.Kernels) == 0 {
		err = badArgument("--baseline %s is no run of kernels: make one with `linerate kernels`", f.baseline)
	}
	return run, err
}

// notMeasured is an error that names what was not measured.
func notMeasured(run *result.Run) error {
	var lines []string
	for _, k := range run.Kernels {
		if k.Error != "" {
			lines = append(lines, k.Error)
		}
	}
	for _, c := range run.Cells {
		if failed(run, c.Kernel) {
			continue
		}
		if c.Skipped != "" {
			lines = append(lines, c.ID+": "+c.Skipped)
		} else if c.ForwardingRate != nil && c.ForwardingRate.Failure != "" {
			lines = append(lines, c.ID+": no rate: "+c.ForwardingRate.Failure)
		}
	}
	if len(lines) == 0 {
		return nil
	}
	return fmt.Errorf("not everything was measured:\n  %s", strings.Join(lines, "\n  "))
}

func failed(run *result.Run, kernel string) bool {
	for _, k := range run.Kernels {
		if k.Name == kernel {
			return k.Error != ""
		}
	}
	return false
}

// judge is an error of exit code 1 if a cell became dearer than --fail-above allows.
func (f *kernelsFlags) judge(run, reference *result.Run, stderr io.Writer) error {
	if f.failAbove == 0 {
		return nil
	}
	pairs := run.KernelPairs
	margin := float64(run.Plan.VM.Margin)
	first := run.Kernels[0].Name
	if reference != nil {
		first = reference.Kernels[0].Name
		pairs = kernels.CompareWith(reference.Cells, first, run.Cells, margin)
	}
	var dearer []string
	compared := 0
	for _, p := range pairs {
		if p.A != first || strings.HasPrefix(p.CellB, "none/") {
			continue
		}
		compared++
		line := fmt.Sprintf("%s: %+.0f instructions per packet (%+.2f %%) beside %s, %s", p.CellB, p.ChangeInstructions, 100*p.ChangeRatio, p.A, p.Verdict)
		fmt.Fprintln(stderr, line)
		if p.ChangeRatio > float64(f.failAbove) {
			dearer = append(dearer, line)
		}
	}
	switch {
	case compared == 0:
		return cannot(errors.New("--fail-above: no cell has a figure on both sides: measure the same scenarios and flows as the baseline, or two kernels"))
	case len(dearer) > 0:
		return &exitError{exitThresholdMissed, fmt.Errorf("--fail-above %g %%: dearer than that:\n  %s", 100*float64(f.failAbove), strings.Join(dearer, "\n  "))}
	}
	return nil
}

// kernelLines prints a line for each event.
type kernelLines struct{ w io.Writer }

// Opened names the kernel.
func (l kernelLines) Opened(k result.Kernel, boots int) {
	fmt.Fprintf(l.w, "%s: %s, from %s\n", k.Name, counted(boots, "boot"), k.Source)
}

// Booted says how long it took.
func (l kernelLines) Booted(k result.Kernel, n int, b result.KernelBoot) {
	fmt.Fprintf(l.w, "%s: boot %d, seed %d: %.0f s\n", k.Name, n, b.Seed, b.WallS)
}

// Round says how far it is.
func (l kernelLines) Round(n, rounds int) { fmt.Fprintf(l.w, "rates: round %d of %d\n", n, rounds) }

// Counted says how long it took.
func (l kernelLines) Counted(kernel string, wall time.Duration) {
	fmt.Fprintf(l.w, "%s: one boot more to count each instruction: %.0f s\n", kernel, wall.Seconds())
}

// Doubt says what it is.
func (l kernelLines) Doubt(w result.Warning) { fmt.Fprintf(l.w, "warning: %s\n", w.Text) }

// Failed says why.
func (l kernelLines) Failed(k result.Kernel) { fmt.Fprintf(l.w, "%s: %s\n", k.Name, k.Error) }
