package guard

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/vishvananda/netlink"
)

const (
	sshPort        = 22
	tcpEstablished = "01" // include/net/tcp_states.h, in hexadecimal
)

// session is the two ends of an SSH connection that ends at this machine.
type session struct{ local, remote netip.Addr }

// lookSSH notes established connections to port 22, and the session that this
// process was started from, whatever its port.
func (v *view) lookSSH() error {
	sessions, err := sshConnections()
	if err != nil {
		return err
	}
	if s, ok := ownSession(os.Getpid()); ok {
		sessions = append(sessions, s)
	}
	noted := map[string]bool{}
	for _, s := range sessions {
		if s.local.IsLoopback() {
			continue
		}
		for _, ifindex := range v.interfacesOf(s) {
			if key := fmt.Sprint(ifindex, s); !noted[key] {
				noted[key] = true
				v.note(ifindex, "carries an SSH session from %v to %v", s.remote, s.local)
			}
		}
	}
	return nil
}

// interfacesOf are the interface that has the local address and the one that the
// route back leaves by; either may be missing in another namespace.
func (v *view) interfacesOf(s session) (list []int) {
	holder, held := v.addressOn[s.local]
	if held {
		list = append(list, holder)
	}
	routes, err := netlink.RouteGet(s.remote.AsSlice())
	if err != nil || !held {
		return list
	}
	for _, r := range routes {
		if r.LinkIndex != holder {
			list = append(list, r.LinkIndex)
		}
	}
	return list
}

func sshConnections() (list []session, err error) {
	for _, name := range []string{"tcp", "tcp6"} {
		text, err := os.ReadFile(filepath.Join("/proc/thread-self/net", name))
		if os.IsNotExist(err) {
			continue // no IPv6 in this kernel
		}
		if err != nil {
			return nil, fmt.Errorf("list TCP connections: %w", err)
		}
		list = append(list, parseConnections(string(text))...)
	}
	return list, nil
}

// parseConnections reads the established connections to the SSH port from a table
// of /proc/net/tcp or tcp6 (Linux Documentation/networking/proc_net_tcp.rst).
func parseConnections(table string) (list []session) {
	for line := range strings.Lines(table) {
		f := strings.Fields(line)
		if len(f) < 4 || f[3] != tcpEstablished {
			continue
		}
		local, localPort, ok := parseEnd(f[1])
		remote, _, remoteOK := parseEnd(f[2])
		if ok && remoteOK && localPort == sshPort {
			list = append(list, session{local, remote})
		}
	}
	return list
}

// parseEnd reads an address, printed as words in the byte order of the machine, and its port.
func parseEnd(text string) (a netip.Addr, port uint64, ok bool) {
	address, portText, _ := strings.Cut(text, ":")
	b, err := hex.DecodeString(address)
	if err != nil || len(b)%4 != 0 {
		return a, 0, false
	}
	for i := 0; i < len(b); i += 4 {
		binary.NativeEndian.PutUint32(b[i:], binary.BigEndian.Uint32(b[i:]))
	}
	if port, err = strconv.ParseUint(portText, 16, 16); err != nil {
		return a, 0, false
	}
	a, ok = netip.AddrFromSlice(b)
	return a.Unmap(), port, ok
}

// ownSession is the session named by SSH_CONNECTION of this process or of the
// nearest process above it that has one: sudo takes the variable away.
func ownSession(pid int) (session, bool) {
	if s, ok := parseSSHConnection(os.Getenv("SSH_CONNECTION")); ok {
		return s, true
	}
	for range 64 { // deeper than any session; ends a loop of reused process numbers
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil {
			return session{}, false
		}
		// The parent is the second field behind the command, which is in parentheses and may hold spaces.
		f := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
		if len(f) < 2 {
			return session{}, false
		}
		if pid, _ = strconv.Atoi(f[1]); pid < 1 {
			return session{}, false
		}
		environment, _ := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid)) // unreadable: nothing is known of it
		for variable := range strings.SplitSeq(string(environment), "\x00") {
			if value, ok := strings.CutPrefix(variable, "SSH_CONNECTION="); ok {
				return parseSSHConnection(value)
			}
		}
	}
	return session{}, false
}

// parseSSHConnection reads "client port server port" (sshd, ENVIRONMENT).
func parseSSHConnection(value string) (session, bool) {
	f := strings.Fields(value)
	if len(f) != 4 {
		return session{}, false
	}
	remote, err1 := netip.ParseAddr(f[0])
	local, err2 := netip.ParseAddr(f[2])
	return session{local.Unmap().WithZone(""), remote.Unmap().WithZone("")}, err1 == nil && err2 == nil
}
