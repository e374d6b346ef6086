package guard

import (
	"fmt"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/linerate/linerate/internal/netns"
	"github.com/linerate/linerate/internal/testenv"
)

func init() { runtime.LockOSThread() } // internal/netns asks for it

var namespaces atomic.Int32

// namespace makes a namespace and runs lines of `ip` in it; it is removed after the test.
func namespace(t *testing.T, lines ...string) string {
	t.Helper()
	testenv.NeedRoot(t)
	_, err := exec.LookPath("ip")
	testenv.Need(t, "ip of iproute2", err)
	ns := fmt.Sprintf("lrt-guard-%d-%d", os.Getpid(), namespaces.Add(1))
	if err := netns.Create(ns); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := netns.Delete(ns); err != nil {
			t.Error(err)
		}
	})
	ip(t, ns, lines...)
	return ns
}

func ip(t *testing.T, ns string, lines ...string) {
	t.Helper()
	for _, line := range lines {
		if out, err := exec.Command("ip", append([]string{"-n", ns}, strings.Fields(line)...)...).CombinedOutput(); err != nil {
			t.Fatalf("ip %s: %v: %s", line, err, out)
		}
	}
}

// pair is a veth v0-v1 that is up.
var pair = []string{"link add v0 type veth peer name v1", "link set v0 up", "link set v1 up"}

// expect compares the reasons against an interface; each wanted text has to be part of one, and none may be left.
func expect(t *testing.T, ns, ifname string, want ...string) {
	t.Helper()
	reasons, err := Check(ns, ifname)
	if err != nil {
		t.Fatal(err)
	}
	if len(reasons) != len(want) {
		t.Errorf("%s: reasons %q, want %d: %q", ifname, reasons, len(want), want)
		return
	}
	for i, r := range reasons {
		if !strings.Contains(r.Text, want[i]) || !strings.HasPrefix(r.Text, ifname+" ") {
			t.Errorf("%s: reason %q does not say %q", ifname, r.Text, want[i])
		}
		if r.Override != "--allow-interface "+ifname {
			t.Errorf("%s: reason names the override %q", ifname, r.Override)
		}
	}
}

func TestFreeInterface(t *testing.T) {
	ns := namespace(t, pair...)
	expect(t, ns, "v0")
	ip(t, ns, "addr add 198.18.0.1/24 dev v0", "addr add 198.19.255.254/15 dev v0", "addr add 2001:2:0:1::1/64 dev v0 nodad", "route add 198.19.0.0/16 via 198.18.0.2")
	expect(t, ns, "v0")
	expect(t, ns, "v1")
}

func TestDefaultRoute(t *testing.T) {
	ns := namespace(t, append(pair, "addr add 198.18.0.1/24 dev v0", "addr add 2001:2::1/64 dev v0 nodad", "route add default via 198.18.0.2")...)
	expect(t, ns, "v0", "carries the IPv4 default route via 198.18.0.2")
	expect(t, ns, "v1")
	ip(t, ns, "-6 route add default via 2001:2::2")
	expect(t, ns, "v0", "IPv4 default route", "carries the IPv6 default route via 2001:2::2")
}

func TestDefaultRouteOfAnotherTable(t *testing.T) {
	ns := namespace(t, append(pair, "route add default dev v0 table 100")...)
	expect(t, ns, "v0", "carries the IPv4 default route")
}

func TestMultipathDefaultRoute(t *testing.T) {
	ns := namespace(t, append(pair, "addr add 198.18.0.1/24 dev v0", "addr add 198.19.0.1/24 dev v1",
		"route add default nexthop via 198.18.0.2 nexthop via 198.19.0.2")...)
	expect(t, ns, "v0", "IPv4 default route via 198.18.0.2")
	expect(t, ns, "v1", "IPv4 default route via 198.19.0.2")
}

func TestAddress(t *testing.T) {
	ns := namespace(t, append(pair, "addr add 192.0.2.1/24 dev v0", "addr add 198.20.0.1/24 dev v1", "addr add fd00::1/64 dev v1 nodad")...)
	expect(t, ns, "v0", "has the address 192.0.2.1/24 outside")
	expect(t, ns, "v1", "198.20.0.1/24", "fd00::1/64")
}

func TestLoopback(t *testing.T) {
	ns := namespace(t, "link set lo up")
	expect(t, ns, "lo", "is the loopback device")
}

func TestBridgeMember(t *testing.T) {
	ns := namespace(t, append(pair, "link add br0 type bridge", "link set br0 up", "link set v0 master br0")...)
	expect(t, ns, "v0")
	ip(t, ns, "addr add 192.0.2.1/24 dev br0", "route add default via 192.0.2.2")
	expect(t, ns, "v0", "belongs to bridge br0, which carries the IPv4 default route", "belongs to bridge br0, which has the address 192.0.2.1/24")
	expect(t, ns, "br0", "carries the IPv4 default route", "has the address")
	expect(t, ns, "v1")
}

func TestBelowMacvlan(t *testing.T) {
	ns := namespace(t, append(pair, "link add link v0 name m0 type macvlan", "addr add 192.0.2.1/24 dev m0")...)
	expect(t, ns, "v0", "is below macvlan m0, which has the address 192.0.2.1/24")
	expect(t, ns, "v1")
}

// TestSSHSession makes a real connection to port 22 between two namespaces.
func TestSSHSession(t *testing.T) {
	server, client := namespace(t), namespace(t)
	ip(t, server, "link add v0 type veth peer name v1 netns "+client, "link set v0 up", "addr add 198.18.0.1/24 dev v0", "addr add 2001:2::1/64 dev v0 nodad")
	ip(t, client, "link set v1 up", "addr add 198.18.0.2/24 dev v1", "addr add 2001:2::2/64 dev v1 nodad")
	for _, address := range []string{"198.18.0.1", "2001:2::1"} {
		expect(t, server, "v0")
		var listener net.Listener
		var connection net.Conn
		inside(t, server, func() (err error) {
			listener, err = net.Listen("tcp", net.JoinHostPort(address, "22"))
			return err
		})
		expect(t, server, "v0") // a listener alone is no session
		inside(t, client, func() (err error) {
			connection, err = net.Dial("tcp", net.JoinHostPort(address, "22"))
			return err
		})
		accepted, err := listener.Accept()
		if err != nil {
			t.Fatal(err)
		}
		expect(t, server, "v0", "carries an SSH session from "+strings.TrimSuffix(address, "1")+"2 to "+address)
		expect(t, client, "v1") // the client of a session is not cut off by itself
		// The server's end closes last, so that no end stays behind on port 22.
		for _, c := range []interface{ Close() error }{connection, accepted, listener} {
			if err := c.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

func inside(t *testing.T, ns string, f func() error) {
	t.Helper()
	if err := netns.Do(ns, f); err != nil {
		t.Fatal(err)
	}
}

// TestOwnSSHSession believes SSH_CONNECTION, for sshd may listen on another port.
func TestOwnSSHSession(t *testing.T) {
	ns := namespace(t, append(pair, "addr add 198.18.9.2/24 dev v0")...)
	t.Setenv("SSH_CONNECTION", "198.18.9.1 50000 198.18.9.2 2222")
	expect(t, ns, "v0", "carries an SSH session from 198.18.9.1 to 198.18.9.2")
	expect(t, ns, "v1")
	t.Setenv("SSH_CONNECTION", "198.18.8.1 50000 198.18.8.2 2222")
	expect(t, ns, "v0")
}

// TestSSHSessionOfParent hides the variable from a process, as sudo does.
func TestSSHSessionOfParent(t *testing.T) {
	if os.Getenv("GUARD_TEST_CHILD") == "1" {
		_ = os.Unsetenv("SSH_CONNECTION")
		s, ok := ownSession(os.Getpid())
		fmt.Println("session", s.remote, s.local, ok)
		return
	}
	child := exec.Command("sh", "-c", `env -u SSH_CONNECTION "$0" -test.run=TestSSHSessionOfParent -test.v; true`, os.Args[0])
	child.Env = append(os.Environ(), "GUARD_TEST_CHILD=1", "SSH_CONNECTION=2001:db8::5 50000 ::ffff:192.0.2.1 22")
	out, err := child.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "session 2001:db8::5 192.0.2.1 true") {
		t.Errorf("%v: %s", err, out)
	}
}

func TestMissingInterface(t *testing.T) {
	ns := namespace(t)
	if _, err := Check(ns, "eth77"); err == nil || !strings.Contains(err.Error(), "eth77") {
		t.Errorf("an interface that does not exist: %v", err)
	}
	if _, err := Check("lrt-no-such", "eth0"); err == nil || !strings.Contains(err.Error(), "lrt-no-such") {
		t.Errorf("a namespace that does not exist: %v", err)
	}
}

func TestParseConnections(t *testing.T) {
	// Lines as a little-endian kernel prints them: listening, established, another port, IPv4 in IPv6.
	const table = `  sl  local_address rem_address   st tx_queue rx_queue
   0: 00000000:0016 00000000:0000 0A 00000000:00000000
   1: 010212C6:0016 020212C6:C350 01 00000000:00000000
   2: 010212C6:0050 020212C6:C351 01 00000000:00000000
   3: 0000000000000000FFFF0000010200C0:0016 0000000000000000FFFF0000020200C0:C350 01 00000000:00000000
   4: garbage
`
	want := []session{
		{netip.MustParseAddr("198.18.2.1"), netip.MustParseAddr("198.18.2.2")},
		{netip.MustParseAddr("192.0.2.1"), netip.MustParseAddr("192.0.2.2")},
	}
	if got := parseConnections(table); len(got) != 2 || got[0] != want[0] || got[1] != want[1] {
		t.Errorf("connections %v, want %v", got, want)
	}
}

func TestPermit(t *testing.T) {
	reasons := []Reason{
		{"eth0 carries the IPv4 default route", "--allow-interface eth0"},
		{"eth0 has the address 192.0.2.1/24", "--allow-interface eth0"},
		{"destination 10.0.0.0/8 lies outside", "--allow-destination 10.0.0.0/8"},
	}
	overridden, err := Permit(reasons, []string{"--allow-interface eth0", "--allow-interface eth1"})
	if len(overridden) != 2 || err == nil || !strings.Contains(err.Error(), "--allow-destination 10.0.0.0/8") || strings.Contains(err.Error(), "eth0") {
		t.Errorf("one override of two: %d overridden, %v", len(overridden), err)
	}
	_, err = Permit(reasons, nil)
	if err == nil || strings.Count(err.Error(), "--allow-interface eth0") != 1 || !strings.Contains(err.Error(), "RFC 6815") {
		t.Errorf("no override: %v", err)
	}
	if overridden, err = Permit(reasons, []string{"--allow-interface eth0", "--allow-destination 10.0.0.0/8"}); err != nil || len(overridden) != 3 {
		t.Errorf("both overrides: %d overridden, %v", len(overridden), err)
	}
	if overridden, err = Permit(nil, nil); err != nil || overridden != nil {
		t.Errorf("no reasons: %v, %v", overridden, err)
	}
}

func TestCheckDestination(t *testing.T) {
	for prefix, free := range map[string]bool{
		"198.18.0.0/15": true, "198.19.1.0/24": true, "198.18.0.1/32": true, "2001:2::/48": true, "2001:2:0:8001::/64": true,
		"198.16.0.0/14": false, "198.20.0.0/16": false, "10.0.0.0/8": false, "2001:2::/47": false, "2001:2:1::/64": false, "0.0.0.0/0": false,
	} {
		reasons := CheckDestination(netip.MustParsePrefix(prefix))
		if (len(reasons) == 0) != free {
			t.Errorf("destination %s: %v", prefix, reasons)
		}
		if !free && reasons[0].Override != "--allow-destination "+prefix {
			t.Errorf("destination %s: override %q", prefix, reasons[0].Override)
		}
	}
}
