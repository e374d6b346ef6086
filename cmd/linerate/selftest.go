package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/linerate/linerate/dut/journal"
	"github.com/linerate/linerate/selftest"
)

// selftestFlags are the flags of selftest.
type selftestFlags struct {
	only       []string
	out        string
	list, json bool
}

func selftestCommand() *cobra.Command {
	var f selftestFlags
	c := &cobra.Command{
		Use:   "selftest",
		Short: "Check the instrument against truths that are planted, in two minutes",
		Long: `Selftest mis-sets the DUT or the tester on purpose, measures, and compares what
linerate finds with what was planted: known limits, losses, duplicates, reordering
and delay; a slow generator, a slow sink, and programs that disturb the DUT's CPU.

It needs root and no network card. It exits with 0 if everything was found, with 1
if the instrument is off, and with 3 if this machine can make none of the checks.
A check that this machine cannot make is skipped, and says why.`,
		Example: `  sudo linerate selftest
  sudo linerate selftest --only loss,reordering
  sudo linerate selftest --json | jq '.checks[] | select(.status != "ok")'`,
		Args: atMost(0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error {
			screen := newSelftestScreen(cmd.OutOrStdout(), cmd.ErrOrStderr(), f.json)
			if f.list {
				return screen.list(selftest.Checks())
			}
			return f.run(screen)
		},
	}
	c.Flags().StringSliceVar(&f.only, "only", nil, "make the checks of these `NAMES` only, joined by commas (see --list)")
	c.Flags().BoolVar(&f.list, "list", false, "list the checks, and make none")
	c.Flags().StringVar(&f.out, "out", "", "keep the runs of the checks that search in this `FOLDER`, for linerate report")
	c.Flags().BoolVar(&f.json, "json", false, "print the outcome as JSON")
	_ = c.RegisterFlagCompletionFunc("only", completeCheck)
	c.AddCommand(hogCommand())
	return c
}

func completeCheck(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	var names []string
	for _, c := range selftest.Checks() {
		names = append(names, c.Name+"\t"+c.Plants)
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

// run makes the checks and says how they came out.
func (f *selftestFlags) run(screen *selftestScreen) error {
	if _, err := selftest.Select(f.only); err != nil {
		return badArgument("selftest: %w", err)
	}
	if os.Geteuid() != 0 {
		return cannot(errors.New("selftest: only root can make network namespaces and load BPF programs; run `sudo linerate selftest`"))
	}
	self, err := os.Executable()
	if err != nil {
		return cannot(fmt.Errorf("selftest: find this program, to run it as a disturbance: %w", err))
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	screen.begin()
	report, err := selftest.Run(ctx, selftest.Options{
		Only: f.only, Out: f.out, JournalDir: journal.DefaultDir, Hog: []string{self, "selftest", "hog"}, Began: screen.began, Ended: screen.ended,
	})
	printed := screen.end(report)
	switch {
	case ctx.Err() != nil:
		return &exitError{exitInterrupted, fmt.Errorf("selftest: interrupted after %s; everything is undone", counted(len(report.Checks), "check"))}
	case err != nil:
		return cannot(fmt.Errorf("selftest: %w", err))
	case printed != nil:
		return cannot(printed)
	case report.Count(selftest.Off) > 0:
		return &exitError{exitThresholdMissed, fmt.Errorf("selftest: %s off: do not trust figures of this machine before you know why", counted(report.Count(selftest.Off), "check"))}
	case report.Count(selftest.OK) == 0:
		return cannot(errors.New("selftest: every check was skipped; `linerate doctor` tells what this machine lacks"))
	}
	return nil
}

// hogCommand is what a check runs in another process.
func hogCommand() *cobra.Command {
	var o selftest.HogOptions
	c := &cobra.Command{
		Use:    "hog",
		Short:  "Keep a CPU busy until killed",
		Hidden: true,
		Args:   atMost(0, ""),
		RunE:   func(*cobra.Command, []string) error { return cannot(selftest.Hog(o)) },
	}
	c.Flags().IntVar(&o.CPU, "cpu", 0, "the CPU")
	c.Flags().IntVar(&o.Priority, "priority", 0, "priority of SCHED_FIFO, 0 for none")
	c.Flags().DurationVar(&o.Busy, "busy", time.Second, "how long it is busy")
	c.Flags().DurationVar(&o.Idle, "idle", 0, "how long it rests then")
	return c
}
