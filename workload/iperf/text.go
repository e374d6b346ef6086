package iperf

import (
	"errors"
	"regexp"
	"strconv"
	"strings"

	"github.com/linerate/linerate/result"
	"github.com/linerate/linerate/workload"
)

// A line of one stream over an interval, as iperf 2 and iperf3 print it for people. iperf 2
// marks the way back of a test in both directions, and what a client receives, by a star.
var streamLine = regexp.MustCompile(`^\[ *(\*?\d+)\](?:\[[A-Z-]+\])? +([\d.]+)- *([\d.]+) +sec +([\d.]+) ([KMGT]?)Bytes +([\d.]+) ([KMGT]?)bits/sec(.*)$`)

// What follows it of UDP at the receiver: jitter, lost and total datagrams.
var datagrams = regexp.MustCompile(`^ +[\d.]+ ms +(\d+)/ *(\d+) `)

var sending = regexp.MustCompile(`Sending (\d+) byte datagrams`)

// textStream is what the lines say of one stream.
type textStream struct {
	seconds, rate float64
	known         bool // lost and total
	lost, total   uint64
}

// text is what iperf 2 or iperf3 printed for people.
type text struct {
	string
	streams map[string]textStream
	// order are the names of the streams as they were met.
	order []string
	// said tells that iperf3 says itself which lines are the receiver's.
	said bool
}

// ParseText reads what iperf 2 or iperf3 print for people. Rates have three digits there.
// Where the receiver speaks, in its own output or in its report to the client, its
// figures are taken; the report's OfSender tells if only the sender does. Of UDP nothing is
// taken from a sender, which does not know what arrived.
func ParseText(data []byte) (report workload.Report, err error) {
	t := text{string: string(data), streams: map[string]textStream{}}
	t.said = t.has("receiver\n")
	server, client := t.has("Server listening"), t.has("Client connecting")
	if server && client {
		return report, errors.New("read the text of iperf: it is of two sessions, one each way (-d or -r), and does not tell whose figures are whose: measure with --full-duplex, or each way alone")
	}
	t.read()
	if len(t.order) == 0 {
		return report, errors.New("read the text of iperf: no line tells of a stream")
	}
	if m := sending.FindStringSubmatch(t.string); m != nil {
		report.PayloadBytes, _ = strconv.Atoi(m[1])
	}
	program := tool
	if t.has("Retr") || t.said || t.has("Bitrate") {
		program = "iperf3"
	}
	protocol, udp := "-tcp", t.has("UDP") || t.streams[t.order[0]].known
	if udp {
		protocol = "-udp"
	}
	report.Workload, report.IPVersion = program+protocol, 4
	backwards := t.has("(reverse)") || t.has("Reverse mode, remote host")
	for _, id := range t.order {
		s := t.streams[id]
		back := backwards || strings.HasPrefix(id, "*")
		report.Seconds = max(report.Seconds, s.seconds)
		stream := s.stream(report.PayloadBytes, &report.Take)
		stream.Reverse = back
		report.Take.Streams = append(report.Take.Streams, stream)
		report.OfSender = report.OfSender || !s.known && !t.said && server == back
	}
	if udp && report.OfSender {
		return report, errors.New("read the text of iperf: it is of an end that sends UDP, which does not know what arrived: take that of the other end")
	}
	named(&report)
	return report, nil
}

func (t *text) has(what string) bool { return strings.Contains(t.string, what) }

// read gathers the lines of whole streams, the receiver's where both ends speak.
func (t *text) read() {
	for line := range strings.Lines(t.string) {
		line = strings.TrimRight(line, "\r\n ")
		m := streamLine.FindStringSubmatch(line)
		if m == nil || t.said && !strings.HasSuffix(line, "receiver") {
			continue
		}
		s := textStream{rate: scaled(m[6], m[7])}
		from, _ := strconv.ParseFloat(m[2], 64)
		to, _ := strconv.ParseFloat(m[3], 64)
		s.seconds = to - from
		if d := datagrams.FindStringSubmatch(m[8] + " "); d != nil {
			s.known = true
			s.lost, _ = strconv.ParseUint(d[1], 10, 64)
			s.total, _ = strconv.ParseUint(d[2], 10, 64)
		}
		before, again := t.streams[m[1]]
		if !again {
			t.order = append(t.order, m[1])
		}
		if again && (before.known && !s.known || before.known == s.known && from > 0) {
			continue // what the sender says, or an interval of the stream
		}
		t.streams[m[1]] = s
	}
}

// stream is the stream with its datagrams, which are added to the take.
func (s textStream) stream(payloadBytes int, take *workload.Take) result.Stream {
	stream := result.Stream{ReceiverL4BPS: s.rate}
	if !s.known {
		return stream
	}
	total, lost := s.total, min(s.lost, s.total)
	stream.Sent, stream.Lost = &total, &lost
	if s.seconds > 0 {
		take.ReceiverPPS += float64(total-lost) / s.seconds
		if payloadBytes > 0 {
			stream.ReceiverL4BPS = float64(total-lost) * float64(payloadBytes) * 8 / s.seconds
		}
	}
	return stream
}

// scaled is a number with the multiplier of bits per second, which is decimal.
func scaled(number, multiplier string) float64 {
	v, _ := strconv.ParseFloat(number, 64)
	return v * map[string]float64{"": 1, "K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}[multiplier]
}
