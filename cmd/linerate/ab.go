package main

import (
	"os"

	"github.com/spf13/cobra"

	"github.com/linerate/linerate/plan"
)

func abCommand() *cobra.Command {
	f := benchFlags{requirePPS: map[string]*packetRate{"NDR": new(packetRate), "PDR": new(packetRate)}}
	cmd := &cobra.Command{
		Use:   "ab [PLAN]",
		Short: "Compare two variants of a plan in adjacent pairs",
		Long: `Compare two variants of a plan: is B faster than A, is it equivalent, or can this
machine not tell? The plan is a shipped one by name (default ` + defaultPlan + `), or a YAML file.

A and B are measured in turn, ten pairs for each cell (ab.pairs), the DUT set up anew
for each half, and a coin decides which half comes first: a machine that drifts is then
no argument for either. Six more pairs (ab.aa_pairs) have A in both halves: what they
differ by is the noise floor. Nothing is left out as an outlier, and the number of pairs
is fixed before the start. Verdicts: changed, equivalent, inconclusive (with the number
of pairs that would be needed).`,
		Example: `  sudo linerate ab --a scenarios=route --b scenarios=conntrack-nft
  sudo linerate ab --b dut.sysctls.net.ipv4.ip_early_demux=0
  sudo linerate ab --a scenarios=snat-nft --b scenarios=snat-iptables --set ab.pairs=20
  linerate ab --b traffic.batch=16 --dry-run        what would be measured, and for how long`,
		Args:              atMost(1, "the name or file of one plan"),
		ValidArgsFunction: completePlan,
		RunE: func(cmd *cobra.Command, args []string) error {
			name := defaultPlan
			if len(args) > 0 {
				name = args[0]
			}
			f.commandLine = append([]string{"linerate"}, os.Args[1:]...)
			f.comparing = true
			return f.run(name, cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	flags := cmd.Flags()
	flags.StringArrayVarP(&f.a, "a", "a", nil, "change a field of the plan for side A: `FIELD=VALUE`; may be repeated (plan field ab.a)")
	flags.StringArrayVarP(&f.b, "b", "b", nil, "change a field of the plan for side B: `FIELD=VALUE`; may be repeated (plan field ab.b)")
	flags.StringArrayVar(&f.set, "set", nil, "change a field of the plan for both sides: `FIELD=VALUE`; may be repeated (fields: linerate plans --fields)")
	flags.StringVar(&f.out, "out", "", "`FOLDER` of the run (default "+runsFolder+"/TIME-PLAN-NAME)")
	flags.StringVar(&f.name, "name", "", "`NAME` of the run and of its namespaces (default six random digits)")
	flags.BoolVar(&f.dryRun, "dry-run", false, "print what would be compared and the expected time, and measure nothing; needs no root")
	flags.BoolVar(&f.json, "json", false, "print run.json on standard output at the end, instead of the summary")
	flags.BoolVar(&f.html, "html", true, "write report.html into the run's folder at the end")
	flags.BoolVarP(&f.quiet, "quiet", "q", false, "print one line for each measurement while it runs")
	f.failIf.register(cmd)
	for _, flag := range []string{"a", "b", "set"} {
		_ = cmd.RegisterFlagCompletionFunc(flag, completeField)
	}
	return cmd
}

// vary makes the plan what --a, --b and --sweep say.
func (f *benchFlags) vary(p *plan.Plan) error {
	p.AB.A, p.AB.B = append(p.AB.A, f.a...), append(p.AB.B, f.b...)
	if f.failIf != "" {
		p.AB.FailIf = string(f.failIf)
	}
	if f.sweep != "" {
		if err := p.Sweep.ParseSweep(f.sweep); err != nil {
			return badArgument("--sweep: %v", err)
		}
	}
	if f.comparing && !p.AB.On() {
		return badArgument("nothing to compare: say what a side changes, such as --b scenarios=conntrack-nft; for the noise floor alone give both sides the same")
	}
	return planError(p.Validate())
}
