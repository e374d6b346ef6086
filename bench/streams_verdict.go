package bench

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/linerate/linerate/plan"
	"github.com/linerate/linerate/result"
)

// Limits of the verdict on streams.
const (
	// noFaster: a direct link that carries at most so many times what passes the DUT is no
	// faster than the DUT; two runs of the same streams differ by as much.
	noFaster = 1.05
	// busyEnd is the share of its CPU time above which an end has none left. It is lower than
	// the DUT's, because a program also waits for its peer.
	busyEnd = 0.95
	// polling is the share of user time on the DUT's CPU above which the DUT is a process that
	// polls: the kernel's forwarding has none.
	polling = 0.5
	// streamTakenS is the least time taken by others that /proc/stat can tell, as for trials.
	streamTakenS = 0.025
	// streamTaken is the share of a CPU that others may take of a take.
	streamTaken = 0.02
)

// streamsDisturbed says why a take tells nothing about the DUT; empty if it is sound.
func streamsDisturbed(c *result.CPU, lived time.Duration) string {
	for _, core := range c.PerCore {
		long := func(share float64) bool { return share > streamTaken && share*lived.Seconds() > streamTakenS }
		if long(core.Steal) {
			return fmt.Sprintf("the hypervisor took %.0f %% of CPU %d (%s) away", 100*core.Steal, core.CPU, core.Role)
		}
		if long(core.Foreign) && core.Role != dutRole { // a DUT in user space is a process too
			return fmt.Sprintf("other programs took %.0f %% of CPU %d (%s), most of it %s", 100*core.Foreign, core.CPU, core.Role, core.ForeignName)
		}
	}
	return ""
}

// relate writes what only shows among several cells: the direct link's total, the ratio
// to the base scenario, and the verdict, into all cells that there are.
func (s *streams) relate() {
	cells := s.record.Cells
	totals := map[string]float64{}
	for _, c := range cells {
		if c.Scenario == plan.NoDUT && len(c.Streams) > 0 {
			s.direct[shapeOfResult(c)] = c.TotalReceiverL4BPS
		}
		totals[c.ID] = c.TotalReceiverL4BPS
	}
	base := s.options.Plan.BaseScenario
	for i := range cells {
		c := &cells[i]
		if len(c.Streams) == 0 {
			continue
		}
		c.DirectL4BPS = s.direct[shapeOfResult(*c)]
		if base != "" {
			of := plan.Cell{Scenario: base.Name(), Backend: base.Backend(), IPVersion: c.IPVersion, Workload: c.Workload, Flows: c.Flows}
			if total := totals[of.ID()]; total > 0 {
				c.BaseRatio = c.TotalReceiverL4BPS / total
			}
		}
		c.Verdict, c.Evidence = judgeStreams(*c)
	}
}

func shapeOfResult(c result.Cell) streamShape { return streamShape{c.IPVersion, c.Workload, c.Flows} }

// dutCores is how many cores the DUT kept busy: all time of the CPUs that are its alone,
// because its work is done in threads, in soft interrupts or in a process. Where it shares
// its CPUs with an end, it is the time of its threads, which the watch has measured.
func dutCores(scenario string, c *result.CPU) (cores float64) {
	alone := false
	for _, core := range c.PerCore {
		if core.Role == dutRole {
			alone = true
			cores += max(0, 1-core.Idle-core.Steal)
		}
	}
	switch {
	case scenario == plan.NoDUT:
		return 0
	case !alone:
		return c.DUTCoresBusy
	}
	return cores
}

// busiestOf is the busy share of the busiest CPU of a role, and its number.
func busiestOf(c result.Cell, role string) (share float64, cpu int) {
	for _, core := range c.CPU.PerCore {
		if slices.Contains(strings.Split(core.Role, "+"), role) && 1-core.Idle >= share {
			share, cpu = 1-core.Idle, core.CPU
		}
	}
	return share, cpu
}

func userShare(c result.Cell, cpu int) float64 {
	for _, core := range c.CPU.PerCore {
		if core.CPU == cpu {
			return core.User
		}
	}
	return 0
}

// endState is whether an end has CPU time left.
type endState struct {
	name      string
	saturated bool
	text      string
}

// stateOf looks at the CPUs of an end, and at its process: one that moves all data in one
// thread has no more than one CPU, however many it may use.
func stateOf(c result.Cell, role string, coresBusy float64, cpus []int) endState {
	s := endState{name: role}
	share, cpu := busiestOf(c, role)
	most := float64(min(max(1, c.Ends.Threads), len(cpus)))
	switch {
	case share >= busyEnd:
		s.saturated = true
		s.text = fmt.Sprintf("CPU %d of the %s was %.0f %% busy", cpu, role, 100*share)
	case coresBusy >= busyEnd*most:
		s.saturated = true
		s.text = fmt.Sprintf("the %s's process took %.2f of the %.0f cores that its threads can use", role, coresBusy, most)
	default:
		s.text = fmt.Sprintf("the %s's busiest CPU was %.0f %% busy", role, 100*share)
	}
	return s
}

// judgeStreams says what bounded the streams of a cell: the DUT, or the two end hosts. The
// end hosts did if a direct link between them is no faster, or if they had no CPU time
// left while the DUT had.
func judgeStreams(c result.Cell) (result.Verdict, []string) {
	if c.CPU == nil || c.Ends == nil {
		return result.Undefined, []string{"no CPU times were taken"}
	}
	client, server := stateOf(c, clientRole, c.Ends.ClientCoresBusy, c.Ends.ClientCPUs), stateOf(c, serverRole, c.Ends.ServerCoresBusy, c.Ends.ServerCPUs)
	endBound := result.GeneratorBound
	receiver := server
	if strings.HasSuffix(c.Workload, "-reverse") {
		receiver = client
	}
	if receiver.saturated && !(client.saturated && server.saturated) {
		endBound = result.ReceiverBound
	}
	endsText := client.text + ", " + server.text
	if slices.Equal(c.Ends.ClientCPUs, c.Ends.ServerCPUs) {
		endsText = strings.ReplaceAll(client.text, "of the client", "of client and server")
	}
	if c.Scenario == plan.NoDUT {
		return endBound, []string{"there is no DUT: this is what the end hosts carry between them", endsText}
	}
	dutShare, dutCPU := busiestOf(c, dutRole)
	polls := userShare(c, dutCPU) > polling || slices.ContainsFunc(c.Warnings, func(w result.Warning) bool { return w.Code == busyPolling })
	dutSaturated := dutShare >= saturated && !polls
	dutText := fmt.Sprintf("the DUT's busiest CPU %d was %.0f %% busy", dutCPU, 100*dutShare)
	if polls {
		dutText = fmt.Sprintf("the DUT polls on CPU %d, so that its CPU time tells nothing", dutCPU)
	}
	times := ""
	if c.DirectL4BPS > 0 {
		times = fmt.Sprintf("the same streams over a direct link, without a DUT, carry %.3f Gbit/s, %.2f times as much", c.DirectL4BPS/1e9, c.DirectL4BPS/c.TotalReceiverL4BPS)
	}
	shared := slices.ContainsFunc(c.CPU.PerCore, func(core result.Core) bool {
		return core.Role != dutRole && slices.Contains(strings.Split(core.Role, "+"), dutRole)
	})
	endsSaturated := client.saturated || server.saturated
	switch {
	case c.DirectL4BPS > 0 && c.DirectL4BPS <= noFaster*c.TotalReceiverL4BPS:
		return endBound, []string{"the end hosts are the limit and not the DUT: " + times + ", so the figure says nothing about the DUT but that it carries as much", endsText, dutText}
	case shared:
		return result.Undefined, evidence("an end host and the DUT share a CPU: which of them is the limit cannot be told; a machine with more CPUs is needed", times, endsText)
	case endsSaturated && !dutSaturated:
		return endBound, evidence("the end hosts are the limit and not the DUT: "+endsText+", while "+dutText, times)
	case dutSaturated && endsSaturated:
		if c.DirectL4BPS == 0 {
			return result.Undefined, evidence("DUT and end hosts both had no CPU time left: "+dutText, endsText)
		}
		return result.DUTBound, evidence("the DUT is the limit: "+dutText, times+": the end hosts are busy too, and carry more without the DUT", endsText)
	case dutSaturated:
		return result.DUTBound, evidence("the DUT is the limit: "+dutText, times, endsText)
	case c.DirectL4BPS > 0:
		return result.DUTBound, evidence("nobody had a CPU without time left, and a direct link is faster: the queues or the latency of the DUT hold the streams back", times, dutText, endsText, lossText(c))
	}
	return result.Unstable, evidence("nobody had a CPU without time left, and what the ends carry without a DUT is not known", dutText, endsText, lossText(c))
}

// lossText says what was lost or sent again.
func lossText(c result.Cell) string {
	if n, known := c.Retransmits(); known && n > 0 {
		return fmt.Sprintf("%d segments of TCP were sent again", n)
	}
	if sent, lost, known := c.Datagrams(); known && lost > 0 {
		return fmt.Sprintf("%d of %d datagrams were lost (%.2f %%)", lost, sent, percent(float64(lost), float64(sent)))
	}
	return ""
}

// evidence leaves out what there is nothing to say about.
func evidence(sentences ...string) []string {
	return slices.DeleteFunc(sentences, func(s string) bool { return s == "" })
}
