package guest

import (
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/vishvananda/netlink"

	"github.com/linerate/linerate/generator"
	"github.com/linerate/linerate/generator/pktgen"
	"github.com/linerate/linerate/internal/netns"
	"github.com/linerate/linerate/plan"
	"github.com/linerate/linerate/testbed"
)

// cardMACs are those of the sending and of the receiving card.
var cardMACs = [2]net.HardwareAddr{{2, 0, 0, 0, 0xc, 0}, {2, 0, 0, 0, 0xc, 1}}

// CardMACs are the addresses of a guest's cards: the sender's, and the receiver's.
func CardMACs() []string { return []string{cardMACs[0].String(), cardMACs[1].String()} }

const (
	// deviceMTU lets jumbo frames through.
	deviceMTU = 9000
	// carrierPatience is what a card may take to see its cable.
	carrierPatience = 5 * time.Second
)

// link is a device that sends, and the one that receives: none behind a dummy.
type link struct{ netns, from, to string }

// try sends with one setting of pktgen and takes both accounts: the Result line, and the
// counters of the receiver. What differs is a finding, and no failure.
func try(q Request, m *Measured) (err error) {
	l, err := openLink(m.Setting.Device)
	defer func() { err = errors.Join(err, l.close()) }()
	if err != nil {
		return err
	}
	d, err := pktgen.Bind(l.netns, l.from, 0)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	sideA, sideB := testbed.Benchmarking(l.from, l.to)
	stream := generator.Stream{
		Port: l.from, Netns: l.netns, Interface: l.from,
		SourceMAC: cardMACs[0], DestinationMAC: cardMACs[1], Flows: flowsBetween(sideA, sideB, m.Flows),
	}
	if err := d.Shape(stream, int(m.FrameSize), pktgen.Options{CloneSKB: m.Setting.CloneSKB, Burst: m.Setting.Burst}); err != nil {
		return err
	}
	m.Setup = append(m.Setup, fmt.Sprintf("pktgen on %s: clone_skb %d, burst %d", l.from, m.Setting.CloneSKB, m.Setting.Burst))
	for i := range 1 + q.Repetitions { // the first fills rings and caches of memory
		time.Sleep(settleBeforeRun + time.Duration(i)*settleStep)
		frames, packets, err := l.counters()
		if err != nil {
			return err
		}
		r, err := d.SendExactly(uint64(q.Packets))
		if err != nil {
			return err
		}
		time.Sleep(settleBeforeRun)
		framesNow, packetsNow, err := l.counters()
		if err != nil {
			return err
		}
		if i == 0 {
			continue
		}
		m.Sent, m.Received, m.ReceivedIP = int(r.Packets), int(framesNow-frames), int(packetsNow-packets)
		m.BusyNS, m.ResultPPS = append(m.BusyNS, r.BusyUS*1000), append(m.ResultPPS, r.PPS)
	}
	return nil
}

// openLink makes or finds the devices, and sets them up.
func openLink(device string) (link, error) {
	switch device {
	case plan.DeviceDummy:
		l := link{netns: generatorNetns, from: "dummy0"}
		if err := netns.Create(l.netns); err != nil {
			return l, err
		}
		return l, netns.Do(l.netns, func() error {
			attributes := netlink.NewLinkAttrs()
			attributes.Name = l.from
			if err := netlink.LinkAdd(&netlink.Dummy{LinkAttrs: attributes}); err != nil && !errors.Is(err, os.ErrExist) {
				return fmt.Errorf("make a dummy device: %w", err)
			}
			return ready(l.from)
		})
	case plan.DeviceCard:
		var l link
		var err error
		if l.from, err = cardNamed(cardMACs[0]); err == nil {
			l.to, err = cardNamed(cardMACs[1])
		}
		if err == nil {
			err = errors.Join(ready(l.from), ready(l.to))
		}
		return l, err
	}
	return link{}, fmt.Errorf("a guest has no device %s to try settings on", device)
}

// cardNamed is the name of the card with an address.
func cardNamed(mac net.HardwareAddr) (string, error) {
	links, err := netlink.LinkList()
	if err != nil {
		return "", err
	}
	for _, l := range links {
		if l.Attrs().HardwareAddr.String() == mac.String() {
			return l.Attrs().Name, nil
		}
	}
	return "", fmt.Errorf("find the card %s: it is not there; is its driver?", mac)
}

// ready sets a device up for jumbo frames, silent, and waits for its carrier.
func ready(name string) error {
	_ = os.WriteFile(filepath.Join("/proc/sys/net/ipv6/conf", name, "disable_ipv6"), []byte("1"), 0o644)
	link, err := netlink.LinkByName(name)
	if err == nil && link.Attrs().MTU != deviceMTU {
		err = netlink.LinkSetMTU(link, deviceMTU)
	}
	if err == nil {
		err = netlink.LinkSetUp(link)
	}
	for end := time.Now().Add(carrierPatience); err == nil; time.Sleep(100 * time.Millisecond) {
		if link, err = netlink.LinkByName(name); err != nil || link.Attrs().RawFlags&runningFlag != 0 {
			break
		}
		if time.Now().After(end) {
			err = errors.New("it has no carrier")
		}
	}
	if err != nil {
		return fmt.Errorf("set device %s up: %w", name, err)
	}
	return nil
}

// runningFlag is IFF_RUNNING (include/uapi/linux/if.h).
const runningFlag = 1 << 6

// counters are the frames that the receiver's device counted, or a dummy's own, and the
// packets that reached the receiver's IP layer.
func (l link) counters() (frames, packets uint64, err error) {
	name := l.to
	if name == "" {
		name = l.from
	}
	err = netns.Do(l.netns, func() error {
		device, err := netlink.LinkByName(name)
		if err != nil {
			return fmt.Errorf("read the counters of %s: %w", name, err)
		}
		if frames = device.Attrs().Statistics.TxPackets; l.to != "" {
			frames = device.Attrs().Statistics.RxPackets
			packets, err = ipReceived()
		}
		return err
	})
	return frames, packets, err
}

// ipReceived is InReceives of the first namespace.
func ipReceived() (uint64, error) {
	text, err := os.ReadFile("/proc/net/snmp")
	if err != nil {
		return 0, err
	}
	var names []string
	for line := range strings.Lines(string(text)) {
		f := strings.Fields(line)
		if len(f) == 0 || f[0] != "Ip:" {
			continue
		}
		if names == nil {
			names = f
			continue
		}
		for i, n := range names[:min(len(names), len(f))] {
			if n == "InReceives" {
				return strconv.ParseUint(f[i], 10, 64)
			}
		}
	}
	return 0, errors.New("/proc/net/snmp has no InReceives")
}

// close removes what was made; cards stay.
func (l link) close() error {
	if l.netns == "" {
		return nil
	}
	return netns.Delete(l.netns)
}
