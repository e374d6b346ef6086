// Package iperf is the workload iperf: UDP streams between two processes of iperf 2
// (https://sourceforge.net/projects/iperf2/), read from its comma-separated rows.
package iperf

import (
	"context"
	"fmt"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"github.com/linerate/linerate/plan"
	"github.com/linerate/linerate/workload"
)

const (
	tool = "iperf"
	port = 5001
	// slack is what starting the streams and the acknowledgements of their last datagrams
	// may take: the client sends the last one up to ten times (iperf 2.1.8, Client.cpp).
	slack = 20 * time.Second
	// unlimited is a target that no sender reaches: -b 0 is refused with -u (iperf 2.1.8).
	unlimited = "100g"
)

// Program runs iperf 2.
type Program struct{}

// Tool is iperf, of the package of that name.
func (Program) Tool() (name, packages string) { return tool, "iperf" }

// Measure runs a server that ends after its streams and a client.
func (Program) Measure(ctx context.Context, r workload.Request) (take workload.Take, err error) {
	p := r.Plan.IPerf
	family := []string{}
	if r.ServerAddress.Is6() {
		family = []string{"-V"}
	}
	pair := workload.Pair{
		Server:   append([]string{tool, "-s", "-u", "-y", "C", "-p", strconv.Itoa(port), "-P", strconv.Itoa(r.Streams)}, family...),
		Client:   append(clientArgs(p, r), family...),
		Protocol: "udp", Port: port, Bound: time.Duration(p.Seconds)*time.Second + slack,
	}
	client, server, err := pair.Run(ctx, r.Ends)
	take.Client, take.Server = client, server
	if err != nil {
		return take, err
	}
	report, err := Parse(client.Stdout, server.Stdout, p.PayloadBytes)
	if err != nil {
		return take, err
	}
	report.Take.Client, report.Take.Server = client, server
	report.Take.Program = version()
	for i := range report.Take.Streams {
		report.Take.Streams[i].Reverse = false // our client sends, whatever ports it was given
	}
	if got := len(report.Take.Streams); got != r.Streams {
		return report.Take, fmt.Errorf("iperf: the server reports %d of %d streams: the others did not reach it, or it was ended", got, r.Streams)
	}
	return report.Take, nil
}

func clientArgs(p plan.IPerf, r workload.Request) []string {
	target := unlimited
	if p.TargetL4BPS > 0 {
		target = strconv.FormatFloat(p.TargetL4BPS, 'f', 0, 64)
	}
	return []string{tool, "-c", r.ServerAddress.String(), "-u", "-y", "C", "-p", strconv.Itoa(port), "-P", strconv.Itoa(r.Streams),
		"-l", strconv.Itoa(p.PayloadBytes), "-b", target, "-t", strconv.Itoa(p.Seconds)}
}

// version is the first line of `iperf --version`, which iperf prints to its standard error.
func version() string {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	said, _ := exec.CommandContext(ctx, tool, "--version").CombinedOutput()
	line, _, _ := strings.Cut(strings.TrimSpace(string(said)), "\n")
	return line
}
