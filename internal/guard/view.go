package guard

import (
	"fmt"
	"net"
	"net/netip"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"
)

// view is what the interfaces of one namespace carry, by interface index.
type view struct {
	links     []netlink.Link
	carries   map[int][]string // clauses without a subject
	addressOn map[netip.Addr]int
}

// look takes the view of the calling thread's namespace.
func look() (*view, error) {
	v := &view{carries: map[int][]string{}, addressOn: map[netip.Addr]int{}}
	var err error
	if v.links, err = netlink.LinkList(); err != nil {
		return nil, fmt.Errorf("list interfaces: %w", err)
	}
	if err := v.lookRoutes(); err != nil {
		return nil, err
	}
	if err := v.lookAddresses(); err != nil {
		return nil, err
	}
	return v, v.lookSSH()
}

func (v *view) note(ifindex int, format string, a ...any) {
	v.carries[ifindex] = append(v.carries[ifindex], fmt.Sprintf(format, a...))
}

// lookRoutes notes default routes of all tables: policy routing may use any.
func (v *view) lookRoutes() error {
	for _, family := range []struct{ id, version int }{{unix.AF_INET, 4}, {unix.AF_INET6, 6}} {
		routes, err := netlink.RouteListFiltered(family.id, &netlink.Route{Table: unix.RT_TABLE_UNSPEC}, netlink.RT_FILTER_TABLE)
		if err != nil {
			return fmt.Errorf("list IPv%d routes: %w", family.version, err)
		}
		for _, r := range routes {
			if r.Type != unix.RTN_UNICAST || !isDefault(r.Dst) {
				continue
			}
			v.noteDefault(r.LinkIndex, family.version, r.Gw)
			for _, hop := range r.MultiPath {
				v.noteDefault(hop.LinkIndex, family.version, hop.Gw)
			}
		}
	}
	return nil
}

func isDefault(n *net.IPNet) bool {
	if n == nil {
		return true
	}
	ones, _ := n.Mask.Size()
	return ones == 0
}

func (v *view) noteDefault(ifindex, version int, gateway net.IP) {
	switch {
	case ifindex == 0: // of the next hops of a multipath route only
	case gateway == nil:
		v.note(ifindex, "carries the IPv%d default route", version)
	default:
		v.note(ifindex, "carries the IPv%d default route via %v", version, gateway)
	}
}

// lookAddresses notes the global addresses outside the benchmarking blocks.
func (v *view) lookAddresses() error {
	addresses, err := netlink.AddrList(nil, netlink.FAMILY_ALL)
	if err != nil {
		return fmt.Errorf("list addresses: %w", err)
	}
	for _, a := range addresses {
		ip, ok := netip.AddrFromSlice(a.IP)
		if !ok {
			continue
		}
		ip = ip.Unmap()
		v.addressOn[ip] = a.LinkIndex
		if a.Scope == unix.RT_SCOPE_UNIVERSE && !ip.IsLoopback() && !benchmarking(ip) {
			v.note(a.LinkIndex, "has the address %v outside the benchmarking blocks %s", a.IPNet, blocksText)
		}
	}
	return nil
}

// against tells what speaks against sending on a link: what it carries itself, and
// what the interfaces carry that receive its frames or send through it.
func (v *view) against(link netlink.Link) (texts []string) {
	own := link.Attrs()
	for _, c := range v.carries[own.Index] {
		texts = append(texts, own.Name+" "+c)
	}
	seen := map[int]bool{own.Index: true}
	for member := link; ; {
		master := v.byIndex(member.Attrs().MasterIndex)
		if master == nil || seen[master.Attrs().Index] {
			break
		}
		seen[master.Attrs().Index] = true
		for _, c := range v.carries[master.Attrs().Index] {
			texts = append(texts, fmt.Sprintf("%s belongs to %s %s, which %s", own.Name, master.Type(), master.Attrs().Name, c))
		}
		member = master
	}
	for _, upper := range v.links {
		if !sharesWire(upper) || upper.Attrs().ParentIndex != own.Index {
			continue
		}
		for _, c := range v.carries[upper.Attrs().Index] {
			texts = append(texts, fmt.Sprintf("%s is below %s %s, which %s", own.Name, upper.Type(), upper.Attrs().Name, c))
		}
	}
	return texts
}

func (v *view) byIndex(ifindex int) netlink.Link {
	for _, l := range v.links {
		if l.Attrs().Index == ifindex {
			return l
		}
	}
	return nil
}

// sharesWire is true of the kinds whose parent is the interface that they send
// through. Of a veth the parent is its peer, of a tunnel only a hint.
func sharesWire(l netlink.Link) bool {
	switch l.Type() {
	case "vlan", "macvlan", "macvtap", "ipvlan", "ipvtap", "macsec":
		return true
	}
	return false
}
