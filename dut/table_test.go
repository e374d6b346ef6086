package dut

import (
	"fmt"
	"net"
	"net/netip"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/linerate/linerate/dut/journal"
	"github.com/linerate/linerate/internal/netns"
	"github.com/linerate/linerate/internal/testenv"
	"github.com/linerate/linerate/testbed"
	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"
)

var namespaces atomic.Int32

// namespace makes a network namespace with the devices of a DUT that are named in
// scenarioOf.
func namespace(t *testing.T) string {
	t.Helper()
	testenv.NeedRoot(t)
	name := fmt.Sprintf("lr-test-dut-%d-%d", os.Getpid(), namespaces.Add(1))
	if err := netns.Create(name); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := netns.Delete(name); err != nil {
			t.Error(err)
		}
	})
	a, b := testbed.Benchmarking("da", "db")
	err := netns.Do(name, func() error {
		if err := netlink.LinkAdd(&netlink.Veth{LinkAttrs: netlink.LinkAttrs{Name: "da"}, PeerName: "db"}); err != nil {
			return err
		}
		for _, side := range []testbed.Side{a, b} {
			link, err := netlink.LinkByName(side.Interface)
			if err != nil {
				return err
			}
			for _, own := range []netip.Prefix{side.DUT4, side.DUT6} {
				address := &net.IPNet{IP: own.Addr().AsSlice(), Mask: net.CIDRMask(own.Bits(), own.Addr().BitLen())}
				if err := netlink.AddrAdd(link, &netlink.Addr{IPNet: address, Flags: unix.IFA_F_NODAD}); err != nil {
					return err
				}
			}
			if err := netlink.LinkSetUp(link); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return name
}

// openJournal makes a journal that must have nothing to undo when the test ends.
func openJournal(t *testing.T) *journal.Journal {
	t.Helper()
	j, err := journal.Create(t.TempDir(), "test")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if j.Mark() != 0 {
			t.Errorf("%d undos were left", j.Mark())
		}
		if err := j.Close(); err != nil {
			t.Error(err)
		}
	})
	return j
}

func sysctlOf(t *testing.T, ns, key string) int {
	t.Helper()
	text, err := journal.ReadSysctl(ns, key)
	if err != nil {
		t.Fatal(err)
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// TestTableIsRaisedForManyFlows asks for more flows than the table of this machine
// has room for, and for its former size afterwards.
func TestTableIsRaisedForManyFlows(t *testing.T) {
	needTools(t)
	ns := namespace(t)
	flush := journal.Action{Kind: journal.FlushConntrack, Netns: ns}
	if err := flush.Run(); err != nil { // loads what the sysctls are part of
		testenv.Need(t, "connection tracking in the kernel", err)
	}
	if !journal.SysctlWritable("", tableMax) {
		testenv.Need(t, "a writable "+tableMax, os.ErrPermission)
	}
	entries, buckets := sysctlOf(t, "", tableMax), sysctlOf(t, "", tableBuckets)
	flows := max(300_000, entries)
	s := scenarioOf("conntrack-nft", 4, flows, ns)
	if err := s.CheckTable(); err == nil || !strings.Contains(err.Error(), "sysctl -w net.netfilter.nf_conntrack_max="+strconv.Itoa(tableEntries(flows))) || !strings.Contains(err.Error(), "traffic.flows") {
		t.Errorf("before the steps: %v, want advice", err)
	}
	steps, err := s.Steps()
	if err != nil {
		t.Fatal(err)
	}
	j := openJournal(t)
	applied, err := Apply(steps, j)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.CheckTable(); err != nil {
		t.Error(err)
	}
	if line := "sysctl -w net.netfilter.nf_conntrack_max=" + strconv.Itoa(tableEntries(flows)); !slices.Contains(applied.Setup, line) {
		t.Errorf("the setup %q does not say %q", applied.Setup, line)
	}
	s.Cell.Flows = sysctlOf(t, ns, tableMax) // fits, and fills the table
	if err := s.CheckTable(); err == nil {
		t.Error("a full table was found large enough")
	}
	if err := applied.Undo(); err != nil {
		t.Error(err)
	}
	if e, b := sysctlOf(t, "", tableMax), sysctlOf(t, "", tableBuckets); e != entries || b != buckets {
		t.Errorf("afterwards %d entries and %d buckets, before %d and %d", e, b, entries, buckets)
	}
}

// TestAtLeastLeavesWhatIsEnough looks at the journal: what is not changed is not undone.
func TestAtLeastLeavesWhatIsEnough(t *testing.T) {
	ns := namespace(t)
	const key = "net.ipv4.igmp_max_memberships" // each namespace has its own
	for _, tt := range []struct {
		present, least int
		raised         bool
	}{{60, 59, false}, {60, 60, false}, {60, 61, true}, {0, 5, false}} {
		if err := (journal.Action{Kind: journal.SetSysctl, Netns: ns, Key: key, Value: strconv.Itoa(tt.present)}).Run(); err != nil {
			t.Fatal(err)
		}
		j := openJournal(t)
		applied, err := Apply([]Step{raise(ns, key, tt.least)}, j)
		if err != nil {
			t.Fatal(err)
		}
		want := tt.present
		if tt.raised {
			want = tt.least
		}
		if got := sysctlOf(t, ns, key); got != want || (j.Mark() > 0) != tt.raised || (len(applied.Setup) > 0) != tt.raised {
			t.Errorf("%d to at least %d: it is %d, %d undos, setup %q", tt.present, tt.least, got, j.Mark(), applied.Setup)
		}
		if err := applied.Undo(); err != nil {
			t.Error(err)
		}
		if got := sysctlOf(t, ns, key); got != tt.present {
			t.Errorf("after the undo it is %d, want %d", got, tt.present)
		}
	}
}

// TestReadOnlySysctlIsLeft raises a value that nobody may change: an attempt to write
// it would be an error.
func TestReadOnlySysctlIsLeft(t *testing.T) {
	ns := namespace(t)
	const key = "kernel.ngroups_max"
	applied, err := Apply([]Step{raise(ns, key, 1+sysctlOf(t, ns, key))}, openJournal(t))
	if err != nil || len(applied.Setup) > 0 {
		t.Errorf("%+v, %v; want nothing done", applied, err)
	}
	if _, err := Apply([]Step{{Do: raise(ns, key, 1).Do}}, openJournal(t)); err == nil {
		t.Error("a sysctl that must be set was left without an error")
	}
}
