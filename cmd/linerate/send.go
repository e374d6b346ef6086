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

	"github.com/linerate/linerate/generator"
	"github.com/linerate/linerate/internal/device"
	"github.com/linerate/linerate/internal/guard"
)

func sendCommand() *cobra.Command {
	var flags sendFlags
	cmd := &cobra.Command{
		Use:   "send --interface NAME",
		Short: "Send test frames out of one interface",
		Long: `Send numbered and stamped test frames out of one interface, with live rates.

Every frame carries the epoch, its flow and a sequence number, so that
` + "`linerate receive`" + ` at the other end tells loss, duplicates and reordering apart.
Frames that could not be offered in time are counted as unsent, never passed over.

RFC 6815 keeps benchmarks off networks in use. An interface that carries a default
route, an address outside 198.18.0.0/15 and 2001:2::/48 or an SSH session is
refused, and so are other destinations; the refusal names the flag that lifts it.

Engine auto is xdp where its frames arrive and afpacket elsewhere: on a veth, xdp needs
an XDP program or GRO at the peer. The engines:
` + engineLines(),
		Example: `  linerate send --interface eth1 --destination-mac 02:00:5e:10:00:02 --pps 100000
  linerate send --netns left --interface veth0 --pps max --duration 3s --frame-size imix`,
		Args: atMost(0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error {
			flags.sizeGiven = cmd.Flags().Changed("frame-size")
			order, err := flags.order()
			if err != nil {
				return &exitError{exitBadPlan, err}
			}
			ctx, stop := signal.NotifyContext(cmd.Context(), syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
			defer stop()
			return order.run(ctx, cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	flags.add(cmd.Flags())
	return cmd
}

// run checks that sending does no harm and can work, sends, and prints the summary.
func (o *sendOrder) run(ctx context.Context, stdout, stderr io.Writer) error {
	if err := needRoot("send frames"); err != nil {
		return err
	}
	summary := sendSummary{Interface: o.Interface, Netns: o.Netns, FrameSize: o.FrameSize, IPVersion: o.IPVersion, Flows: len(o.Flows), Epoch: o.Epoch}
	note := func(format string, a ...any) {
		text := fmt.Sprintf(format, a...)
		summary.Notes = append(summary.Notes, text)
		fmt.Fprintln(stderr, text)
	}
	if err := o.checkHarm(note); err != nil {
		return err
	}
	port, err := device.Find(o.Netns, o.Interface)
	if err != nil {
		return cannot(err)
	}
	if err := o.Sizes.Check(o.IPVersion, port.MTU); err != nil {
		return badArgument("send on %s: %w", o.Interface, err)
	}
	path, err := o.lookAhead(port, note)
	if err != nil {
		return err
	}
	g, err := openEngine(path.engine, generator.Config{
		Streams: []generator.Stream{{
			Port: o.Interface, Netns: o.Netns, Interface: o.Interface, Ifindex: port.Index,
			SourceMAC: port.HardwareAddr, DestinationMAC: path.mac, Flows: o.Flows,
		}},
		Sizes: o.Sizes, CPUs: o.CPUs,
	})
	if err != nil {
		return cannot(err)
	}
	summary.Engine, summary.DestinationMAC = g.Engine(), path.mac.String()
	if text := unmarked(path.engine); text != "" {
		note("%s", text)
	}
	fmt.Fprintf(stderr, "sending %s frames of %d flows on %s to %v with engine %s\n", o.FrameSize.Label(), len(o.Flows), o.Interface, path.mac, g.Engine())
	counts, err := sendLive(ctx, g, o, newLiveLine(stderr))
	if err = errors.Join(err, g.Close()); err != nil {
		return cannot(err)
	}
	summary.take(counts, o.Sizes, ctx.Err() != nil)
	if err := summary.print(stdout, o.JSON); err != nil {
		return err
	}
	if summary.Interrupted {
		return &exitError{exitInterrupted, errors.New("sending was interrupted; the summary counts what had been sent")}
	}
	return nil
}

// checkHarm refuses networks in use, and reports what was overridden.
func (o *sendOrder) checkHarm(note func(string, ...any)) error {
	reasons, err := guard.Check(o.Netns, o.Interface)
	if err != nil {
		return cannot(err)
	}
	reasons = append(reasons, guard.CheckDestination(o.Destination)...)
	overridden, err := guard.Permit(reasons, o.Overrides)
	if err != nil {
		return &exitError{exitBadPlan, err}
	}
	for _, r := range overridden {
		note("overridden by %s: %s", r.Override, r.Text)
	}
	return nil
}

// sendLive offers the load and prints a line every second.
func sendLive(ctx context.Context, g generator.Generator, o *sendOrder, line *liveLine) (generator.Counts, error) {
	type outcome struct {
		counts generator.Counts
		err    error
	}
	done := make(chan outcome, 1)
	begin := time.Now()
	go func() {
		counts, err := g.Send(ctx, generator.Load{PPS: o.PPS, Duration: o.Duration, Epoch: o.Epoch})
		done <- outcome{counts, err}
	}()
	look := time.NewTicker(lookInterval)
	defer look.Stop()
	rate := sendRate{pps: o.PPS, sizes: o.Sizes}
	for {
		select {
		case end := <-done:
			line.end()
			return end.counts, end.err
		case now := <-look.C:
			if text := rate.look(now.Sub(begin), g.Progress()[0].Sent); text != "" {
				line.show(text)
			}
		}
	}
}
