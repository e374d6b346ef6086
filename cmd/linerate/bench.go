package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/linerate/linerate/bench"
	"github.com/linerate/linerate/dut/journal"
	"github.com/linerate/linerate/internal/kernel"
	"github.com/linerate/linerate/plan"
	"github.com/linerate/linerate/result"
	"github.com/linerate/linerate/testbed/lab"
)

// defaultPlan is measured when none is named.
const defaultPlan = "baseline"

// runsFolder holds the runs that were given no --out.
const runsFolder = "runs"

// benchFlags are the flags of bench. What is measured is in the plan.
type benchFlags struct {
	set []string
	// fields are the assignments of flags that only set a field. They are not in set,
	// because the first --set replaces what is in it.
	fields      []string
	out, name   string
	dryRun      bool
	json, html  bool
	quiet       bool
	requirePPS  map[string]*packetRate
	commandLine []string
	// a, b and sweep vary the plan; comparing is set by the command ab.
	a, b      []string
	sweep     string
	comparing bool
	failIf    failIf
}

func benchCommand() *cobra.Command {
	f := benchFlags{requirePPS: map[string]*packetRate{"NDR": new(packetRate), "PDR": new(packetRate)}}
	cmd := &cobra.Command{
		Use:   "bench [PLAN]",
		Short: "Measure a plan in the lab and write a report",
		Long: `Measure a plan: a shipped one by name (default ` + defaultPlan + `), or a YAML file.

The lab is built of network namespaces, measured and removed again. Each cell, a
combination of scenario and traffic, is searched for its throughput: NDR, the load
without any loss, and PDR, the load with at most 0.5 % loss. Loads are per direction.

With --set testbed=sim a simulated device takes the place of the lab: no frame is
sent and no root is needed, to try out a plan or to see what a search makes of a
device that is known (fields sim.* of linerate plans --fields).

Scenarios, what the device under test is made to be:
` + scenarioList() + `
Ctrl-C ends the run: what was measured is kept and everything is undone.`,
		Example: `  sudo linerate bench
  sudo linerate bench linux-router --set traffic.flows=1,10000 --set traffic.directions=uni,bi
  sudo linerate bench mine.yaml --out runs/first --require-pdr 500k
  linerate bench linux-router --dry-run        the cells and the expected time
  sudo linerate bench --set scenarios=limit --set limit.pps=100000
  linerate bench --set testbed=sim --set sim.preset=knee   a simulation, in a moment`,
		Args:              atMost(1, "the name or file of one plan"),
		ValidArgsFunction: completePlan,
		RunE: func(cmd *cobra.Command, args []string) error {
			name := defaultPlan
			if len(args) > 0 {
				name = args[0]
			}
			f.commandLine = append([]string{"linerate"}, os.Args[1:]...)
			return f.run(name, cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	flags := cmd.Flags()
	flags.StringArrayVar(&f.set, "set", nil, "change a field of the plan: `FIELD=VALUE`, a list with commas; may be repeated (fields: linerate plans --fields)")
	flags.StringVar(&f.sweep, "sweep", "", "measure the plan once for each value of a field: `FIELD=VALUE,VALUE,...` (plan section sweep)")
	flags.StringVar(&f.out, "out", "", "`FOLDER` of the run (default "+runsFolder+"/TIME-PLAN-NAME)")
	flags.StringVar(&f.name, "name", "", "`NAME` of the run and of its namespaces (default six random digits)")
	flags.BoolVar(&f.dryRun, "dry-run", false, "print the cells and the expected time, and measure nothing; needs no root")
	flags.BoolVar(&f.json, "json", false, "print run.json on standard output at the end, instead of the summary")
	flags.BoolVar(&f.html, "html", true, "write report.html into the run's folder at the end")
	flags.BoolVarP(&f.quiet, "quiet", "q", false, "print one line for each cell while it runs")
	flags.Var(f.requirePPS["PDR"], "require-pdr", "exit with 1 if any cell has a PDR below `PPS` (500000, 500k, 1.2M); sets search.goals.PDR.require_pps")
	flags.Var(f.requirePPS["NDR"], "require-ndr", "exit with 1 if any cell has an NDR below `PPS`; sets search.goals.NDR.require_pps")
	flags.Var(fieldFlag{&f.fields, "capture.frames"}, "capture", "keep the first `N` frames of each port as pcapng in the run's folder; sets capture.frames")
	flags.Var(fieldFlag{&f.fields, "cost.enabled"}, "cost", "`true`: say which functions of the kernel the CPU time of a packet goes to, in a trial of its own for each cell; sets cost.enabled")
	flags.Lookup("cost").NoOptDefVal = "true"
	_ = cmd.RegisterFlagCompletionFunc("set", completeField)
	return cmd
}

// fieldFlag is a flag that only sets a field of the plan.
type fieldFlag struct {
	set   *[]string
	field string
}

func (f fieldFlag) String() string { return "" }
func (f fieldFlag) Type() string   { return "value" }

func (f fieldFlag) Set(value string) error {
	*f.set = append(*f.set, f.field+"="+value)
	return nil
}

// scenarioList is a line for each scenario, with its spellings.
func scenarioList() string {
	var b strings.Builder
	width := 0
	for _, s := range plan.Scenarios() {
		width = max(width, len(s.Name))
	}
	for _, s := range plan.Scenarios() {
		line := s.Description
		if len(s.Backends) > 1 {
			line += fmt.Sprintf("; %s-%s is the default", s.Name, s.Backends[0])
			for _, other := range s.Backends[1:] {
				line += fmt.Sprintf(", %s-%s", s.Name, other)
			}
		}
		for i, text := range wrapped(line, 76-width) {
			name := s.Name
			if i > 0 {
				name = ""
			}
			fmt.Fprintf(&b, "  %-*s %s\n", width, name, text)
		}
	}
	return b.String()
}

// run loads the plan, measures it and says what came out.
func (f *benchFlags) run(planName string, stdout, stderr io.Writer) error {
	p, err := loadPlan(planName, slices.Concat(f.set, f.fields))
	if err != nil {
		return err
	}
	if err := f.vary(&p); err != nil {
		return err
	}
	if err := require(&p, f.requirePPS); err != nil {
		return err
	}
	if err := checkName(f.name); err != nil {
		return err
	}
	if f.dryRun {
		return dryRun(stdout, p)
	}
	o := f.options(p)
	run, err := f.measure(o, stderr)
	failed := benchError(err, run, o)
	if run == nil {
		return failed
	}
	if err := f.conclude(run, o.Out, stdout, stderr); err != nil && failed == nil {
		return cannot(err)
	}
	if failed != nil {
		return failed
	}
	if err := nothingMeasured(run, o.Out); err != nil {
		return err
	}
	if err := checkAB(run); err != nil {
		return err
	}
	return checkRequired(run)
}

// loadPlan reads a plan and makes the assignments of --set. What is wrong with the
// plan, or with the name of it, is exit code 2.
func loadPlan(name string, assignments []string) (plan.Plan, error) {
	p, err := plan.Load(name)
	if err == nil && len(assignments) > 0 {
		err = p.Set(assignments)
	}
	return p, planError(err)
}

// planError gives an error of package plan its exit code; nil stays nil.
func planError(err error) error {
	var problems *plan.Problems
	switch {
	case err == nil:
		return nil
	case errors.As(err, &problems):
		return badArgument("the plan cannot be measured, it has %s:\n  %s",
			counted(len(*problems), "problem"), strings.ReplaceAll(problems.Error(), "\n", "\n  "))
	}
	return &exitError{exitBadPlan, err}
}

// runName keeps the device names of the lab within the kernel's 15 characters. A
// hyphen would let the name of one run be the start of another's.
var runName = regexp.MustCompile(`^[A-Za-z0-9_]{1,12}$`)

func checkName(name string) error {
	if name != "" && !runName.MatchString(name) {
		return badArgument("--name %q cannot name network devices: use 1 to 12 letters, digits or _", name)
	}
	return nil
}

func (f *benchFlags) options(p plan.Plan) bench.Options {
	o := bench.Options{
		Plan: p, Out: f.out, Name: f.name, Command: f.commandLine, JournalDir: journal.DefaultDir,
		Versions: map[string]string{"linerate": linerateVersion(), "go": runtime.Version()},
	}
	if o.Name == "" {
		o.Name = lab.NewID()
	}
	if o.Out == "" {
		o.Out = filepath.Join(runsFolder, time.Now().Format("20060102-150405")+"-"+fileName(p.Name)+"-"+o.Name)
	}
	return o
}

var notInFileNames = regexp.MustCompile(`[^A-Za-z0-9._-]+`)

// fileName is a plan's name as a part of a folder's.
func fileName(name string) string {
	return strings.Trim(notInFileNames.ReplaceAllString(name, "-"), "-.")
}

// measure runs the plan under a display of its progress, until it ends or a signal ends it.
func (f *benchFlags) measure(o bench.Options, stderr io.Writer) (*result.Run, error) {
	d := newDisplay(stderr, o, f.quiet)
	ctx, stop := onInterrupt(context.Background(), d)
	o.Events = d
	run, err := bench.Run(ctx, o)
	stop()
	d.Close()
	return run, err
}

// benchError gives an error of bench.Run its exit code and its advice; nil stays nil.
func benchError(err error, run *result.Run, o bench.Options) error {
	var missing *kernel.MissingError
	kept := ""
	switch {
	case run == nil:
	case len(run.Cells) > 0:
		kept = fmt.Sprintf("; %s measured until then, kept in %s", counted(len(run.Cells), "cell"), o.Out)
	default:
		kept = "; no cell was measured until then; the record is in " + o.Out
	}
	switch {
	case err == nil:
		return nil
	case errors.As(err, &missing):
		return cannot(missing)
	case run == nil && errors.Is(err, fs.ErrExist):
		return &exitError{exitBadPlan, err}
	case errors.Is(err, context.Canceled), run != nil && run.Outcome == result.Interrupted:
		return &exitError{exitInterrupted, fmt.Errorf("interrupted%s%s", kept, besidesCancelled(err))}
	}
	return cannot(fmt.Errorf("%w%s", err, kept))
}

// besidesCancelled is what went wrong besides the interruption, an undo for example; a line each.
func besidesCancelled(err error) string {
	text := ""
	for line := range strings.Lines(err.Error()) {
		if !strings.Contains(line, context.Canceled.Error()) {
			text += "\n  " + strings.TrimRight(line, "\n")
		}
	}
	return text
}
