// Command perf measures linerate itself: its sources against others, its pacing,
// its search and its observers against what is known to be true. A target that is
// missed is a result and no error.
//
//	go run ./perf                 the default lines
//	go run ./perf sources cost    some lines; "all" for every line
//	go run ./perf --json sources
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"strings"
	"syscall"

	"github.com/linerate/linerate/internal/kernel"
	"github.com/spf13/pflag"
)

func init() { runtime.LockOSThread() } // internal/netns asks for it

// Exit codes, as linerate's own.
const (
	exitMeasured    = 0
	exitBadArgument = 2
	exitCannot      = 3
	exitInterrupted = 4
)

func main() { os.Exit(execute(os.Args[1:], os.Stdout, os.Stderr)) }

func execute(args []string, stdout, stderr io.Writer) int {
	flags := pflag.NewFlagSet("perf", pflag.ContinueOnError)
	flags.SetOutput(stderr)
	asJSON := flags.Bool("json", false, "print JSON on standard output, at the end")
	short := flags.Bool("short", false, "fewer and shorter rounds: to see that it works, not to quote")
	seed := flags.Uint64("seed", 1, "`SEED` of the order within rounds")
	flags.Usage = func() { fmt.Fprint(stderr, usage(flags.FlagUsages())) }
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, pflag.ErrHelp) {
			return exitMeasured
		}
		fmt.Fprintln(stderr, "perf:", err)
		return exitBadArgument
	}
	chosen, err := choose(flags.Args())
	if err != nil {
		fmt.Fprintln(stderr, "perf:", err)
		return exitBadArgument
	}
	if err := kernel.Require(); err != nil {
		fmt.Fprintln(stderr, "perf:", err)
		return exitCannot
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	go func() {
		<-ctx.Done()
		stop() // a second signal ends the process at once
	}()
	s := &session{short: *short, seed: *seed, progress: stderr}
	d := newDocument(*seed, *short)
	failed := error(nil)
	for _, l := range chosen {
		t, err := s.measure(ctx, l)
		d.Lines = append(d.Lines, t)
		failed = errors.Join(failed, err)
		if !*asJSON {
			writeText(stdout, t)
		}
		if ctx.Err() != nil {
			break
		}
	}
	if *asJSON {
		if err := d.write(stdout); err != nil {
			failed = errors.Join(failed, err)
		}
	}
	switch {
	case ctx.Err() != nil:
		fmt.Fprintln(stderr, "perf: interrupted; what was set up is removed")
		return exitInterrupted
	case failed != nil:
		fmt.Fprintln(stderr, "perf:", failed)
		return exitCannot
	}
	return exitMeasured
}

func usage(flags string) string {
	var b strings.Builder
	b.WriteString("perf [NAME...]: measure linerate itself, as root.\n\n")
	for _, l := range lines() {
		mark := ""
		if l.byDefault {
			mark = " (default)"
		}
		fmt.Fprintf(&b, "  %-10s %s%s\n", l.name, l.brief, mark)
	}
	b.WriteString("  all       every line\n\n" + flags)
	return b.String()
}
