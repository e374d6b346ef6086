package ledger

import (
	"maps"
	"testing"

	"github.com/linerate/linerate/result"
	"golang.org/x/sys/unix"
)

var (
	portA = Device{Name: "a-1", Label: "a", Side: result.TesterSide, Peer: "da-1"}
	dutA  = Device{Name: "da-1", Label: "da", Side: result.DUTSide, Peer: "a-1"}
	dutB  = Device{Name: "db-1", Label: "db", Side: result.DUTSide, Peer: "b-1"}
	portB = Device{Name: "b-1", Label: "b", Side: result.TesterSide, Peer: "db-1"}
)

func skb(at Device, reason, function string, frames uint64) observed {
	return observed{kind: testFrame, reason: reason, function: function, place: function + "+0x1", device: at, frames: frames}
}

// TestEveryFrameOnce has the kernel tell of frames twice, and requires that each is
// counted once, under the name that says most.
func TestEveryFrameOnce(t *testing.T) {
	tests := []struct {
		name     string
		drops    []observed
		growth   map[string]deviceReading
		counters map[string]uint64
		lost     uint64
		want     map[string]uint64 // by reason and device
	}{
		{"refused skbs are traced too", []observed{skb(portB, "NOT_SPECIFIED", "veth_xmit", 70)}, map[string]deviceReading{dutB.Name: {txDropped: 100}}, nil, 100,
			map[string]uint64{"RECEIVE_RING_FULL b": 100}},
		{"a receiver that is down", []observed{skb(portB, "DEV_READY", "enqueue_to_backlog", 60)}, map[string]deviceReading{dutB.Name: {txDropped: 100}}, nil, 100,
			map[string]uint64{"DEV_READY b": 60, "RECEIVE_RING_FULL b": 40}},
		{"frames that a device that is down refuses", []observed{{kind: xmitFailed, code: uint32(unix.ENXIO), device: portA, frames: 80}}, map[string]deviceReading{portA.Name: {txDropped: 100}}, nil, 100,
			map[string]uint64{"DEVICE_DOWN da": 80, "RECEIVE_RING_FULL da": 20}},
		{"the same where the driver does not count them", []observed{{kind: xmitFailed, code: uint32(unix.ENXIO), device: portA, frames: 80}}, nil, nil, 80,
			map[string]uint64{"DEVICE_DOWN da": 80}},
		{"a device without carrier drops by a queue that counts nothing", []observed{skb(dutB, "QDISC_DROP", "__dev_queue_xmit", 50)}, map[string]deviceReading{dutB.Name: {txDropped: 50, queues: map[string]uint64{"tbf": 20}}}, nil, 70,
			map[string]uint64{"DEVICE_DOWN db": 30, "QDISC_DROP db": 20, "RECEIVE_RING_FULL b": 20}},
		{"an XDP program and its skbs", []observed{skb(dutA, "NOT_SPECIFIED", sinkSymbol, 30), {kind: xdpException, device: dutA, frames: 90}}, map[string]deviceReading{dutA.Name: {xdpDrops: 100}}, nil, 100,
			map[string]uint64{"NOT_SPECIFIED da": 30, "XDP_DROP da": 70}},
		{"a full table among what netfilter drops", []observed{skb(dutA, "NETFILTER_DROP", "nf_hook_slow", 100), skb(dutA, "NETFILTER_DROP", "nft_do_chain", 5)}, nil, map[string]uint64{conntrackDrop: 60, "Ip.InHdrErrors": 3}, 105,
			map[string]uint64{"NETFILTER_DROP da": 105}},
		{"foreign and late frames", []observed{{kind: foreignFrame, device: dutA, frames: 9}, {kind: lateFrame, device: dutA, frames: 9}}, nil, nil, 0, map[string]uint64{}},
		{"a redirect to a device that is down", []observed{{kind: redirectFailed, code: uint32(unix.ENETDOWN), device: dutB, frames: 4}, {kind: redirectFailed, code: uint32(unix.EMSGSIZE), device: dutB, frames: 3}}, nil, nil, 7,
			map[string]uint64{"DEVICE_DOWN db": 4, "REDIRECT_FAILED_EMSGSIZE db": 3}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e := evidence{traced: true, devices: []Device{portA, dutA, dutB, portB}, drops: tt.drops, growth: tt.growth, counters: map[counterKey]uint64{}}
			for name, n := range tt.counters {
				e.counters[counterKey{name: name}] = n
			}
			l := e.balance(1000, 1000-tt.lost)
			got := map[string]uint64{}
			for _, d := range l.Drops {
				got[d.Reason+" "+d.Device] += d.Frames
			}
			if !maps.Equal(got, tt.want) || l.Unexplained != 0 {
				t.Errorf("%v, %d unexplained; want %v", got, l.Unexplained, tt.want)
			}
		})
	}
}

func TestUntracedLedgerIsMadeOfCounters(t *testing.T) {
	e := evidence{devices: []Device{portA, dutA, dutB, portB}, growth: map[string]deviceReading{portA.Name: {txDropped: 10}, dutB.Name: {queues: map[string]uint64{"tbf": 5}}},
		counters: map[counterKey]uint64{{name: "Ip.InHdrErrors"}: 3, {name: "IpExt.InCsumErrors"}: 3, {name: "Ip.ForwDatagrams"}: 100, {name: conntrackDrop}: 2}}
	l := e.balance(100, 75)
	if l.Traced || l.Dropped() != 20 || l.Unexplained != 5 {
		t.Errorf("%d frames under a name and %d unexplained, want 20 and 5: %+v", l.Dropped(), l.Unexplained, l.Drops)
	}
	certain := uint64(0)
	for _, d := range l.Drops {
		if Certain(d) {
			certain += d.Frames
		}
	}
	if certain != 10 {
		t.Errorf("%d frames are certain, want the 10 that the ring refused", certain)
	}
}

func TestProtocolCounters(t *testing.T) {
	counters := map[counterKey]uint64{}
	for _, file := range []string{
		"Ip: Forwarding InHdrErrors InAddrErrors ForwDatagrams\nIp: 1 7 8 9\nIcmp: InMsgs\nIcmp: 3\n",
		"TcpExt: SyncookiesSent\nTcpExt: 4\nIpExt: InNoRoutes InTruncatedPkts\nIpExt: 11 12\n",
		"Ip6InReceives                   \t5\nIp6InHdrErrors                  \t13\n",
	} {
		if err := addProtocols(counters, []byte(file)); err != nil {
			t.Fatal(err)
		}
	}
	want := map[counterKey]uint64{{name: "Ip.InHdrErrors"}: 7, {name: "Ip.InAddrErrors"}: 8, {name: "Ip.ForwDatagrams"}: 9, {name: "IpExt.InNoRoutes"}: 11, {name: "IpExt.InTruncatedPkts"}: 12, {name: "Ip6InHdrErrors"}: 13}
	if !maps.Equal(counters, want) {
		t.Errorf("%v, want %v", counters, want)
	}
}

func TestGrown(t *testing.T) {
	for _, tt := range [][3]uint64{{5, 9, 4}, {5, 5, 0}, {9, 2, 2}} {
		if got := grown(tt[0], tt[1]); got != tt[2] {
			t.Errorf("from %d to %d grows %d, want %d", tt[0], tt[1], got, tt[2])
		}
	}
}
