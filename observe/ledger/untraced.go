package ledger

import (
	"strings"

	"github.com/linerate/linerate/result"
)

// lostByCounter are the counters of which each step is a lost frame that no other of
// them counts, with the drop reason that a traced trial would give. A frame with a
// bad checksum is in Ip.InHdrErrors too, and one that is too long for IPv6 in
// Ip6FragFails (ip6_forward, net/ipv6/ip6_output.c, Linux 6.18).
var lostByCounter = map[string]string{
	"Ip.InHdrErrors": "IP_INHDR", "Ip.InAddrErrors": "IP_INADDRERRORS", "IpExt.InNoRoutes": "IP_INNOROUTES", "Ip.InDiscards": "NOMEM",
	"Ip.OutDiscards": "NOT_SPECIFIED", "Ip.OutNoRoutes": "IP_OUTNOROUTES", "Ip.FragFails": "PKT_TOO_BIG",
	"Ip6InHdrErrors": "IP_INHDR", "Ip6InAddrErrors": "IP_INADDRERRORS", "Ip6InNoRoutes": "IP_INNOROUTES", "Ip6InDiscards": "NOMEM",
	"Ip6OutDiscards": "NOT_SPECIFIED", "Ip6OutNoRoutes": "IP_OUTNOROUTES", "Ip6FragFails": "PKT_TOO_BIG",
	conntrackDrop: "NETFILTER_DROP",
}

// protocolPlace begins the place of a drop that a counter tells of that may have
// counted foreign frames too.
const protocolPlace = "counter "

// Certain tells whether a drop is known to be of test frames: it was traced, or it is of
// a link that only the tester sends on.
func Certain(d result.Drop) bool { return !strings.HasPrefix(d.Place, protocolPlace) }

// untraced are the drops as the kernel's counters tell of them. They count foreign
// frames too, and not what rules drop.
func (e evidence) untraced() (drops []result.Drop) {
	for key, n := range e.counters {
		if reason := lostByCounter[key.name]; reason != "" {
			drops = append(drops, result.Drop{Reason: reason, Place: protocolPlace + key.name, Side: result.DUTSide, Frames: n})
		}
	}
	for _, d := range e.devices {
		for name, n := range e.growth[d.Name].queues {
			if n > 0 {
				drops = append(drops, result.Drop{Reason: "QDISC_DROP", Place: protocolPlace + queueCounter(name), Side: d.Side, Device: d.Label, Frames: n})
			}
		}
	}
	return drops
}

func queueCounter(kind string) string { return "qdisc." + kind + ".drops" }
