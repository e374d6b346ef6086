package sink_test

import (
	"encoding/binary"
	"fmt"
	"testing"

	"github.com/linerate/linerate/frame"
	"github.com/linerate/linerate/sink"
)

// classes are the counts that sort frames, in a form that can be compared.
type classes struct {
	received, duplicated, reordered, late, foreign, wrongSize, wrongTuple, wrongFlow uint64
}

func classesOf(c sink.Counts) classes {
	return classes{c.Received, c.Duplicated, c.Reordered, c.Late, c.Foreign, c.WrongSize, c.WrongTuple, c.WrongFlow}
}

// forBoth runs a test with IPv4 and with IPv6 frames.
func forBoth(t *testing.T, test func(t *testing.T, ipVersion int)) {
	for _, v := range []int{4, 6} {
		t.Run(fmt.Sprintf("IPv%d", v), func(t *testing.T) { test(t, v) })
	}
}

// TestSequences plants duplicates, gaps and reordering by the sequence numbers of
// one flow. A frame is reordered if it is below the next expected (RFC 4737 section 3).
func TestSequences(t *testing.T) {
	counted := func(n uint32, more ...uint32) (list []uint32) {
		for i := range n {
			list = append(list, i)
		}
		return append(list, more...)
	}
	tests := []struct {
		name      string
		sequences []uint32
		want      classes
		missing   uint64
	}{
		{"in order", []uint32{0, 1, 2, 3}, classes{received: 4}, 0},
		{"two exchanged", []uint32{0, 2, 1, 3}, classes{received: 4, reordered: 1}, 0},
		{"one early makes those behind it late", []uint32{0, 3, 1, 2, 4}, classes{received: 5, reordered: 2}, 0},
		{"backwards", []uint32{4, 3, 2, 1, 0}, classes{received: 5, reordered: 4}, 0},
		{"twice", []uint32{0, 1, 1, 2}, classes{received: 3, duplicated: 1}, 0},
		{"three times", []uint32{0, 0, 0}, classes{received: 1, duplicated: 2}, 0},
		{"a reordered frame twice", []uint32{0, 2, 1, 1}, classes{received: 3, reordered: 1, duplicated: 1}, 0},
		{"a gap", []uint32{0, 1, 5, 6}, classes{received: 4}, 3},
		{"the first are lost", []uint32{5}, classes{received: 1}, 5},
		{"a gap filled later", []uint32{0, 100, 50}, classes{received: 3, reordered: 1}, 98},
		{"a duplicate after a jump", []uint32{0, 100, 50, 50}, classes{received: 3, reordered: 1, duplicated: 1}, 98},
		{"the oldest duplicate that is told", counted(64, 0), classes{received: 64, duplicated: 1}, 0},
		{"an older duplicate is taken for a reordered frame", counted(65, 0), classes{received: 66, reordered: 1}, 0},
	}
	forBoth(t, func(t *testing.T, ipVersion int) {
		w := openWire(t, ipVersion, sizeOf(ipVersion))
		for _, tt := range tests {
			t.Run(tt.name, func(t *testing.T) {
				w.t = t
				w.rearm()
				var frames [][]byte
				for _, s := range tt.sequences {
					frames = append(frames, w.test(1, s))
				}
				if got := classesOf(w.inject(frames...)); got != tt.want {
					t.Errorf("got %+v, want %+v", got, tt.want)
				}
				missing, err := w.sink.Missing(epoch)
				if err != nil {
					t.Fatal(err)
				}
				if missing != tt.missing {
					t.Errorf("%d frames were passed over, want %d", missing, tt.missing)
				}
			})
		}
	})
}

// rearm makes the flows begin anew: the sink does so with the first frame of
// another epoch, and Arm alone does not touch them.
func (w *wire) rearm() {
	w.t.Helper()
	w.arm(epoch + 1)
	var frames [][]byte
	for f := range uint32(flows) {
		frames = append(frames, w.build(f, sizeOf(w.flows[0].IPVersion()), frame.Payload{Epoch: epoch + 1, Flow: f}))
	}
	w.inject(frames...)
	w.arm(epoch)
}

// TestFlowsAreApart sends two flows interleaved: each has its own order.
func TestFlowsAreApart(t *testing.T) {
	forBoth(t, func(t *testing.T, ipVersion int) {
		w := openWire(t, ipVersion, sizeOf(ipVersion))
		c := w.inject(w.test(0, 0), w.test(1, 0), w.test(0, 1), w.test(1, 2), w.test(1, 1), w.test(0, 1))
		if got, want := classesOf(c), (classes{received: 5, reordered: 1, duplicated: 1}); got != want {
			t.Errorf("got %+v, want %+v", got, want)
		}
		perFlow, err := w.sink.PerFlow(epoch)
		if err != nil || fmt.Sprint(perFlow) != "[2 3 0 0]" {
			t.Errorf("per flow %v, %v; want [2 3 0 0]", perFlow, err)
		}
	})
}

// planted is a hand-made frame and the one class it belongs to.
type planted struct {
	name string
	make func(w *wire) []byte
	want classes
}

func udpOffset(ipVersion int) int {
	if ipVersion == 6 {
		return frame.EthernetBytes + frame.IPv6Bytes
	}
	return frame.EthernetBytes + frame.IPv4Bytes
}

// changed is a good test frame with some bytes of it changed.
func changed(ipVersion int, change func(b []byte)) func(*wire) []byte {
	return func(w *wire) []byte {
		b := w.test(0, 0)
		change(b)
		return b
	}
}

func tagged(b []byte) []byte {
	tag := []byte{0x81, 0x00, 0x00, 0x2a}
	return append(append(append([]byte{}, b[:12]...), tag...), b[12:]...)
}

func faults(ipVersion int) []planted {
	udp := udpOffset(ipVersion)
	payload := udp + frame.UDPBytes
	protocol, other, address := 23, uint16(0x86dd), 4
	if ipVersion == 6 {
		protocol, other, address = 20, 0x0800, 16
	}
	foreign := classes{foreign: 1}
	return []planted{
		{"a good frame", changed(ipVersion, func([]byte) {}), classes{received: 1}},
		{"no signature", changed(ipVersion, func(b []byte) { b[payload+2] ^= 1 }), foreign},
		{"TCP", changed(ipVersion, func(b []byte) { b[protocol] = 6 }), foreign},
		{"ICMP", changed(ipVersion, func(b []byte) { b[protocol] = 1 }), foreign},
		{"the other IP version by its type", changed(ipVersion, func(b []byte) { binary.BigEndian.PutUint16(b[12:], other) }), foreign},
		{"a VLAN tag", func(w *wire) []byte { return tagged(w.test(0, 0)) }, foreign},
		{"ARP", func(w *wire) []byte {
			b := make([]byte, 42)
			copy(b, "\xff\xff\xff\xff\xff\xff")
			copy(b[6:], w.from.MAC)
			copy(b[12:], "\x08\x06\x00\x01\x08\x00\x06\x04\x00\x01")
			return b
		}, foreign},
		{"one byte short of a payload", func(w *wire) []byte { return w.test(0, 0)[:payload+frame.PayloadBytes-1] }, foreign},
		{"cut inside the IP header", func(w *wire) []byte { return w.test(0, 0)[:frame.EthernetBytes+8] }, foreign},
		{"an Ethernet header alone", func(w *wire) []byte { return w.test(0, 0)[:frame.EthernetBytes] }, foreign},
		{"an earlier epoch", func(w *wire) []byte {
			return w.build(0, sizeOf(ipVersion), frame.Payload{Epoch: epoch - 1})
		}, classes{late: 1}},
		{"a later epoch", func(w *wire) []byte {
			return w.build(0, sizeOf(ipVersion), frame.Payload{Epoch: epoch + 1})
		}, classes{late: 1}},
		{"the first flow number that no stream has", func(w *wire) []byte { return w.test(flows, 0) }, classes{wrongFlow: 1}},
		{"the highest flow number", func(w *wire) []byte { return w.test(1<<32-1, 0) }, classes{wrongFlow: 1}},
		{"longer than sent", func(w *wire) []byte {
			return w.build(0, sizeOf(ipVersion)+1, frame.Payload{Epoch: epoch})
		}, classes{received: 1, wrongSize: 1}},
		{"another source port", changed(ipVersion, func(b []byte) { b[udp+1] ^= 1 }), classes{received: 1, wrongTuple: 1}},
		{"another destination port", changed(ipVersion, func(b []byte) { b[udp+3] ^= 1 }), classes{received: 1, wrongTuple: 1}},
		{"another source address", changed(ipVersion, func(b []byte) { b[udp-1-address] ^= 1 }), classes{received: 1, wrongTuple: 1}},
		{"another destination address", changed(ipVersion, func(b []byte) { b[udp-1] ^= 1 }), classes{received: 1, wrongTuple: 1}},
	}
}

// TestFaults plants frames that are wrong in one way each. Every one of them must
// be counted in its own class and in no other.
func TestFaults(t *testing.T) {
	forBoth(t, func(t *testing.T, ipVersion int) {
		w := openWire(t, ipVersion, sizeOf(ipVersion))
		if err := w.sink.ExpectFlows(w.flows); err != nil {
			t.Fatal(err)
		}
		list := faults(ipVersion)
		if ipVersion == 4 {
			list = append(list, planted{"IP options", changed(4, func(b []byte) { b[frame.EthernetBytes] = 0x46 }), classes{foreign: 1}})
		}
		for _, p := range list {
			t.Run(p.name, func(t *testing.T) {
				w.t = t
				w.rearm()
				if got := classesOf(w.inject(p.make(w))); got != p.want {
					t.Errorf("got %+v, want %+v", got, p.want)
				}
			})
		}
	})
}

// TestTruncated cuts and stretches frames against the length in their IP header,
// at a sink that takes that for the size they should have.
func TestTruncated(t *testing.T) {
	forBoth(t, func(t *testing.T, ipVersion int) {
		w := openWire(t, ipVersion, 0)
		whole := func(sequence uint32) []byte {
			return w.build(2, 200, frame.Payload{Epoch: epoch, Flow: 2, Sequence: sequence})
		}
		c := w.inject(whole(0), whole(1)[:150], append(whole(2), 0), whole(3))
		if got, want := classesOf(c), (classes{received: 4, wrongSize: 2}); got != want {
			t.Errorf("got %+v, want %+v", got, want)
		}
		if want := uint64(196 + 150 + 197 + 196); c.ReceivedBytes != want {
			t.Errorf("%d bytes received, want %d", c.ReceivedBytes, want)
		}
	})
}

// TestLearned reads addresses and ports as they arrive, and only of flows that came.
func TestLearned(t *testing.T) {
	forBoth(t, func(t *testing.T, ipVersion int) {
		w := openWire(t, ipVersion, sizeOf(ipVersion))
		if err := w.sink.Learn(true); err != nil {
			t.Fatal(err)
		}
		w.inject(w.test(0, 0), w.test(3, 0))
		got, err := w.sink.Learned(ipVersion)
		if err != nil {
			t.Fatal(err)
		}
		want := []frame.Flow{w.flows[0], {}, {}, w.flows[3]}
		for i := range want {
			if got[i] != want[i] {
				t.Errorf("flow %d was learned as %v, want %v", i, got[i], want[i])
			}
		}
	})
}
