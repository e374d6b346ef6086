package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"

	"github.com/linerate/linerate/frame"
	"github.com/linerate/linerate/internal/device"
	"github.com/linerate/linerate/sink"
)

// receiveFlags are the flags of `linerate receive`.
type receiveFlags struct {
	iface, netns  string
	flows         int
	epoch         uint16
	duration      time.Duration
	generic, json bool
}

func receiveCommand() *cobra.Command {
	var f receiveFlags
	cmd := &cobra.Command{
		Use:   "receive --interface NAME",
		Short: "Count test frames that arrive at one interface",
		Long: `Count the test frames of ` + "`linerate send`" + ` that arrive at one interface, with live rates.

Frames are counted and dropped by an XDP program; everything else passes on to the
system and is counted as foreign. Lost frames are gaps in the sequences of the
flows, so frames missing behind the last one that arrived are not among them.
Latencies hold only if the sender runs on the same machine and clock.

Without --duration it counts until Ctrl-C. The program is detached at the end.`,
		Example: `  linerate receive --netns right --interface veth1
  linerate receive --interface eth2 --flows 100000 --epoch 7 --duration 30s --json`,
		Args: atMost(0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := f.check(); err != nil {
				return &exitError{exitBadPlan, err}
			}
			ctx, stop := signal.NotifyContext(cmd.Context(), syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
			defer stop()
			return f.run(ctx, cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	s := cmd.Flags()
	s.StringVar(&f.iface, "interface", "", "the interface that frames arrive at")
	s.StringVar(&f.netns, "netns", "", "the named network namespace of the interface")
	s.IntVar(&f.flows, "flows", 1000, "number of flows that are told apart, as many as the sender has")
	s.Uint16Var(&f.epoch, "epoch", 1, "number that marks the frames to count; others are late")
	s.DurationVar(&f.duration, "duration", 0, "how long to count (default: until Ctrl-C)")
	s.BoolVar(&f.generic, "generic", false, "attach in generic mode, for drivers without XDP; slower")
	s.BoolVar(&f.json, "json", false, "print the summary as a JSON object")
	return cmd
}

// check returns all that is wrong with the flags at once.
func (f *receiveFlags) check() error {
	var wrong []error
	if f.iface == "" {
		wrong = append(wrong, errors.New("--interface is missing; name the interface that frames arrive at"))
	}
	if f.flows < 1 || f.flows > frame.MaxFlows {
		wrong = append(wrong, fmt.Errorf("--flows %d: there are 1 to %d flows", f.flows, frame.MaxFlows))
	}
	if f.duration < 0 {
		wrong = append(wrong, fmt.Errorf("--duration %v: give a time above 0 s, or none to count until Ctrl-C", f.duration))
	}
	return errors.Join(wrong...)
}

func (f *receiveFlags) run(ctx context.Context, stdout, stderr io.Writer) error {
	if err := needRoot("receive frames"); err != nil {
		return err
	}
	s, err := f.open()
	if err != nil {
		return cannot(err)
	}
	fmt.Fprintf(stderr, "receiving frames of epoch %d on %s\n", f.epoch, f.iface)
	err = f.live(ctx, s, newLiveLine(stderr))
	summary := receiveSummary{Interface: f.iface, Netns: f.netns, Epoch: f.epoch, Flows: f.flows, Interrupted: ctx.Err() != nil}
	err = errors.Join(err, summary.take(s), s.Close())
	if err != nil {
		return cannot(err)
	}
	if err := summary.print(stdout, f.json); err != nil {
		return err
	}
	if summary.Interrupted {
		return &exitError{exitInterrupted, errors.New("receiving was interrupted; the summary counts what had arrived")}
	}
	return nil
}

func (f *receiveFlags) open() (*sink.Sink, error) {
	port, err := device.Find(f.netns, f.iface)
	if err != nil {
		return nil, err
	}
	s, err := sink.Open(sink.Config{Port: f.iface, Netns: f.netns, Interface: f.iface, Ifindex: port.Index, Flows: f.flows, Generic: f.generic})
	if err != nil {
		if !f.generic && (errors.Is(err, unix.EOPNOTSUPP) || errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ERANGE)) {
			return nil, fmt.Errorf("%w; the driver may lack XDP or not carry it at this MTU: try --generic", err)
		}
		return nil, err
	}
	if err := s.Arm(f.epoch); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// live prints a line every second until the time is over or ctx ends.
func (f *receiveFlags) live(ctx context.Context, s *sink.Sink, line *liveLine) error {
	defer line.end()
	tick := time.NewTicker(lineInterval)
	defer tick.Stop()
	var over <-chan time.Time
	if f.duration > 0 {
		over = time.After(f.duration)
	}
	begin := time.Now()
	shown, shownReceived := begin, uint64(0)
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-over:
			return nil
		case now := <-tick.C:
			c, err := s.Collect()
			if err != nil {
				return err
			}
			h, err := s.Latency()
			if err != nil {
				return err
			}
			pps := float64(c.Received-shownReceived) / now.Sub(shown).Seconds()
			shown, shownReceived = now, c.Received
			line.show(receiveLine(now.Sub(begin), pps, c, missing(s, f.epoch), h))
		}
	}
}
