package guest

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"strings"
	"time"
)

// Windows are two windows of a cell, in which the emulator counted each instruction. What is
// in both, starting the generator and waiting for it, is no packet's; the packets that the
// second has more are.
type Windows struct {
	// First is the number of the first window of the boot, from 0 on; the second follows it.
	First int `json:"first"`
	// Packets are those that the second window has more than the first.
	Packets int `json:"packets"`
}

// windows is the number of windows until now.
var windows int

// mostIdleUS is how long pktgen may wait for its last packet to be freed. It does so by executing
// instructions, which its own figure leaves out and a window cannot, until ksoftirqd has a turn.
const mostIdleUS = 100

var errIdle = fmt.Errorf("pktgen waited for more than %d µs for its last packet in each of %d attempts", mostIdleUS, windowAttempts)

// windowAttempts are made to get two windows in which no packet was lost: older kernels may
// leave a queue to ksoftirqd for too long.
const windowAttempts = 6

// countWindows sends packets in two windows, few in the first. All of them have to arrive.
func countWindows(s *source, few, more int, ns, device string) (*Windows, error) {
	var lost error
	for attempt := range windowAttempts {
		w := &Windows{First: windows, Packets: more}
		lost = nil
		for _, n := range []int{few, few + more} {
			// Another time of the tick each: what waits for it would wait each time.
			time.Sleep(settleBeforeRun + time.Duration(attempt)*(settleStep+777*time.Microsecond))
			windows++
			got, err := s.sendMarked(n, ns, device)
			switch {
			case errors.Is(err, errIdle):
				lost = err
			case err != nil:
				return nil, err
			case got != n:
				lost = fmt.Errorf("%d of %d packets arrived: an instruction count needs all of them", got, n)
			}
		}
		if lost == nil {
			return w, nil
		}
	}
	return nil, lost
}

// sendMarked sends packets in a window and counts what arrives.
func (s *source) sendMarked(packets int, ns, device string) (got int, err error) {
	before, err := received(ns, device)
	if err != nil {
		return 0, err
	}
	markBegin()
	r, err := s.device.SendExactly(uint64(packets))
	markEnd()
	switch {
	case err != nil:
		return 0, err
	case int(r.Packets) != packets:
		return 0, fmt.Errorf("pktgen sent %d of %d packets", r.Packets, packets)
	case r.IdleUS > mostIdleUS:
		return 0, errIdle
	}
	after, err := received(ns, device)
	return int(after - before), err
}

// Symbols are the functions of a guest's kernel and its modules, by address.
type Symbols struct{ list []symbol }

// packSymbols makes them small, for their way out of the guest.
func packSymbols(list []symbol) ([]byte, error) {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	last := uint64(0)
	for _, s := range list {
		if _, err := fmt.Fprintf(w, "%x %s\n", s.at-last, s.name); err != nil {
			return nil, fmt.Errorf("pack the kernel's symbols: %w", err)
		}
		last = s.at
	}
	if err := w.Close(); err != nil {
		return nil, fmt.Errorf("pack the kernel's symbols: %w", err)
	}
	return b.Bytes(), nil
}

// UnpackSymbols reads what the guest reported.
func UnpackSymbols(packed []byte) (*Symbols, error) {
	r, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, fmt.Errorf("unpack the kernel's symbols: %w", err)
	}
	s := new(Symbols)
	at := uint64(0)
	lines := bufio.NewScanner(r)
	for lines.Scan() {
		distance, name, found := strings.Cut(lines.Text(), " ")
		step := uint64(0)
		if _, err := fmt.Sscanf(distance, "%x", &step); err != nil || !found {
			return nil, fmt.Errorf("unpack the kernel's symbols: a line is not understood: %q", lines.Text())
		}
		at += step
		s.list = append(s.list, symbol{at, name})
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("unpack the kernel's symbols: %w", err)
	}
	if len(s.list) == 0 {
		return nil, errors.New("unpack the kernel's symbols: there are none")
	}
	return s, nil
}

// At is the function that holds an address, with its module: "br_forward [bridge]". Address 0
// stands for all programs.
func (s *Symbols) At(address uint64) string {
	if address == 0 {
		return "[user]"
	}
	return nameAt(s.list, address)
}
