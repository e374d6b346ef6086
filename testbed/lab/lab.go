// Package lab is the testbed that needs no hardware: tester side A, DUT and
// tester side B as network namespaces of this machine, joined by veths.
//
//	namespace -a          namespace -dut           namespace -b
//	  a  <--------------->  da        db  <--------------->  b
//	  xa <------------------------------------------------>  xb   (scenario none)
package lab

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"net"

	"github.com/linerate/linerate/dut/journal"
	"github.com/linerate/linerate/internal/kernel"
	"github.com/linerate/linerate/internal/netns"
	"github.com/linerate/linerate/plan"
	"github.com/linerate/linerate/testbed"
)

// Lab is an open testbed.
type Lab struct {
	ID   string
	CPUs testbed.CPUs
	// DUT is what lies between the tester's ports now: a scenario may make more of it
	// than the one router that Open makes.
	DUT     testbed.DUT
	plan    plan.Lab
	journal *journal.Journal
	names   names
	macs    map[string]net.HardwareAddr
	indexes map[string]int
	// noRealTime is why threads cannot have real-time priorities; nil if they can.
	noRealTime error
	// sharesDUT is what ShareDUT was told.
	sharesDUT bool
}

// names are the namespaces and devices of one lab. Devices carry the lab's id,
// because the kernel names a NAPI thread after its device only.
type names struct {
	nsA, nsDUT, nsB string
	a, da, db, b    string
	xa, xb          string
}

func namesOf(id string) names {
	return names{
		nsA: "lr-" + id + "-a", nsDUT: "lr-" + id + "-dut", nsB: "lr-" + id + "-b",
		a: "a-" + id, da: "da-" + id, db: "db-" + id, b: "b-" + id, xa: "xa-" + id, xb: "xb-" + id,
	}
}

// NewID is a name for a lab that no other has: six hexadecimal digits.
func NewID() string {
	b := make([]byte, 3)
	_, _ = rand.Read(b) // never fails: crypto/rand
	return hex.EncodeToString(b)
}

// Open makes the namespaces and links. Everything is journalled before it is
// made; closing the journal removes it.
func Open(id string, p plan.Lab, j *journal.Journal) (*Lab, error) {
	cpus, err := Place(p)
	if err != nil {
		return nil, fmt.Errorf("open lab: %w", err)
	}
	l := &Lab{ID: id, CPUs: cpus, plan: p, journal: j, names: namesOf(id), macs: map[string]net.HardwareAddr{}, indexes: map[string]int{}}
	a, b := testbed.Benchmarking(l.names.da, l.names.db)
	for i, device := range []string{l.names.a, l.names.da, l.names.db, l.names.b, l.names.xa, l.names.xb} {
		l.macs[device] = net.HardwareAddr{0x02, 0x00, 0x5e, 0x10, 0x00, byte(0x0a + i)}
	}
	a.Netns, b.Netns = l.names.nsDUT, l.names.nsDUT
	l.DUT = testbed.DUT{Netns: l.names.nsDUT, A: a, B: b, Queues: l.Queues(), MTUBytes: p.MTUBytes}
	l.DUT.A.DUTMAC, l.DUT.A.TesterMAC = l.macs[l.names.da], l.macs[l.names.a]
	l.DUT.B.DUTMAC, l.DUT.B.TesterMAC = l.macs[l.names.db], l.macs[l.names.b]
	_, l.noRealTime = kernel.RealTime.Try()
	mark := j.Mark()
	if err := l.build(); err != nil {
		return nil, errors.Join(fmt.Errorf("open lab: %w", err), j.UndoTo(mark))
	}
	return l, nil
}

func (l *Lab) build() error {
	n := l.names
	for _, ns := range []string{n.nsA, n.nsDUT, n.nsB} {
		if netns.Exists(ns) {
			return fmt.Errorf("create network namespace %s: the name is taken; choose another --name", ns)
		}
		if err := l.journal.Record(journal.Action{Kind: journal.DeleteNetns, Netns: ns}); err != nil {
			return err
		}
		if err := netns.Create(ns); err != nil {
			return err
		}
		if err := quiet(ns); err != nil {
			return err
		}
	}
	if err := l.connect(); err != nil {
		return err
	}
	if err := l.address(); err != nil {
		return err
	}
	return l.unthrottle()
}

// quiet stops a namespace from sending anything by itself: no link-local
// addresses, no router solicitations, no duplicate address detection, and the
// reports of multicast groups at once rather than in the middle of a trial. A kernel
// without IPv6 lacks its keys and does none of that.
func quiet(ns string) error {
	for _, s := range [][2]string{
		{"net.ipv6.conf.default.addr_gen_mode", "1"},
		{"net.ipv6.conf.default.accept_dad", "0"},
		{"net.ipv6.conf.default.accept_ra", "0"},
		{"net.ipv6.conf.default.router_solicitations", "0"},
		{"net.ipv6.conf.default.mldv1_unsolicited_report_interval", "1"},
		{"net.ipv6.conf.default.mldv2_unsolicited_report_interval", "1"},
		{"net.ipv4.conf.default.rp_filter", "0"},
		{"net.ipv4.conf.all.rp_filter", "0"},
	} {
		err := (journal.Action{Kind: journal.SetSysctl, Netns: ns, Key: s[0], Value: s[1]}).Run()
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// Ports are the tester's two ends: joined by the DUT, or directly for scenario none.
func (l *Lab) Ports(direct bool) (a, b testbed.Port) {
	n := l.names
	if direct {
		return l.port("a", n.nsA, n.xa, n.xb), l.port("b", n.nsB, n.xb, n.xa)
	}
	return l.port("a", n.nsA, n.a, n.da), l.port("b", n.nsB, n.b, n.db)
}

func (l *Lab) port(name, ns, device, nextHop string) testbed.Port {
	return testbed.Port{Name: name, Netns: ns, Interface: device, Ifindex: l.indexes[device], MAC: l.macs[device], NextHopMAC: l.macs[nextHop]}
}

// Queues is the number of receive queues of each device. It may be greater than
// the number of generators, see queueCount.
func (l *Lab) Queues() int { return queueCount(l.CPUs.Generators) }

// Links describes the links for a report.
func (l *Lab) Links() []string {
	n := l.names
	return []string{
		fmt.Sprintf("%s (tester A) - %s (DUT): veth", n.a, n.da),
		fmt.Sprintf("%s (DUT) - %s (tester B): veth", n.db, n.b),
		fmt.Sprintf("%s (tester A) - %s (tester B): veth, for calibration", n.xa, n.xb),
	}
}

// Devices are all devices of the lab by namespace.
func (l *Lab) Devices() map[string][]string {
	n := l.names
	all := map[string][]string{n.nsA: {n.a, n.xa}, n.nsB: {n.b, n.xb}}
	for _, d := range l.DUT.Devices() {
		all[d.Netns] = append(all[d.Netns], d.Interface)
	}
	return all
}
