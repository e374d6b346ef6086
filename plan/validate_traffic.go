package plan

import (
	"fmt"
	"slices"
)

func (c *checker) traffic(t Traffic, mtu int) {
	listRule(c, "traffic.ip_version", t.IPVersions, "IP version", plainText[int], func(path string, v int) {
		if v != 4 && v != 6 {
			c.add(path, "", "write 4, 6 or both", "there is no IP version %d", v)
		} else if v == 6 && mtu >= int(intRanges["lab.mtu_bytes"].min) && mtu < minMTUBytesIPv6 {
			c.add(path, "lab.mtu_bytes", "set lab.mtu_bytes to 1280 or more",
				"IPv6 needs links with an MTU of at least %s bytes (RFC 8200), lab.mtu_bytes is %d", grouped(minMTUBytesIPv6), mtu)
		}
	})
	ipv6 := slices.Contains(t.IPVersions, 6)
	listRule(c, "traffic.frame_size", t.FrameSizes, "frame size", plainText[FrameSize], func(path string, f FrameSize) {
		c.frameSize(path, f, mtu, ipv6)
	})
	listRule(c, "traffic.flows", t.Flows, "number of flows", plainText[int], func(path string, flows int) {
		if flows < 1 || flows > MaxFlows {
			c.add(path, "", "", "%s flows: a cell needs 1 to %s flows", grouped(int64(flows)), grouped(MaxFlows))
		}
	})
	listRule(c, "traffic.directions", t.Directions, "direction", plainText[Direction], func(path string, d Direction) {
		if d != Uni && d != Bi {
			c.add(path, "", didYouMean(string(d), []string{string(Uni), string(Bi)}), "unknown direction %s", shown(string(d)))
		}
	})
	c.engine(t)
}

// frameSize checks one size against the frame formats and against the MTU. The
// least and greatest sizes of IMIX count like sizes of their own.
func (c *checker) frameSize(path string, f FrameSize, mtu int, ipv6 bool) {
	least, greatest := f, f
	if f == IMIX {
		least, greatest = MinFrameSize, largestIMIX
	}
	switch {
	case least < MinFrameSize:
		c.add(path, "", "", "%s is below the least frame of %s (46 bytes of IPv4 packet, 18 of Ethernet header and FCS)",
			f.Label(), MinFrameSize.Label())
		return
	case greatest > MaxFrameSize:
		c.add(path, "", "", "%s is above the greatest frame of %s (jumbo, MTU 9000)", f.Label(), MaxFrameSize.Label())
		return
	case ipv6 && f == IMIX:
		c.add(path, "traffic.ip_version", "measure imix with ip_version [4], and IPv6 with single sizes of 84 or more",
			"imix has frames of %s, and IPv6 needs %s to hold the 18 bytes that mark a test frame", MinFrameSize.Label(), MinFrameSizeIPv6.Label())
	case ipv6 && f < MinFrameSizeIPv6:
		c.add(path, "traffic.ip_version", "set traffic.frame_size to 84 or more, or ip_version to [4]",
			"%s is too small for IPv6: %s is the least that holds the 18 bytes that mark a test frame", f.Label(), MinFrameSizeIPv6.Label())
	}
	if int(greatest) > mtu+EthernetBytes && mtu >= int(intRanges["lab.mtu_bytes"].min) {
		size := f.Label()
		if f == IMIX {
			size = fmt.Sprintf("IMIX (up to %s)", largestIMIX.Label())
		}
		c.add(path, "lab.mtu_bytes", fmt.Sprintf("set lab.mtu_bytes to %d or more", int(greatest)-EthernetBytes),
			"%s does not fit: lab.mtu_bytes %d carries frames up to %s", size, mtu, FrameSize(mtu+EthernetBytes).Label())
	}
}
