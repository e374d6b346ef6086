package iperf3

import (
	"github.com/linerate/linerate/workload"
)

// interval is a stream in one interval of a report. Bytes are what this end received or sent
// in it; packets are by the sequence numbers, lost ones included.
type interval struct {
	Socket      int     `json:"socket"`
	Seconds     float64 `json:"seconds"`
	Bytes       float64 `json:"bytes"`
	Packets     int64   `json:"packets"`
	LostPackets int64   `json:"lost_packets"`
	Omitted     bool    `json:"omitted"`
	Sender      bool    `json:"sender"`
}

// datagrams are those of one stream at one end: counted in the intervals that are measured,
// and, with those that are omitted, in all.
type datagrams struct {
	packets, lost int64
	seconds       float64
	all           int64
}

// datagramsOf adds up the intervals of a stream; ok is false where the report has none.
func (o output) datagramsOf(socket int, sender bool) (d datagrams, ok bool) {
	for _, i := range o.Intervals {
		for _, s := range i.Streams {
			if s.Socket != socket || s.Sender != sender {
				continue
			}
			ok, d.all = true, d.all+s.Packets
			if !s.Omitted {
				d.packets, d.lost, d.seconds = d.packets+s.Packets, d.lost+s.LostPackets, d.seconds+s.Seconds
			}
		}
	}
	return d, ok
}

// countReceived takes the figures of the UDP streams that one end received from its own
// intervals. The totals that iperf3 prints are of no use where seconds are omitted: their
// lost_packets have those of the omitted seconds, so that too few seem to have arrived
// (iperf3 3.12). What the other end sent behind the last datagram that arrived is lost too:
// the intervals of both ends, if receiver and sender are two reports, tell how many.
func countReceived(t *workload.Take, sender, receiver output) {
	payload := float64(receiver.Start.TestStart.BlkSize)
	for i, s := range receiver.End.Streams {
		if s.UDP == nil || s.UDP.Sender || payload <= 0 {
			continue
		}
		d, ok := receiver.datagramsOf(s.UDP.Socket, false)
		if !ok || d.seconds <= 0 {
			continue
		}
		received := uint64(max(0, d.packets-d.lost))
		lost := uint64(max(0, d.lost))
		if from, known := sender.datagramsOf(socketOf(sender, i), true); known {
			lost += uint64(max(0, from.all-d.all))
		} else if receiver.Start.TestStart.Omit == 0 {
			lost = max(lost, *t.Streams[i].Sent-min(received, *t.Streams[i].Sent))
		}
		stream := &t.Streams[i]
		t.ReceiverPPS -= stream.ReceiverL4BPS / payload / 8
		sent := received + lost
		stream.Sent, stream.Lost, stream.ReceiverL4BPS = &sent, &lost, float64(received)*payload*8/d.seconds
		t.ReceiverPPS += stream.ReceiverL4BPS / payload / 8
	}
}

func socketOf(o output, stream int) int {
	if s := o.End.Streams[stream]; s.UDP != nil {
		return s.UDP.Socket
	}
	return 0
}

// correctOmitted mends the streams that a client sent and whose receiver's report is not
// known. Where seconds are omitted the losses of those are in lost_packets, but not in the
// bytes of sum_received.
func correctOmitted(t *workload.Take, o output) {
	payload := float64(o.Start.TestStart.BlkSize)
	if o.Start.TestStart.Omit == 0 || payload <= 0 {
		return
	}
	var counted float64
	for i, s := range o.End.Streams {
		if s.UDP != nil && s.UDP.Sender {
			counted += float64(*t.Streams[i].Sent - *t.Streams[i].Lost)
		}
	}
	arrived := o.End.SumReceived.Bytes / payload
	if counted <= 0 || arrived <= counted {
		return
	}
	for i, s := range o.End.Streams {
		if s.UDP == nil || !s.UDP.Sender {
			continue
		}
		stream := &t.Streams[i]
		received := min(*stream.Sent, uint64(float64(*stream.Sent-*stream.Lost)*arrived/counted+0.5))
		lost := *stream.Sent - received
		t.ReceiverPPS += (arrived/counted - 1) * stream.ReceiverL4BPS / payload / 8
		stream.ReceiverL4BPS *= arrived / counted
		stream.Lost = &lost
	}
}
