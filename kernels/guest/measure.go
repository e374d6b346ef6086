package guest

import (
	"errors"
	"fmt"
	"os"
	"time"
)

// Times of the guest's own clock; while nothing happens they cost the emulator next to nothing.
const (
	// settleAfterCell is what the kernel needs to free a namespace with all that it held.
	settleAfterCell = 3 * time.Second
	// settleBeforeRun lets timers and deferred work of the set-up run out.
	settleBeforeRun = 200 * time.Millisecond
	// settleStep lengthens it from measurement to measurement: work that the kernel does by a
	// timer, such as looking for expired connections, would else fall into each of them.
	settleStep = 70 * time.Millisecond
	// A bridge forwards only after its forward delay of 15 s, in two stages.
	learnAttempts, learnPause = 40, time.Second
)

// Size of the connection tracking table: the default depends on memory and is too small
// for 10,000 flows in a small guest.
const (
	conntrackBuckets = "32768"
	conntrackMax     = "131072"
)

const conntrackCount = "/proc/sys/net/netfilter/nf_conntrack_count"

// enlargeConntrack makes room for the flows; only the first namespace may do so.
func enlargeConntrack() error {
	for path, value := range map[string]string{
		"/sys/module/nf_conntrack/parameters/hashsize": conntrackBuckets,
		"/proc/sys/net/netfilter/nf_conntrack_max":     conntrackMax,
	} {
		if err := os.WriteFile(path, []byte(value), 0o644); err != nil && !errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("enlarge the connection tracking table: %w", err)
		}
	}
	return nil
}

// measure builds the cell's network, lets the DUT learn the flows, and counts.
func measure(q Request, m *Measured) (err error) {
	if m.Setting != nil {
		return try(q, m)
	}
	l, err := openLab()
	defer func() {
		m.Setup = l.setup
		err = errors.Join(err, l.close())
	}()
	if err != nil {
		return err
	}
	l.live = q.Rate != nil
	to, ns, device, err := l.apply(m.Cell)
	if err != nil {
		return err
	}
	s, err := openSource(m.Cell, l.sideA, l.sideB, to)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	if err := learn(s, m, ns, device); err != nil {
		return err
	}
	if err := l.checkRules(m); err != nil {
		return err
	}
	if q.Rate != nil {
		return q.rate(m, s, ns, device)
	}
	for i := range q.Repetitions {
		time.Sleep(settleBeforeRun + time.Duration(i)*settleStep)
		got, busy, err := count(s, q.Packets, ns, device)
		if err != nil {
			return err
		}
		if got != q.Packets {
			return fmt.Errorf("%d of %d packets arrived: an instruction count needs all of them", got, q.Packets)
		}
		m.Sent, m.Received, m.BusyNS = q.Packets, got, append(m.BusyNS, busy)
	}
	if q.WindowPackets > 0 {
		if m.Windows, err = countWindows(s, q.Packets, max(q.WindowPackets, m.Flows), ns, device); err != nil {
			return err
		}
	}
	if q.ProfilePackets > 0 {
		time.Sleep(settleBeforeRun)
		p, err := profile(s, q.ProfilePackets)
		if err == nil {
			m.Profile, err = p.pack()
		}
		if err != nil {
			m.ProfileFailure = err.Error()
		}
	}
	return nil
}

// count sends packets and counts what arrives.
func count(s *source, packets int, ns, device string) (got int, busyNS uint64, err error) {
	before, err := received(ns, device)
	if err != nil {
		return 0, 0, err
	}
	sent, busyNS, err := s.send(packets)
	if err != nil {
		return 0, 0, err
	}
	if sent != packets {
		return 0, 0, fmt.Errorf("pktgen sent %d of %d packets", sent, packets)
	}
	after, err := received(ns, device)
	return int(after - before), busyNS, err
}

// learn sends each flow's first packet, until a round arrives whole.
func learn(s *source, m *Measured, ns, device string) error {
	got := 0
	for range learnAttempts {
		var err error
		if got, _, err = count(s, m.Flows, ns, device); err != nil {
			return err
		}
		if got == m.Flows {
			return checkEntries(m)
		}
		time.Sleep(learnPause)
	}
	return fmt.Errorf("the scenario does not forward: %d of %d packets arrive", got, m.Flows)
}

// checkEntries holds the connection tracking table to the flows: rules that were not
// loaded would leave it empty, and a table that is full would lose some.
func checkEntries(m *Measured) error {
	n, err := readCount(dutNetns, conntrackCount)
	switch {
	case errors.Is(err, os.ErrNotExist) && !tracks(m.Scenario):
		return nil
	case err != nil:
		return fmt.Errorf("read the connection tracking table: %w", err)
	}
	m.ConntrackEntries = n
	want := 0
	if tracks(m.Scenario) {
		want = m.Flows
	}
	if n != want {
		return fmt.Errorf("connection tracking has %d entries for %d flows, and should have %d", n, m.Flows, want)
	}
	return nil
}
