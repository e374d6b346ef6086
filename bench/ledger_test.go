package bench

import (
	"errors"
	"fmt"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/asm"
	"github.com/cilium/ebpf/link"
	"github.com/linerate/linerate/dut/journal"
	"github.com/linerate/linerate/frame"
	"github.com/linerate/linerate/internal/netns"
	"github.com/linerate/linerate/internal/sched"
	"github.com/linerate/linerate/plan"
	"github.com/linerate/linerate/result"
	"github.com/linerate/linerate/testbed/lab"
	"github.com/linerate/linerate/trial"
	"github.com/vishvananda/netlink"
)

// oracle is a loss that is planted, and what the ledger has to say of it.
type oracle struct {
	name string
	cell plan.Cell
	mtu  int
	// engine is the generator; empty for the usual one.
	engine string
	// loadPPS and duration of the trial; without a load, as fast as it goes.
	loadPPS  float64
	duration time.Duration
	// plant makes the DUT lose frames and returns how many a trial of so many sent
	// frames loses by it, by an account that is not the ledger's; nil to compare with lost.
	plant func(t *testing.T, b bed) func(r result.Trial) uint64
	// reason (or several, joined by |), place, device and side name the planted loss in
	// the ledger. A place is a beginning; an empty device or side is any.
	reason, place, device string
	side                  result.LossSide
}

func (o oracle) run(t *testing.T) {
	p := testPlan()
	if o.mtu > 0 {
		p.Lab.MTUBytes = o.mtu
	}
	if o.engine != "" {
		p.Traffic.Engine = o.engine
	}
	b := openBed(t, p, o.cell)
	planted := o.plant(t, b)
	r, err := b.station.bed.Measure(t.Context(), trial.Request{LoadPPS: o.loadPPS, Duration: o.duration, Trace: true})
	if err != nil {
		t.Fatal(err)
	}
	if r.Lost == 0 || r.Ledger == nil {
		t.Fatalf("nothing was lost: sent %d, received %d, ledger %+v", r.Sent, r.Received, r.Ledger)
	}
	t.Log(show(r))
	want := r.Lost
	if planted != nil {
		want = planted(r)
	}
	var got uint64
	for _, d := range r.Ledger.Drops {
		if slices.Contains(strings.Split(o.reason, "|"), d.Reason) && strings.HasPrefix(d.Place, o.place) && (d.Device == o.device || o.device == "") && (d.Side == o.side || o.side == "") {
			got += d.Frames
		}
	}
	tolerance := r.Sent / 1000
	if got+tolerance < want || want+tolerance < got {
		t.Errorf("the ledger has %d frames of %s at %s on %s (%s), planted %d of %d", got, o.reason, o.place, o.device, o.side, want, r.Sent)
	}
	if !r.Ledger.Balanced() {
		t.Errorf("%d of %d frames are unexplained", r.Ledger.Unexplained, r.Sent)
	}
}

// show is a ledger for a reader of the test's log.
func show(r result.Trial) string {
	var s strings.Builder
	l := r.Ledger
	fmt.Fprintf(&s, "sent %d, received %d, unexplained %d", l.Sent, l.Received, l.Unexplained)
	for _, d := range l.Drops {
		fmt.Fprintf(&s, "\n  %8d %s at %s on %s (%s)", d.Frames, d.Reason, d.Place, d.Device, d.Side)
	}
	for _, c := range l.Counters {
		fmt.Fprintf(&s, "\n  counter %8d %s %s %v", c.Frames, c.Name, c.Device, c.Explains)
	}
	return s.String()
}

// shell runs a command in the DUT's namespace and returns what it prints. DA and DB
// stand for the DUT's devices.
func (b bed) shell(t *testing.T, input, command string) string {
	t.Helper()
	replace := strings.NewReplacer("DA", b.lab.DUT.A.Interface, "DB", b.lab.DUT.B.Interface).Replace
	var out []byte
	err := netns.Do(b.lab.DUT.Netns, func() (err error) {
		argv := strings.Fields(replace(command))
		c := exec.Command(argv[0], argv[1:]...)
		c.Stdin = strings.NewReader(replace(input))
		out, err = c.CombinedOutput()
		return err
	})
	if err != nil {
		t.Fatalf("%s: %v\n%s%s", command, err, out, input)
	}
	return string(out)
}

// nft plants rules and returns the packets that their counter has seen.
func nft(rules string) func(*testing.T, bed) func(result.Trial) uint64 {
	return func(t *testing.T, b bed) func(result.Trial) uint64 {
		b.shell(t, rules, "nft -f -")
		return func(result.Trial) uint64 {
			m := regexp.MustCompile(`counter packets (\d+)`).FindStringSubmatch(b.shell(t, "", "nft list ruleset"))
			if m == nil {
				t.Fatal("no counter in the rules")
			}
			n, err := strconv.ParseUint(m[1], 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			return n
		}
	}
}

// command plants what a command does; all that is lost is lost by it.
func command(line string) func(*testing.T, bed) func(result.Trial) uint64 {
	return func(t *testing.T, b bed) func(result.Trial) uint64 {
		b.shell(t, "", line)
		return nil
	}
}

// blackhole drops the flows to one of the hosts behind B.
func blackhole(t *testing.T, b bed) func(result.Trial) uint64 {
	host := b.station.flows[0].Destination
	b.shell(t, "", fmt.Sprintf("ip route add blackhole %v", host))
	return func(r result.Trial) uint64 {
		flows := uint64(0)
		for _, f := range b.station.flows {
			if f.Destination == host {
				flows++
			}
		}
		return r.Sent * flows / uint64(len(b.station.flows))
	}
}

// fullTable makes room in the table for the flows that are in it and no more, and
// half of the flows new ones.
func fullTable(t *testing.T, b bed) func(result.Trial) uint64 {
	const key = "net.netfilter.nf_conntrack_max"
	before, err := journal.ReadSysctl("", key)
	if err != nil {
		t.Fatal(err)
	}
	set := func(ns, value string) {
		// In a kernel whose namespaces share one limit, only the machine's can be written.
		_ = journal.Action{Kind: journal.SetSysctl, Netns: ns, Key: key, Value: value}.Run()
	}
	t.Cleanup(func() { set("", before) })
	flows := append([]frame.Flow{}, b.station.flows...)
	for i := range flows[:len(flows)/2] {
		flows[i].SourcePort ^= 1
	}
	g, err := b.station.open(b.station.engine, []int{0}, [][]frame.Flow{flows})
	if err != nil {
		t.Fatal(err)
	}
	if err := b.station.bed.Generator.Close(); err != nil {
		t.Fatal(err)
	}
	b.station.bed.Generator = g
	set("", strconv.Itoa(len(flows)))
	set(b.lab.DUT.Netns, strconv.Itoa(len(flows)))
	return func(r result.Trial) uint64 {
		// A few new flows get in by an early drop of an entry that no reply has confirmed.
		if r.Lost < r.Sent*2/5 || r.Lost > r.Sent/2 {
			t.Errorf("%d of %d frames were lost, want nearly half", r.Lost, r.Sent)
		}
		return r.Conntrack.Drop
	}
}

// inMidTrial runs a command when the trial's traffic has run for a while.
func inMidTrial(line string) func(*testing.T, bed) func(result.Trial) uint64 {
	return func(t *testing.T, b bed) func(result.Trial) uint64 {
		done := make(chan struct{})
		t.Cleanup(func() { <-done })
		go func() {
			defer close(done)
			for {
				var sent uint64
				for _, s := range b.station.bed.Generator.Progress() {
					sent += s.Sent
				}
				if sent > 5000 {
					break
				}
				time.Sleep(time.Millisecond)
			}
			b.shell(t, "", line)
		}()
		return nil
	}
}

// slowSink makes the tester's receiver the slowest part, and lets the DUT go before
// it where both share a CPU.
func slowSink(t *testing.T, b bed) func(result.Trial) uint64 {
	if err := b.station.sinks[0].Throttle(1024); err != nil {
		t.Fatal(err)
	}
	threads, err := lab.NAPIThreads(b.station.ports[1].Interface)
	if err != nil {
		t.Fatal(err)
	}
	for _, tid := range threads {
		if err := sched.FIFO(tid, 20); err != nil {
			t.Fatal(err)
		}
	}
	return func(r result.Trial) uint64 { return r.Sent - r.DUTInputDrops - r.Received }
}

// portDown takes the device at a tester port down in mid-trial.
func portDown(t *testing.T, b bed) func(result.Trial) uint64 {
	port := b.station.ports[1]
	return inMidTrial(fmt.Sprintf("ip -n %s link set %s down", port.Netns, port.Interface))(t, b)
}

// xdpDrops attaches a program to the DUT's input that drops one of eight frames with
// that verdict.
func xdpDrops(verdict int32) func(*testing.T, bed) func(result.Trial) uint64 {
	return func(t *testing.T, b bed) func(result.Trial) uint64 {
		program, err := ebpf.NewProgram(&ebpf.ProgramSpec{Type: ebpf.XDP, License: "GPL", Instructions: asm.Instructions{
			asm.FnGetPrandomU32.Call(), asm.And.Imm(asm.R0, 7), asm.JEq.Imm(asm.R0, 0, "drop"),
			asm.Mov.Imm(asm.R0, 2), asm.Return(), // XDP_PASS
			asm.Mov.Imm(asm.R0, verdict).WithSymbol("drop"), asm.Return(),
		}})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = program.Close() })
		err = netns.Do(b.lab.DUT.Netns, func() error {
			device, err := netlink.LinkByName(b.lab.DUT.A.Interface)
			if err != nil {
				return err
			}
			l, err := link.AttachXDP(link.XDPOptions{Program: program, Interface: device.Attrs().Index, Flags: link.XDPDriverMode})
			if err == nil {
				t.Cleanup(func() { _ = l.Close() })
			}
			return err
		})
		if err := errors.Join(err, b.lab.Pin()); err != nil {
			t.Fatal(err)
		}
		return nil
	}
}

func none(*testing.T, bed) func(result.Trial) uint64 { return nil }

func sized(c plan.Cell, bytes plan.FrameSize) plan.Cell {
	c.FrameSize = bytes
	return c
}

const ms = time.Millisecond

func oracles() []oracle {
	route, route6 := cellOf("route", 4, 100, plan.Uni), cellOf("route", 6, 100, plan.Uni)
	dropSome := "table ip planted {\n chain forward {\n type filter hook forward priority 0\n numgen inc mod 7 == 0 counter drop\n }\n}\n"
	ingress := "table netdev planted {\n chain in {\n type filter hook ingress device DA priority 0\n numgen inc mod 10 == 0 counter %s\n }\n}\n"
	return []oracle{
		{"nft drop", route, 0, "", 20_000, 500 * ms, nft(dropSome), "NETFILTER_DROP", "", "da", result.DUTSide},
		{"nft drop IPv6", route6, 0, "", 20_000, 500 * ms, nft(strings.Replace(dropSome, "table ip ", "table ip6 ", 1)), "NETFILTER_DROP", "", "da", result.DUTSide},
		{"blackhole route", route, 0, "", 20_000, 500 * ms, blackhole, "NOT_SPECIFIED", "ip_error", "da", result.DUTSide},
		{"blackhole route IPv6", route6, 0, "", 20_000, 500 * ms, blackhole, "NOT_SPECIFIED", "dst_discard", "da", result.DUTSide},
		{"expired TTL", route, 0, "", 20_000, 500 * ms, nft(fmt.Sprintf(ingress, "ip ttl set 1")), "IP_INHDR", "ip_forward", "da", result.DUTSide},
		{"expired hop limit", route6, 0, "", 20_000, 500 * ms, nft(fmt.Sprintf(ingress, "ip6 hoplimit set 1")), "IP_INHDR", "ip6_forward", "da", result.DUTSide},
		{"bad checksum", route, 0, "", 20_000, 500 * ms, nft(fmt.Sprintf(ingress, "@nh,80,16 set 0x1234")), "IP_CSUM", "ip_rcv", "da", result.DUTSide},
		{"full table", cellOf("conntrack-nft", 4, 500, plan.Uni), 0, "", 20_000, 500 * ms, fullTable, "NETFILTER_DROP", "connection tracking", "da", result.DUTSide},
		{"full ring of the DUT", route, 0, "", 0, 300 * ms, none, "RECEIVE_RING_FULL", "tx_dropped of a", "da", result.DUTSide},
		{"full ring of the sink", route, 0, "", 300_000, 300 * ms, slowSink, "RECEIVE_RING_FULL", "tx_dropped of db", "b", result.TesterSide},
		{"full queue", route, 0, "", 50_000, 500 * ms, command("tc qdisc add dev DB root tbf rate 10mbit burst 2kb limit 10kb"), "QDISC_DROP", "", "db", result.DUTSide},
		{"device down", route, 0, "", 50_000, 500 * ms, inMidTrial("ip link set DA down"), "DEVICE_DOWN", "", "da", result.DUTSide},
		{"egress down", route, 0, "", 50_000, 500 * ms, inMidTrial("ip link set DB down"), "IP_INNOROUTES|DEVICE_DOWN", "", "", result.DUTSide},
		{"link without carrier", route, 0, "", 50_000, 500 * ms, portDown, "DEVICE_DOWN|DEV_READY", "", "", ""},
		{"MTU too small", sized(route, 1280), 0, "", 20_000, 500 * ms, command("ip link set DB mtu 1000"), "PKT_TOO_BIG", "ip_forward", "da", result.DUTSide},
		{"XDP program drops", route, 0, "", 20_000, 500 * ms, xdpDrops(1), "XDP_DROP", "xdp_drops of da", "da", result.DUTSide},
		{"XDP program aborts", route, 0, "", 20_000, 500 * ms, xdpDrops(0), "XDP_DROP", "xdp_drops of da", "da", result.DUTSide},
		{"XDP program drops skbs", route, 0, "afpacket", 20_000, 500 * ms, xdpDrops(1), "NOT_SPECIFIED|XDP", "veth_xdp_rcv_skb", "da", result.DUTSide},
		{"XDP program aborts skbs", route, 0, "afpacket", 20_000, 500 * ms, xdpDrops(0), "NOT_SPECIFIED|XDP", "veth_xdp_rcv_skb", "da", result.DUTSide},
		{"nft drop both ways", cellOf("route", 4, 100, plan.Bi), 0, "", 20_000, 500 * ms, nft(dropSome), "NETFILTER_DROP", "", "", result.DUTSide},
		{"full ring without a DUT", cellOf("none", 4, 100, plan.Uni), 0, "", 300_000, 300 * ms, slowSink, "RECEIVE_RING_FULL", "tx_dropped of xa", "xb", result.TesterSide},
		{"jumbo dropped by nft", sized(route, 9018), 9000, "", 5_000, 300 * ms, nft(dropSome), "NETFILTER_DROP", "", "da", result.DUTSide},
		{"jumbo to a full ring", sized(route, 9018), 9000, "", 0, 300 * ms, slowSink, "RECEIVE_RING_FULL", "tx_dropped of db", "b", result.TesterSide},
	}
}

// TestLedgerNamesPlantedLoss plants losses of every kind and requires that the
// ledger names each at the right count and balances.
func TestLedgerNamesPlantedLoss(t *testing.T) {
	for _, o := range oracles() {
		t.Run(o.name, o.run)
	}
}

// checkPolicyLedger requires that the ledger of a cell that a rule bounds names the
// rule, and that the evidence tells it from a DUT that is too slow.
func checkPolicyLedger(t *testing.T, run *result.Run, trials []result.Trial) {
	t.Helper()
	c := run.Cells[0]
	l := c.Ledger
	if l == nil {
		t.Fatal("the cell has no ledger")
	}
	if !l.Traced || !l.Balanced() || len(l.Drops) == 0 || l.Drops[0].Reason != "NETFILTER_DROP" || l.LoadPPS != c.Goals[1].UpperPPS {
		t.Errorf("ledger %+v, want a traced one at %.0f pps that balances with NETFILTER_DROP", l, c.Goals[1].UpperPPS)
	}
	if text := strings.Join(c.Evidence, "; "); !strings.Contains(text, "NETFILTER_DROP") || !strings.Contains(text, "more CPU would change nothing") {
		t.Errorf("the evidence does not tell a rule from a slow DUT: %q", text)
	}
	for _, r := range trials {
		if traced := r.Ledger != nil && r.Ledger.Traced; traced && r.Purpose != result.ForLedger {
			t.Errorf("trial %d (%s) was traced", r.Number, r.Purpose)
		}
	}
}
