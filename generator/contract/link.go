// Package contract is the test suite that every generator must pass. It sends
// over a veth between two network namespaces to a real sink, and compares with
// the kernel's own counters.
package contract

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/linerate/linerate/internal/netns"
	"github.com/linerate/linerate/internal/testenv"
	"github.com/vishvananda/netlink"
	vnetns "github.com/vishvananda/netns"
)

func init() { runtime.LockOSThread() } // internal/netns asks for it

// End is one end of a veth in a namespace of its own.
type End struct {
	Netns, Interface string
	Ifindex          int
	MAC              net.HardwareAddr
}

var links atomic.Int32

// queues of each device: an engine may need one for each of its threads.
const queues = 2

// Link joins two new namespaces by a veth that is up and silent: without
// addresses, so that only the test's frames are counted. It is removed after the test.
func Link(t testing.TB, mtuBytes int) (a, b End) {
	t.Helper()
	testenv.NeedRoot(t)
	id := fmt.Sprintf("lrt-%d-%d", os.Getpid(), links.Add(1))
	a = End{Netns: id + "a", Interface: "ta", MAC: net.HardwareAddr{2, 0, 0x5e, 0x10, 0, 1}}
	b = End{Netns: id + "b", Interface: "tb", MAC: net.HardwareAddr{2, 0, 0x5e, 0x10, 0, 2}}
	for _, e := range []End{a, b} {
		if err := netns.Create(e.Netns); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := netns.Delete(e.Netns); err != nil {
				t.Error(err)
			}
		})
	}
	peer, err := vnetns.GetFromPath(netns.Path(b.Netns))
	if err != nil {
		t.Fatal(err)
	}
	defer peer.Close()
	a.do(t, func() error {
		return netlink.LinkAdd(&netlink.Veth{
			LinkAttrs:        netlink.LinkAttrs{Name: a.Interface, HardwareAddr: a.MAC, MTU: mtuBytes, NumTxQueues: queues, NumRxQueues: queues},
			PeerName:         b.Interface,
			PeerHardwareAddr: b.MAC,
			PeerMTU:          uint32(mtuBytes),
			PeerNumTxQueues:  queues,
			PeerNumRxQueues:  queues,
			PeerNamespace:    netlink.NsFd(int(peer)),
		})
	})
	a.up(t)
	b.up(t)
	return a, b
}

// do runs f in the namespace of the end.
func (e *End) do(t testing.TB, f func() error) {
	t.Helper()
	if err := netns.Do(e.Netns, f); err != nil {
		t.Fatalf("%s: %v", e.Interface, err)
	}
}

func (e *End) up(t testing.TB) {
	t.Helper()
	e.do(t, func() error {
		// Without IPv6 nobody solicits a router on the link.
		if err := os.WriteFile(filepath.Join("/proc/sys/net/ipv6/conf", e.Interface, "disable_ipv6"), []byte("1"), 0); err != nil && !os.IsNotExist(err) {
			return err
		}
		link, err := netlink.LinkByName(e.Interface)
		if err != nil {
			return err
		}
		e.Ifindex = link.Attrs().Index
		return netlink.LinkSetUp(link)
	})
}

// Remove deletes the end's device and with it the other end.
func (e *End) Remove(t testing.TB) {
	t.Helper()
	e.set(t, netlink.LinkDel)
}

// SetDown sets the end's device down.
func (e *End) SetDown(t testing.TB) { e.set(t, netlink.LinkSetDown) }

// SetUp sets the end's device up again.
func (e *End) SetUp(t testing.TB) { e.set(t, netlink.LinkSetUp) }

func (e *End) set(t testing.TB, change func(netlink.Link) error) {
	t.Helper()
	e.do(t, func() error {
		link, err := netlink.LinkByIndex(e.Ifindex)
		if err != nil {
			return err
		}
		return change(link)
	})
}

// Counters are the kernel's counters of the end's device.
func (e *End) Counters(t testing.TB) (s netlink.LinkStatistics) {
	t.Helper()
	e.do(t, func() error {
		link, err := netlink.LinkByIndex(e.Ifindex)
		if err == nil {
			s = *link.Attrs().Statistics
		}
		return err
	})
	return s
}

// waitFor waits until done, for two seconds at most.
func waitFor(t testing.TB, what string, done func() bool) {
	t.Helper()
	for end := time.Now().Add(2 * time.Second); !done(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("still waiting for %s after 2 s", what)
		}
	}
}
