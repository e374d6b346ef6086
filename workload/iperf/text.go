package iperf

import (
	"errors"
	"regexp"
	"strconv"
	"strings"

	"github.com/linerate/linerate/result"
	"github.com/linerate/linerate/workload"
)

// A line of one stream over an interval, as iperf 2 and iperf3 print it for people.
var streamLine = regexp.MustCompile(`^\[ *(\d+)\](?:\[[A-Z-]+\])? +([\d.]+)- *([\d.]+) +sec +([\d.]+) ([KMGT]?)Bytes +([\d.]+) ([KMGT]?)bits/sec(.*)$`)

// What follows it of UDP at the receiver: jitter, lost and total datagrams.
var datagrams = regexp.MustCompile(`^ +[\d.]+ ms +(\d+)/ *(\d+) `)

var sending = regexp.MustCompile(`Sending (\d+) byte datagrams`)

// textStream is what the lines say of one stream.
type textStream struct {
	seconds, rate float64
	known         bool // lost and total
	lost, total   uint64
}

// ParseText reads what iperf 2 or iperf3 print for people. Rates have three digits there.
// Where the receiver speaks, in its own output or in its report to the client, its
// figures are taken; receiver is false if only the sender does.
func ParseText(data []byte) (report workload.Report, receiver bool, err error) {
	text := string(data)
	program := tool
	if strings.Contains(text, "Retr") || strings.Contains(text, "receiver") || strings.Contains(text, "Bitrate") {
		program = "iperf3"
	}
	streams, order := map[string]textStream{}, []string{}
	said := strings.Contains(text, "receiver\n")
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n ")
		m := streamLine.FindStringSubmatch(line)
		if m == nil || said && !strings.HasSuffix(line, "receiver") {
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
		before, again := streams[m[1]]
		if !again {
			order = append(order, m[1])
		}
		if again && (before.known && !s.known || before.known == s.known && from > 0) {
			continue // what the sender says, or an interval of the stream
		}
		streams[m[1]] = s
	}
	if len(order) == 0 {
		return report, false, errors.New("read the text of iperf: no line tells of a stream")
	}
	payload := 0
	if m := sending.FindStringSubmatch(text); m != nil {
		payload, _ = strconv.Atoi(m[1])
	}
	udp := strings.Contains(text, "UDP") || streams[order[0]].known
	report = workload.Report{Workload: program + "-tcp", IPVersion: 4, PayloadBytes: payload}
	if udp {
		report.Workload = program + "-udp"
	}
	receiver = said || strings.Contains(text, "Server listening")
	for _, id := range order {
		s := streams[id]
		report.Seconds = max(report.Seconds, s.seconds)
		stream := result.Stream{ReceiverL4BPS: s.rate}
		if s.known {
			receiver = true
			total, lost := s.total, min(s.lost, s.total)
			stream.Sent, stream.Lost = &total, &lost
			if s.seconds > 0 {
				report.Take.ReceiverPPS += float64(total-lost) / s.seconds
				if payload > 0 {
					stream.ReceiverL4BPS = float64(total-lost) * float64(payload) * 8 / s.seconds
				}
			}
		}
		report.Take.Streams = append(report.Take.Streams, stream)
	}
	return report, receiver, nil
}

// scaled is a number with the multiplier of bits per second, which is decimal.
func scaled(number, multiplier string) float64 {
	v, _ := strconv.ParseFloat(number, 64)
	return v * map[string]float64{"": 1, "K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}[multiplier]
}
