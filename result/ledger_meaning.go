package result

import "strings"

// Cause is the kind of a drop.
type Cause string

// The values of Cause.
const (
	// Overload: the DUT was too slow to take the frame.
	Overload Cause = "overload"
	// Policy: a rule or a program on the DUT said so. More CPU changes nothing.
	Policy Cause = "policy"
	// Path: the DUT could not forward the frame: no route, expired, damaged, too long, link down.
	Path Cause = "path"
	// Instrument: the tester lost it.
	Instrument Cause = "tester"
	// Unknown: the kernel does not say.
	Unknown Cause = "unknown"
)

// meaning says what a drop reason means.
type meaning struct {
	cause Cause
	text  string
}

// meanings are those of drop reasons (include/net/dropreason-core.h, Linux 6.18) and of
// the reasons that linerate names itself. A key may end in a function: "REASON function".
var meanings = map[string]meaning{
	"RECEIVE_RING_FULL":        {Overload, "the receive ring was full: frames came faster than the device's CPU took them out"},
	"XDP_DROP":                 {Policy, "an XDP program on the DUT dropped or aborted them"},
	"XDP_RX_ERROR":             {Path, "the driver could not make a packet of them, or an XDP program redirected them to nowhere"},
	"DEVICE_DOWN":              {Path, "the device was down or had no carrier"},
	"DEV_READY":                {Path, "the receiving device was down"},
	"NETFILTER_DROP":           {Policy, "a firewall rule or a hook of netfilter dropped them"},
	"IP_INNOROUTES":            {Path, "there was no route to the destination"},
	"IP_OUTNOROUTES":           {Path, "there was no route to the destination"},
	"IP_INADDRERRORS":          {Path, "their address was not one to forward to"},
	"IP_INHDR":                 {Path, "their IP header was not valid or their TTL had expired"},
	"IP_CSUM":                  {Path, "the checksum of their IP header was wrong"},
	"IP_RPFILTER":              {Policy, "the reverse path filter did not accept their source"},
	"PKT_TOO_BIG":              {Path, "they were longer than the MTU of the outgoing device and must not be fragmented"},
	"PKT_TOO_SMALL":            {Path, "they were shorter than their headers say"},
	"OTHERHOST":                {Path, "their MAC address was not the device's"},
	"QDISC_DROP":               {Policy, "the queueing discipline of the outgoing device was full or limits its rate"},
	"QDISC_OVERLIMIT":          {Policy, "the queueing discipline of the outgoing device was full or limits its rate"},
	"QDISC_CONGESTED":          {Policy, "the queueing discipline of the outgoing device dropped them early"},
	"CPU_BACKLOG":              {Overload, "the backlog of a CPU was full (net.core.netdev_max_backlog)"},
	"NEIGH_FAILED":             {Path, "the MAC address of the next hop is not known"},
	"NEIGH_QUEUEFULL":          {Path, "too many waited for the MAC address of the next hop"},
	"TC_INGRESS":               {Policy, "a tc filter dropped them on arrival"},
	"TC_EGRESS":                {Policy, "a tc filter dropped them on departure"},
	"XDP":                      {Policy, "an XDP program on the DUT dropped them"},
	"NOMEM":                    {Overload, "the kernel had no memory for them"},
	"XFRM_POLICY":              {Policy, "no IPsec policy lets them pass"},
	"FULL_RING":                {Overload, "a ring between two devices was full"},
	"NO_SOCKET":                {Path, "they were for the DUT itself and nobody listens there"},
	"UNHANDLED_PROTO":          {Path, "nothing on the DUT takes frames of that protocol"},
	"NOT_SPECIFIED":            {Unknown, "the kernel gives no reason; the place tells more"},
	"QUEUE_PURGE":              {Path, "the queue that they waited in was emptied"},
	"BRIDGE_INGRESS_STP_STATE": {Path, "the bridge port was not forwarding"},

	"NETFILTER_DROP connection tracking": {Overload, "connection tracking could not make an entry: the table was full (nf_conntrack_max)"},
	"NOT_SPECIFIED ip_error":             {Path, "the route to the destination is a blackhole"},
	"NOT_SPECIFIED dst_discard":          {Path, "the route to the destination is a blackhole"},
	"NOT_SPECIFIED dst_discard_out":      {Path, "the route to the destination is a blackhole"},
	"NOT_SPECIFIED veth_xdp_rcv_skb":     {Policy, "an XDP program on the DUT dropped them"},
}

func (d Drop) meaning() meaning {
	function, _, _ := strings.Cut(d.Place, "+")
	if strings.HasPrefix(d.Place, "connection tracking") || strings.HasPrefix(d.Place, "counter conntrack") {
		function = "connection tracking"
	}
	if m, known := meanings[d.Reason+" "+function]; known {
		return m
	}
	if m, known := meanings[d.Reason]; known {
		return m
	}
	switch {
	case strings.HasPrefix(d.Reason, "REDIRECT_FAILED_"), strings.HasPrefix(d.Reason, "XMIT_FAILED_"):
		return meaning{Path, "the outgoing device refused them"}
	}
	return meaning{Unknown, "a drop reason of the kernel (enum skb_drop_reason)"}
}

// Cause is the kind of the drop.
func (d Drop) Cause() Cause {
	if d.Side == TesterSide {
		return Instrument
	}
	return d.meaning().cause
}

// Meaning says in words why the frames were dropped.
func (d Drop) Meaning() string {
	if d.Side == TesterSide && d.Reason == "RECEIVE_RING_FULL" {
		return "the sink's receive ring was full: the tester lost them, not the DUT"
	}
	return d.meaning().text
}
