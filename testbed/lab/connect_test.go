package lab

import (
	"errors"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/linerate/linerate/dut"
	"github.com/linerate/linerate/internal/netns"
	"github.com/linerate/linerate/internal/testenv"
	"github.com/linerate/linerate/plan"
	"github.com/linerate/linerate/testbed"
	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"
)

func TestAddressesAreOfTheBenchmarkingBlocks(t *testing.T) {
	checkAddresses(t, plan.Lab{MTUBytes: 1500}, []string{"198.18.0.1/24", "2001:2::1/64"}, []string{"198.19.0.1/24", "2001:2:0:8000::1/64"})
}

func TestSmallMTUHasNoIPv6(t *testing.T) {
	checkAddresses(t, plan.Lab{MTUBytes: 1279}, []string{"198.18.0.1/24"}, []string{"198.19.0.1/24"})
	checkAddresses(t, plan.Lab{MTUBytes: 1000}, []string{"198.18.0.1/24"}, []string{"198.19.0.1/24"})
	checkAddresses(t, plan.Lab{MTUBytes: 1280}, []string{"198.18.0.1/24", "2001:2::1/64"}, []string{"198.19.0.1/24", "2001:2:0:8000::1/64"})
}

const withoutIPv6 = "LINERATE_TEST_WITHOUT_IPV6"

// TestKernelWithoutIPv6 runs itself in a mount namespace that shows no network
// sysctls, as a kernel booted with ipv6.disable=1 shows none of IPv6.
func TestKernelWithoutIPv6(t *testing.T) {
	testenv.NeedRoot(t)
	if os.Getenv(withoutIPv6) == "" {
		c := exec.Command("/proc/self/exe", "-test.run=^TestKernelWithoutIPv6$", "-test.v")
		c.Env = append(os.Environ(), withoutIPv6+"=1")
		c.SysProcAttr = &syscall.SysProcAttr{Unshareflags: unix.CLONE_NEWNS}
		if out, err := c.CombinedOutput(); err != nil || !strings.Contains(string(out), "PASS: TestKernelWithoutIPv6") {
			t.Fatalf("%v:\n%s", err, out)
		}
		return
	}
	if err := unix.Mount("tmpfs", "/proc/sys/net", "tmpfs", unix.MS_RDONLY, ""); err != nil {
		t.Fatal(err)
	}
	checkAddresses(t, plan.Lab{MTUBytes: 1500}, []string{"198.18.0.1/24"}, []string{"198.19.0.1/24"})
	a, b := testbed.Benchmarking("da", "db")
	s := dut.Scenario{Cell: plan.Cell{Scenario: "route", IPVersion: 6}, DUT: testbed.DUT{A: a, B: b}}
	_, err := s.Steps()
	var missing *dut.MissingError
	if !errors.As(err, &missing) || !strings.Contains(err.Error(), "ipv6.disable=1") {
		t.Errorf("an IPv6 cell: %v, want a MissingError with advice", err)
	}
	s.Cell.IPVersion = 4
	if _, err := s.Steps(); err != nil {
		t.Errorf("an IPv4 cell: %v", err)
	}
}

// checkAddresses opens a lab and compares the addresses of the DUT's two devices;
// each has one permanent neighbour for each address, and the DUT one route.
func checkAddresses(t *testing.T, p plan.Lab, onA, onB []string) {
	t.Helper()
	l, j := open(t, NewID(), p)
	defer func() {
		if err := j.Close(); err != nil {
			t.Error(err)
		}
	}()
	err := netns.Do(l.DUT.Netns, func() error {
		for device, want := range map[string][]string{l.DUT.A.Interface: onA, l.DUT.B.Interface: onB} {
			link, err := netlink.LinkByName(device)
			if err != nil {
				return err
			}
			have, err := netlink.AddrList(link, netlink.FAMILY_ALL)
			if err != nil {
				return err
			}
			var got []string
			for _, a := range have {
				if os.Getenv(withoutIPv6) != "" && a.IP.IsLinkLocalUnicast() {
					continue // its sysctls are hidden only
				}
				got = append(got, a.IPNet.String())
			}
			if !slices.Equal(got, want) {
				t.Errorf("MTU %d: %s has %v, want %v", p.MTUBytes, device, got, want)
			}
			neighbours, err := netlink.NeighList(link.Attrs().Index, netlink.FAMILY_ALL)
			if err != nil {
				return err
			}
			permanent := 0
			for _, n := range neighbours {
				if n.State == netlink.NUD_PERMANENT {
					permanent++
				}
			}
			if permanent != len(want) {
				t.Errorf("MTU %d: %s has %d permanent neighbours, want one for each of %v", p.MTUBytes, device, permanent, want)
			}
			routes, err := netlink.RouteList(link, netlink.FAMILY_ALL)
			if err != nil {
				return err
			}
			via := 0
			for _, r := range routes {
				if r.Gw != nil {
					via++
				}
			}
			if via != len(want) {
				t.Errorf("MTU %d: %s has the routes %v, want one through the tester for each of %v", p.MTUBytes, device, routes, want)
			}
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}
