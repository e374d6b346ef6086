package journal

import (
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"net/netip"

	"github.com/linerate/linerate/frame"
	"github.com/linerate/linerate/internal/netns"
	"golang.org/x/sys/unix"
)

// The kinds of action on many routes at once.
const (
	// AddRoutes enters Routes into the main routing table.
	AddRoutes Kind = "add-routes"
	// DeleteRoutes takes them out. Those that are not there are no error.
	DeleteRoutes Kind = "delete-routes"
)

// Routes are routes to neighbouring prefixes of one length, by one gateway.
type Routes struct {
	// First is the first prefix; the others follow it without a gap.
	First  netip.Prefix `json:"first"`
	Count  int          `json:"count"`
	Via    netip.Addr   `json:"via"`
	Device string       `json:"device"`
}

// line is a shell line that enters or takes out the routes: a program prints them, as
// nobody reads a million of them.
func (r Routes) line(verb, in string) string {
	first, host := r.First.Addr(), r.First.Addr().BitLen()-r.First.Bits()
	if first.Is4() {
		b := first.As4()
		return fmt.Sprintf(`awk 'BEGIN { for (i = 0; i < %d; i++) { a = %d + i * %d; printf "route %s %%d.%%d.%%d.%%d/%d via %v dev %s\n", a / 2^24, a / 2^16 %% 256, a / 2^8 %% 256, a %% 256 } }' | %sip -batch -`,
			r.Count, binary.BigEndian.Uint32(b[:]), 1<<host, verb, r.First.Bits(), r.Via, r.Device, in)
	}
	return fmt.Sprintf(`python3 -c 'import ipaddress
for i in range(%d): print("route %s %%s/%d via %v dev %s" %% (ipaddress.IPv6Address("%v") + (i << %d)))' | %sip -6 -batch -`,
		r.Count, verb, r.First.Bits(), r.Via, r.Device, first, host, in)
}

// routesPerRequest is how many routes the kernel is handed before it is asked whether
// all of them were taken.
const routesPerRequest = 1000

// answersBytes holds as many answers, with what the kernel counts for each.
const answersBytes = routesPerRequest * 4096

// routes makes an action on many routes: a million in a few seconds, where one request
// and one answer for each would take half a minute. The kernel works through the routes of a
// request one by one and answers to the last and to those that it refuses.
func (a Action) routes() error {
	r := a.Routes
	if r == nil || !r.First.IsValid() || r.First.Addr().Is4() != r.Via.Is4() {
		return fmt.Errorf("%s: the journal names no routes: it is from another version of linerate", a.Kind)
	}
	return netns.Do(a.Netns, func() error {
		device, err := net.InterfaceByName(r.Device)
		if err != nil {
			return fmt.Errorf("%s to %v: find device %s: %w", a.Kind, r.First, r.Device, err)
		}
		s, err := unix.Socket(unix.AF_NETLINK, unix.SOCK_RAW|unix.SOCK_CLOEXEC, unix.NETLINK_ROUTE)
		if err != nil {
			return fmt.Errorf("%s: open a netlink socket: %w", a.Kind, err)
		}
		defer unix.Close(s)
		// All routes of a request may be refused, each by an answer of its own.
		if err := errors.Join(unix.SetsockoptInt(s, unix.SOL_SOCKET, unix.SO_RCVBUFFORCE, answersBytes), unix.SetsockoptInt(s, unix.SOL_NETLINK, unix.NETLINK_CAP_ACK, 1)); err != nil {
			return fmt.Errorf("%s: make room for answers in a netlink socket: %w", a.Kind, err)
		}
		for done := 0; done < r.Count; {
			n := min(routesPerRequest, r.Count-done)
			request := r.request(a.Kind, device.Index, done, n)
			if err := unix.Sendto(s, request, 0, &unix.SockaddrNetlink{Family: unix.AF_NETLINK}); err != nil {
				return fmt.Errorf("%s %d of %d: %w", a.Kind, done+1, r.Count, err)
			}
			if err := answers(s, uint32(done+n), a.Kind); err != nil {
				return fmt.Errorf("%s %d to %d of %d, from %v on: %w", a.Kind, done+1, done+n, r.Count, r.First, err)
			}
			done += n
		}
		return nil
	})
}

// request holds n messages from route number first on (rtnetlink(7)). The sequence number
// of each is that of its route, counted from 1.
func (r Routes) request(kind Kind, ifindex, first, n int) []byte {
	native := binary.NativeEndian
	message, flags := uint16(unix.RTM_NEWROUTE), uint16(unix.NLM_F_REQUEST|unix.NLM_F_CREATE|unix.NLM_F_EXCL)
	if kind == DeleteRoutes {
		message, flags = unix.RTM_DELROUTE, unix.NLM_F_REQUEST
	}
	family := byte(unix.AF_INET)
	if r.First.Addr().Is6() {
		family = unix.AF_INET6
	}
	var b []byte
	for i := first; i < first+n; i++ {
		start := len(b)
		if i == first+n-1 {
			flags |= unix.NLM_F_ACK
		}
		b = append(b, 0, 0, 0, 0) // length, below
		b = native.AppendUint16(b, message)
		b = native.AppendUint16(b, flags)
		b = native.AppendUint32(b, uint32(i+1))
		b = append(b, 0, 0, 0, 0)
		b = append(b, family, byte(r.First.Bits()), 0, 0, unix.RT_TABLE_MAIN, unix.RTPROT_STATIC, unix.RT_SCOPE_UNIVERSE, unix.RTN_UNICAST, 0, 0, 0, 0)
		b = attribute(b, unix.RTA_DST, frame.Subnet(r.First, r.First.Bits(), i).Addr().AsSlice())
		b = attribute(b, unix.RTA_GATEWAY, r.Via.AsSlice())
		b = attribute(b, unix.RTA_OIF, native.AppendUint32(nil, uint32(ifindex)))
		native.PutUint32(b[start:], uint32(len(b)-start))
	}
	return b
}

func attribute(b []byte, kind uint16, value []byte) []byte {
	b = binary.NativeEndian.AppendUint16(b, uint16(unix.SizeofRtAttr+len(value)))
	return append(binary.NativeEndian.AppendUint16(b, kind), value...) // all values are multiples of four bytes
}

// answers reads until the answer to message last. The first refusal is the error.
func answers(socket int, last uint32, kind Kind) error {
	native := binary.NativeEndian
	var refused error
	buffer := make([]byte, 1<<16)
	for {
		n, _, err := unix.Recvfrom(socket, buffer, 0)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil {
			return err
		}
		for m := buffer[:n]; len(m) >= unix.SizeofNlMsghdr+4; {
			length := int(native.Uint32(m))
			if length < unix.SizeofNlMsghdr+4 || length > len(m) {
				return fmt.Errorf("the kernel's answer of %d bytes ends within a message", n)
			}
			number := native.Uint32(m[8:])
			code := unix.Errno(-int32(native.Uint32(m[unix.SizeofNlMsghdr:])))
			absent := kind == DeleteRoutes && code == unix.ESRCH
			if native.Uint16(m[4:]) == unix.NLMSG_ERROR && code != 0 && !absent && refused == nil {
				refused = fmt.Errorf("the kernel refuses route %d: %w", number, code)
			}
			if number == last {
				return refused
			}
			m = m[min(len(m), (length+unix.NLMSG_ALIGNTO-1)&^(unix.NLMSG_ALIGNTO-1)):]
		}
	}
}
