package lab

import (
	"fmt"
	"slices"

	"github.com/linerate/linerate/internal/sched"
	"github.com/linerate/linerate/plan"
	"github.com/linerate/linerate/testbed"
)

// Place deals out the CPUs that this process may use among DUT, generators and
// sinks. What the plan names is taken as it is.
//
// A veth picks the receive queue by the CPU that sends, so the DUT has a queue for
// each generator. A sink that shares a generator's CPU interrupts it for every few
// frames, which on a virtual machine costs more than the forwarding does. So where
// no CPU is left for the sinks, they run beside the DUT, before it, and their CPU
// time is not counted as the DUT's.
func Place(p plan.Lab) (testbed.CPUs, error) {
	online, err := sched.AllowedCPUs()
	if err != nil {
		return testbed.CPUs{}, err
	}
	for _, list := range []struct {
		name string
		cpus []int
	}{{"lab.dut_cpus", p.DUTCPUs}, {"lab.tester_cpus", p.TesterCPUs}, {"lab.sink_cpus", p.SinkCPUs}} {
		for _, c := range list.cpus {
			if !slices.Contains(online, c) {
				return testbed.CPUs{}, fmt.Errorf("place %s: CPU %d is not among the CPUs %s of this machine; name others, or leave the field out", list.name, c, plan.CPUList(online))
			}
		}
	}
	return deal(online, p.DUTCPUs, p.TesterCPUs, p.SinkCPUs), nil
}

// deal is Place on a given machine.
func deal(online, dut, tester, sinks []int) testbed.CPUs {
	n := len(online)
	if len(dut) == 0 {
		free := without(online, tester)
		switch {
		case n == 1 || len(free) == 0:
			dut = online[n-1:]
		case len(tester) > 0:
			dut = free
		default:
			dut = online[n-max(1, (n-n/4)/2):]
		}
	}
	if len(tester) == 0 {
		if tester = without(online, dut); len(tester) == 0 {
			tester = online[:1]
		}
	}
	generators := tester
	if len(sinks) == 0 {
		if len(tester) < 2 {
			sinks = dut
		} else {
			k := max(1, len(tester)/3)
			generators, sinks = tester[:len(tester)-k], tester[len(tester)-k:]
		}
	} else if rest := without(tester, sinks); len(rest) > 0 {
		generators = rest
	}
	return testbed.CPUs{DUT: slices.Clone(dut), Generators: slices.Clone(generators), Sinks: slices.Clone(sinks)}
}

// StepAside moves linerate's own threads off the CPUs of the generators, where a
// sending thread would keep them waiting and then be stopped for them, and away
// from DUT and sinks if there are other CPUs. The undo gives them all CPUs back.
func (l *Lab) StepAside() (undo func() error, err error) {
	online, err := sched.AllowedCPUs()
	if err != nil {
		return nil, err
	}
	rest := without(online, l.CPUs.Generators)
	if idle := without(without(rest, l.CPUs.DUT), l.CPUs.Sinks); len(idle) > 0 {
		rest = idle
	}
	if len(rest) == 0 {
		return func() error { return nil }, nil
	}
	return sched.Confine(rest)
}

func without(list, minus []int) []int {
	var rest []int
	for _, c := range list {
		if !slices.Contains(minus, c) {
			rest = append(rest, c)
		}
	}
	return rest
}
