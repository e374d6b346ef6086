package guest

import (
	"bufio"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/linerate/linerate/generator/pktgen"
	"github.com/linerate/linerate/internal/netns"
)

// Rate asks for packets a second in real time. The guest then measures a cell each time
// that it is told the cell's number, in a line on its port, until it is told End.
type Rate struct {
	// TrialMS is the duration of a measurement in milliseconds.
	TrialMS int `json:"trial_ms"`
	// LoadPPS is what the generator offers; 0 is as much as it can.
	LoadPPS float64 `json:"load_pps"`
}

// End is the line that ends a guest that is spoken to.
const End = "end"

// RateMeasured is one measurement in real time.
type RateMeasured struct {
	// BusyNS is as in Measured, and IdleNS what the generator waited; both to the microsecond.
	BusyNS uint64 `json:"busy_ns"`
	IdleNS uint64 `json:"idle_ns"`
}

// The values of Report.Mark.
const (
	MarkBegin = "begin"
	MarkEnd   = "end"
)

const (
	// warmUp is how long the generator sends before a measurement: an emulator has then translated
	// what it executes, and the number of packets for the duration is known.
	warmUp = 100 * time.Millisecond
	// drain is what the last packets need to arrive.
	drain = 50 * time.Millisecond
	// startLimit is how long a generator that begins late may take in all.
	startLimit = 20 * time.Second
	// firstBurst are the packets of the first attempt to warm up.
	firstBurst = 500
	// warmUpAttempts double it to 8 million: 80 million packets a second would be more than pktgen sends.
	warmUpAttempts = 15
)

// answer measures what it is told to. The port listens before the guest says that it has
// booted: it would else echo what comes.
func (q Request) answer(booted *Booted, report func(Report)) error {
	port, err := openPort()
	if err != nil {
		return fmt.Errorf("listen on %s: %w", reportDevice, err)
	}
	defer port.Close()
	if err := enlargeConntrack(); err != nil {
		return err
	}
	report(Report{Booted: booted, ClockNS: clock()})
	lines := bufio.NewScanner(port)
	for lines.Scan() {
		text := strings.TrimSpace(lines.Text())
		if text == End {
			return nil
		}
		n, err := strconv.Atoi(text)
		if err != nil || n < 0 || n >= len(q.Cells) {
			return fmt.Errorf("cell %q is none of the %d that were asked for", text, len(q.Cells))
		}
		m := Measured{Cell: q.Cells[n]}
		q.mark = func(which string) {
			report(Report{Mark: which, ClockNS: clock()})
			_ = unix.IoctlSetInt(int(port.Fd()), unix.TCSBRK, 1)
		}
		if err := measure(q, &m); err != nil {
			m.Failure = err.Error()
		}
		report(Report{Cell: &m, ClockNS: clock()})
	}
	return lines.Err()
}

// openPort opens the port for reading, without an echo of what comes.
func openPort() (*os.File, error) {
	port, err := os.OpenFile(reportDevice, os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		return nil, err
	}
	t, err := unix.IoctlGetTermios(int(port.Fd()), unix.TCGETS)
	if err == nil {
		t.Lflag &^= unix.ECHO | unix.ECHOE | unix.ECHOK | unix.ECHONL | unix.ISIG
		err = unix.IoctlSetTermios(int(port.Fd()), unix.TCSETS, t)
	}
	if err != nil {
		port.Close()
		return nil, err
	}
	return port, nil
}

// clock is the guest's clock, which nothing sets.
func clock() int64 {
	var t unix.Timespec
	_ = unix.ClockGettime(unix.CLOCK_MONOTONIC, &t)
	return t.Nano()
}

// rate sends for the duration and counts what arrives.
func (q Request) rate(m *Measured, s *source, ns, device string) error {
	time.Sleep(settleBeforeRun)
	packets, took, err := warm(s.send)
	if err != nil {
		return err
	}
	duration := time.Duration(q.Rate.TrialMS) * time.Millisecond
	packets = max(1, int(float64(packets)*duration.Seconds()/took.Seconds()))
	if q.Rate.LoadPPS > 0 {
		if err := s.device.Pace(q.Rate.LoadPPS); err != nil {
			return err
		}
		packets = max(1, min(packets, int(math.Round(q.Rate.LoadPPS*duration.Seconds()))))
	}
	before, err := received(ns, device)
	if err != nil {
		return err
	}
	q.mark(MarkBegin)
	sent, err := s.exactly(packets)
	q.mark(MarkEnd)
	if err != nil {
		return err
	}
	time.Sleep(drain)
	after, err := received(ns, device)
	m.Sent, m.Received, m.Rate = int(sent.Packets), int(after-before), &RateMeasured{BusyNS: 1000 * sent.BusyUS, IdleNS: 1000 * sent.IdleUS}
	return err
}

// warm sends ever more packets until they take the time of a warm-up.
func warm(send func(packets int) (sent int, busyNS uint64, err error)) (packets int, took time.Duration, err error) {
	packets = firstBurst / 2
	for range warmUpAttempts {
		packets *= 2
		_, busyNS, err := send(packets)
		if err != nil {
			return packets, 0, err
		}
		if took = time.Duration(busyNS); took >= warmUp {
			return packets, took, nil
		}
	}
	return packets, took, fmt.Errorf("warm the generator up: it sent %d packets in %s, %.3g in a second, which no generator on one CPU does: the guest's clock does not tell the time", packets, took, float64(packets)/max(took.Seconds(), 1e-6))
}

// exactly sends so many packets. The kernel gives pktgen's thread 125 ms to begin, and takes
// it for one that has ended if it has not (pktgen_run_all_threads, net/core/pktgen.c, Linux
// 6.18): in an emulator that something else keeps from its CPU, its result comes later.
func (s *source) exactly(packets int) (pktgen.Report, error) {
	r, err := s.device.SendExactly(uint64(packets))
	for waited := time.Duration(0); err != nil && r.Said == "Starting" && waited < startLimit; waited += drain {
		time.Sleep(drain)
		late, failed := s.device.Report()
		if failed != nil {
			return late, failed
		}
		if late.Running || late.DurationUS == 0 || late.Packets < uint64(packets) {
			continue
		}
		return late, nil
	}
	return r, err
}

// bridgeFolder is where the DUT's devices are seen in sysfs, which shows those of the
// namespace that it was mounted in.
const bridgeFolder = "/tmp/dut"

// forwardAtOnce spares the 30 s of real time that a bridge listens before it forwards.
func (l *lab) forwardAtOnce() error {
	err := netns.Do(dutNetns, func() error {
		if err := os.MkdirAll(bridgeFolder, 0o755); err != nil {
			return err
		}
		if err := unix.Mount("sysfs", bridgeFolder, "sysfs", 0, ""); err != nil {
			return err
		}
		defer unix.Unmount(bridgeFolder, unix.MNT_DETACH)
		return os.WriteFile(filepath.Join(bridgeFolder, "class/net/br0/bridge/forward_delay"), []byte("0"), 0o644)
	})
	if err != nil {
		return fmt.Errorf("let the bridge forward at once: %w", err)
	}
	l.did("ip link set br0 type bridge forward_delay 0")
	return nil
}
