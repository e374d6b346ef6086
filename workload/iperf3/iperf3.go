// Package iperf3 is the workload iperf3: TCP or UDP streams between two processes of
// iperf3 (https://software.es.net/iperf/), read from its JSON.
package iperf3

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/linerate/linerate/plan"
	"github.com/linerate/linerate/result"
	"github.com/linerate/linerate/workload"
)

const (
	tool = "iperf3"
	port = 5201
	// slack is what connecting, starting streams and exchanging results may take on a busy machine.
	slack = 20 * time.Second
	// connectPatienceMS ends a client whose server cannot be reached through the DUT.
	connectPatienceMS = 5000
)

// Program runs iperf3.
type Program struct{}

// Tool is iperf3, of the package of that name.
func (Program) Tool() (name, packages string) { return tool, "iperf3" }

// Measure runs a server that serves once and a client.
func (Program) Measure(ctx context.Context, r workload.Request) (take workload.Take, err error) {
	settings := r.Plan.IPerf3
	pair := workload.Pair{
		Server: []string{tool, "-s", "-1", "-J", "-p", strconv.Itoa(port)},
		Client: clientArgs(settings, r), Protocol: "tcp", Port: port,
		Bound: time.Duration(settings.Seconds+settings.OmitSeconds)*time.Second + slack,
	}
	client, server, err := pair.Run(ctx, r.Ends)
	take.Client, take.Server = client, server
	if ctx.Err() != nil {
		return take, ctx.Err()
	}
	// With -J an error exits with 0 and stands in the JSON; the JSON says more than the exit code.
	report, parseErr := Parse(client.Stdout)
	switch {
	case parseErr != nil && err != nil && len(client.Stdout) == 0:
		return take, err
	case parseErr != nil:
		return take, errors.Join(parseErr, err)
	case err != nil:
		return take, err
	}
	take = report.Take
	take.Client, take.Server = client, server
	if err := addOtherEnd(&take, client.Stdout, server.Stdout); err != nil {
		take.Warnings = append(take.Warnings, result.Warning{Code: "one-end-only", Text: fmt.Sprintf("the figures are those that the client printed, whose totals of UDP are wrong where seconds are omitted, and the round trip of reverse streams is not known: %v", err)})
	}
	if len(take.Streams) == 0 || total(take) == 0 {
		return take, fmt.Errorf("iperf3: no payload arrived in %d s: the streams connect and nothing passes the DUT; `linerate doctor` and lab.end_offloads=off may help", settings.Seconds)
	}
	return take, nil
}

func total(t workload.Take) (bps float64) {
	for _, s := range t.Streams {
		bps += s.ReceiverL4BPS
	}
	return bps
}

func clientArgs(p plan.IPerf3, r workload.Request) []string {
	args := []string{tool, "-c", r.ServerAddress.String(), "-p", strconv.Itoa(port), "-J", "--connect-timeout", strconv.Itoa(connectPatienceMS),
		"-P", strconv.Itoa(r.Streams), "-t", strconv.Itoa(p.Seconds)}
	if p.OmitSeconds > 0 {
		args = append(args, "-O", strconv.Itoa(p.OmitSeconds))
	}
	if p.Protocol == "udp" {
		args = append(args, "-u")
	}
	if p.Protocol == "udp" || p.TargetL4BPS > 0 {
		args = append(args, "-b", strconv.FormatFloat(p.TargetL4BPS, 'f', 0, 64)) // 0 is unlimited
	}
	if p.PayloadBytes > 0 {
		args = append(args, "-l", strconv.Itoa(p.PayloadBytes))
	}
	if p.Congestion != "" && p.Protocol == "tcp" {
		args = append(args, "-C", p.Congestion)
	}
	switch {
	case p.Bidir:
		args = append(args, "--bidir")
	case p.Reverse:
		args = append(args, "-R")
	}
	return args
}
