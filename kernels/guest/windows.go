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

// countWindows sends packets in two windows, few in the first.
func countWindows(s *source, few, more int) (*Windows, error) {
	w := &Windows{First: windows, Packets: more}
	for _, n := range []int{few, few + more} {
		time.Sleep(settleBeforeRun)
		markBegin()
		sent, _, err := s.send(n)
		markEnd()
		windows++
		if err != nil {
			return nil, err
		}
		if sent != n {
			return nil, fmt.Errorf("pktgen sent %d of %d packets", sent, n)
		}
	}
	return w, nil
}

// Symbols are the functions of a guest's kernel and its modules, by address.
type Symbols struct{ list []symbol }

// packSymbols makes them small: a serial port carries them.
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
