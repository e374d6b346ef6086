package iperf3

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strconv"

	"github.com/linerate/linerate/result"
	"github.com/linerate/linerate/workload"
)

// addTCP adds a stream of TCP with the receiver's rate.
func addTCP(t *workload.Take, sender, receiver tcp) {
	s := result.Stream{Reverse: !sender.Sender, ReceiverL4BPS: receiver.BitsPerSecond, Retransmits: sender.Retransmits}
	if sender.Sender { // else the kernel that knows is the other end's
		s.MeanRTTNS = sender.MeanRTTUS * 1000
	}
	t.Streams = append(t.Streams, s)
}

// addUDP adds a stream of UDP. What the sender sent behind the last datagram that arrived
// is lost too, and iperf3 does not count it: its packets end with the last one received.
func addUDP(t *workload.Take, o output, u udp) {
	seconds := o.End.SumReceived.Seconds
	if back := o.End.SumReceivedBidirReverse; back != nil && !u.Sender {
		seconds = back.Seconds
	}
	received := uint64(max(0, u.Packets-u.LostPackets))
	s := result.Stream{Reverse: !u.Sender}
	payload := float64(o.Start.TestStart.BlkSize)
	sent := uint64(max(0, u.Packets))
	if payload > 0 {
		sent = max(sent, uint64(u.Bytes/payload+0.5))
	}
	sent = max(sent, received)
	lost := sent - received
	s.Sent, s.Lost = &sent, &lost
	if seconds > 0 {
		s.ReceiverL4BPS = float64(received) * payload * 8 / seconds
		t.ReceiverPPS += float64(received) / seconds
	}
	t.Streams = append(t.Streams, s)
}

// ofServer mends what is read from a server's JSON: what a server sends goes from B to A, and
// what arrived of it is in the client's JSON only.
func ofServer(r *workload.Report, o output) error {
	for i, s := range o.End.Streams {
		stream := &r.Take.Streams[i]
		stream.Reverse = !stream.Reverse
		switch {
		case s.UDP != nil && s.UDP.Sender:
			return errors.New("read the JSON of iperf3: it is of a server that sends UDP (-R or --bidir), which does not know what arrived: take the client's")
		case s.Sender != nil && s.Sender.Sender && s.Receiver.Bytes == 0:
			stream.ReceiverL4BPS, r.OfSender = s.Sender.BitsPerSecond, true
		}
	}
	return nil
}

// addOtherEnd adds what only the other end knows, from the server's JSON; both ends list the
// streams in one order: the round trip of reverse streams of TCP, which the sending end's
// kernel measures, and of UDP what the server received and what it sent. After an error nothing
// was added.
func addOtherEnd(t *workload.Take, client, server []byte) error {
	var o, c output
	if err := json.Unmarshal(server, &o); err != nil {
		return fmt.Errorf("read the server's JSON: %w", err)
	}
	if err := json.Unmarshal(client, &c); err != nil {
		return fmt.Errorf("read the client's JSON: %w", err)
	}
	if len(o.End.Streams) != len(t.Streams) || len(c.End.Streams) != len(t.Streams) {
		return fmt.Errorf("the server's JSON has %d streams, the client's %d", len(o.End.Streams), len(c.End.Streams))
	}
	for i, s := range o.End.Streams {
		if t.Streams[i].Reverse && s.Sender != nil && s.Sender.Sender {
			t.Streams[i].MeanRTTNS = s.Sender.MeanRTTUS * 1000
		}
	}
	countReceived(t, c, o)
	countReceived(t, o, c)
	return nil
}

var versionNumber = regexp.MustCompile(`(\d+)\.(\d+)`)

// threads is how many threads move data: one for all streams before iperf3 3.16, and one
// for each stream since (its release notes).
func threads(version string, streams int) int {
	m := versionNumber.FindStringSubmatch(version)
	if m == nil {
		return 1
	}
	major, _ := strconv.Atoi(m[1])
	minor, _ := strconv.Atoi(m[2])
	if major > 3 || major == 3 && minor >= 16 {
		return streams
	}
	return 1
}
