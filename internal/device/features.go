package device

import (
	"errors"
	"fmt"

	"github.com/vishvananda/netlink"
	"github.com/vishvananda/netlink/nl"
	"golang.org/x/sys/unix"

	"github.com/linerate/linerate/internal/netns"
)

// Of the generic netlink family "netdev" (include/uapi/linux/netdev.h, Linux 6.3).
const (
	netdevFamily         = "netdev"
	netdevCmdDevGet      = 1
	netdevDevIfindex     = 1
	netdevDevXDPFeatures = 3
	netdevXDPNdoXmit     = 1 << 2
)

// TakesXDPFrames asks the kernel whether a device takes frames that are redirected
// to it. Of a veth this is so as long as its peer has an XDP program or GRO on.
// known is false on kernels that do not tell.
func TakesXDPFrames(ns string, ifindex int) (takes, known bool, err error) {
	err = netns.Do(ns, func() error {
		family, err := netlink.GenlFamilyGet(netdevFamily)
		if errors.Is(err, unix.ENOENT) {
			return nil
		}
		if err != nil {
			return err
		}
		request := nl.NewNetlinkRequest(int(family.ID), 0)
		// The whole header is written here: the kernel checks that its reserved bytes are zero.
		header := []byte{netdevCmdDevGet, uint8(family.Version), 0, 0}
		request.AddRawData(append(header, nl.NewRtAttr(netdevDevIfindex, nl.Uint32Attr(uint32(ifindex))).Serialize()...))
		messages, err := request.Execute(unix.NETLINK_GENERIC, 0)
		if err != nil {
			return err
		}
		for _, m := range messages {
			attributes, err := nl.ParseRouteAttr(m[nl.SizeofGenlmsg:])
			if err != nil {
				return err
			}
			for _, a := range attributes {
				if a.Attr.Type == netdevDevXDPFeatures && len(a.Value) >= 8 {
					takes, known = nl.NativeEndian().Uint64(a.Value)&netdevXDPNdoXmit != 0, true
				}
			}
		}
		return nil
	})
	if err != nil {
		err = fmt.Errorf("ask for the XDP features of interface %d: %w", ifindex, err)
	}
	return takes, known, err
}
