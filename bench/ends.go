package bench

import (
	"errors"
	"slices"

	"github.com/linerate/linerate/dut"
	"github.com/linerate/linerate/observe"
	"github.com/linerate/linerate/plan"
	"github.com/linerate/linerate/workload"
)

// withEnds is a testbed in whose ends programs can run.
type withEnds interface {
	openEnds(c plan.Cell) (*ends, error)
}

// ends are the two hosts of a cell of streams, joined through its DUT.
type ends struct {
	workload.Ends
	// threads watches who has the CPUs; roles names the CPUs of DUT, client and server.
	threads *observe.Threads
	roles   map[int]string
	undo    func() error
}

func (e *ends) close() error {
	var err error
	if e.threads != nil {
		err = e.threads.Close()
	}
	return errors.Join(err, e.undo())
}

// openEnds joins the ends of the lab. The cell's scenario is in place.
func (b *labTestbed) openEnds(c plan.Cell) (_ *ends, err error) {
	l := b.lab
	if b.options.Plan.EndOffloads() == "off" {
		if err := l.DisableEndOffloads(); err != nil {
			return nil, err
		}
	}
	if err := l.SteerStreams(b.options.Plan.EndOffloads() == "on"); err != nil {
		return nil, err
	}
	from, to := l.Ports(c.Direct())
	if (dut.Scenario{Cell: c, Plan: b.options.Plan, DUT: l.DUT}).Layer2() {
		from.NextHopMAC, to.NextHopMAC = to.MAC, from.MAC
	}
	client, server := l.EndCPUs()
	e := &ends{roles: endRoles(l.CPUs.DUT, client, server)}
	e.Ends = workload.Ends{ClientNetns: from.Netns, ServerNetns: to.Netns, ClientCPUs: client, ServerCPUs: server}
	if b.options.Plan.Datagrams() && slices.Equal(client, server) {
		e.ServerPriority = l.ServerPriority()
	}
	if e.ServerAddress, e.undo, err = l.JoinEnds(from, to, c.IPVersion); err != nil {
		return nil, err
	}
	if err := l.PinEnds(); err != nil {
		return nil, errors.Join(err, e.close())
	}
	applied := b.applied
	if c.Direct() {
		applied = &dut.Applied{} // of another cell
	}
	if e.threads, err = watch(l, c.Direct(), applied); err != nil {
		return nil, errors.Join(err, e.close())
	}
	return e, nil
}

// Roles of CPUs under a workload of streams.
const (
	dutRole    = "dut"
	clientRole = "client"
	serverRole = "server"
)

func endRoles(dut, client, server []int) map[int]string {
	m := map[int]string{}
	for _, part := range []struct {
		cpus []int
		role string
	}{{dut, dutRole}, {client, clientRole}, {server, serverRole}} {
		for _, cpu := range part.cpus {
			if m[cpu] != "" {
				m[cpu] += "+"
			}
			m[cpu] += part.role
		}
	}
	return m
}
