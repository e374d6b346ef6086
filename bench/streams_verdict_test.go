package bench

import (
	"strings"
	"testing"
	"time"

	"github.com/linerate/linerate/plan"
	"github.com/linerate/linerate/result"
)

// streamCell is a cell of one stream on four CPUs: DUT 3, client 0 and 1, server 2.
func streamCell(totalGbit, directGbit, dut, client, server float64) result.Cell {
	c := result.Cell{Scenario: "route", CPU: &result.CPU{PerCore: []result.Core{
		{CPU: 0, Role: clientRole, Idle: 1 - client}, {CPU: 1, Role: clientRole, Idle: 1}, {CPU: 2, Role: serverRole, Idle: 1 - server}, {CPU: 3, Role: dutRole, Idle: 1 - dut},
	}}}
	c.Workload = "iperf3-tcp"
	c.Streams = []result.Stream{{ReceiverL4BPS: totalGbit * 1e9}}
	c.AddUp()
	c.DirectL4BPS = directGbit * 1e9
	c.Ends = &result.EndHosts{ClientCPUs: []int{0, 1}, ServerCPUs: []int{2}, ClientCoresBusy: client, ServerCoresBusy: server, Threads: 1}
	return c
}

func TestVerdictOnStreams(t *testing.T) {
	edit := func(c result.Cell, change func(*result.Cell)) result.Cell {
		change(&c)
		return c
	}
	for _, tt := range []struct {
		name     string
		cell     result.Cell
		want     result.Verdict
		evidence string
	}{
		{"a direct link is slower, as with two cables in place of two routers", streamCell(0.111, 0.104, 0.5, 0.9, 0.9), result.GeneratorBound, "the end hosts are the limit and not the DUT: the same streams over a direct link"},
		{"the same with a saturated DUT: it carries as much as the ends can", streamCell(10, 10.4, 1, 0.9, 0.9), result.GeneratorBound, "the end hosts are the limit"},
		{"the client is saturated", streamCell(5, 9, 0.6, 0.99, 0.5), result.GeneratorBound, "CPU 0 of the client was 99 % busy"},
		{"the server is saturated", streamCell(5, 9, 0.6, 0.5, 0.99), result.ReceiverBound, "CPU 2 of the server was 99 % busy"},
		{"the client of a reverse test receives", edit(streamCell(5, 9, 0.6, 0.99, 0.5), func(c *result.Cell) { c.Workload = "iperf3-tcp-reverse" }), result.ReceiverBound, "the end hosts"},
		{"one thread on two CPUs by turns", edit(streamCell(5, 9, 0.6, 0.5, 0.5), func(c *result.Cell) { c.Ends.ClientCoresBusy = 0.98 }), result.GeneratorBound, "the client's process took 0.98 of the 1 cores"},
		{"the DUT is saturated", streamCell(3, 9, 0.99, 0.4, 0.4), result.DUTBound, "the DUT is the limit: the DUT's busiest CPU 3 was 99 % busy"},
		{"both are, and the ends can do more", streamCell(3, 9, 0.99, 0.99, 0.4), result.DUTBound, "the DUT is the limit"},
		{"both are, and nobody knows what the ends can do", streamCell(3, 0, 0.99, 0.99, 0.4), result.Undefined, "both had no CPU time left"},
		{"nobody is, and a direct link is faster", streamCell(3, 9, 0.3, 0.3, 0.3), result.DUTBound, "queues or the latency of the DUT"},
		{"nobody is, and that is all", streamCell(3, 0, 0.3, 0.3, 0.3), result.Unstable, "is not known"},
		{"a DUT that polls beside saturated ends", edit(streamCell(3, 9, 1, 0.99, 0.3), func(c *result.Cell) { c.CPU.PerCore[3].User = 0.9 }), result.GeneratorBound, "the DUT polls on CPU 3"},
		{"no DUT", edit(streamCell(9, 9, 0, 0.99, 0.3), func(c *result.Cell) { c.Scenario = plan.NoDUT }), result.GeneratorBound, "there is no DUT"},
		{"all on one CPU", edit(streamCell(3, 9, 1, 0, 0), func(c *result.Cell) { c.CPU.PerCore = []result.Core{{CPU: 0, Role: "dut+client+server"}} }), result.Undefined, "share a CPU"},
	} {
		verdict, evidence := judgeStreams(tt.cell)
		if verdict != tt.want || len(evidence) == 0 || !strings.Contains(strings.Join(evidence, "\n"), tt.evidence) {
			t.Errorf("%s: %s, %q; want %s with %q", tt.name, verdict, evidence, tt.want, tt.evidence)
		}
	}
}

func TestDisturbedTake(t *testing.T) {
	core := func(change func(*result.Core)) *result.CPU {
		c := result.Core{CPU: 1, Role: serverRole}
		change(&c)
		return &result.CPU{PerCore: []result.Core{c}}
	}
	for name, tt := range map[string]struct {
		cpu  *result.CPU
		want string
	}{
		"sound":               {core(func(c *result.Core) { c.Steal, c.Foreign = 0.01, 0.01 }), ""},
		"stolen":              {core(func(c *result.Core) { c.Steal = 0.05 }), "the hypervisor took 5 % of CPU 1 (server) away"},
		"foreign":             {core(func(c *result.Core) { c.Foreign, c.ForeignName = 0.05, "cc1 (process 7)" }), "other programs took 5 % of CPU 1 (server), most of it cc1 (process 7)"},
		"a DUT in user space": {core(func(c *result.Core) { c.Foreign, c.Role = 1, dutRole }), ""},
	} {
		if got := streamsDisturbed(tt.cpu, 2*time.Second); got != tt.want {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
}
