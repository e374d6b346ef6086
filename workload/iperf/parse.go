package iperf

import (
	"encoding/csv"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/linerate/linerate/result"
	"github.com/linerate/linerate/workload"
)

// Columns of a row of -y C (iperf 2.1.8, ReportOutputs.c), counted from 0. A row of TCP
// ends after the rate.
const (
	columnFrom, columnFromPort = 1, 2
	columnToPort               = 4
	columnStream               = 5
	columnInterval             = 6
	columnBytes, columnRate    = 7, 8
	columnLost, columnTotal    = 10, 11
	columnsTCP, columnsUDP     = 9, 14
)

// row is one stream over the whole of its time.
type row struct {
	from                 string
	fromPort, toPort     int
	seconds, bytes, rate float64
	udp                  bool
	lost, total          int64
}

// serverPort is the port that the server of some rows waited on: iperf's own, or the one that all
// of several streams have at one end. Known is false where neither tells it: then it is the lower
// of the two, as systems give high ports to clients.
func serverPort(rows []row) (number int, known bool) {
	ofAll := func(p int) bool {
		return !slices.ContainsFunc(rows, func(r row) bool { return r.fromPort != p && r.toPort != p })
	}
	from, to := rows[0].fromPort, rows[0].toPort
	switch {
	case ofAll(port):
		return port, true
	case ofAll(from) && !ofAll(to):
		return from, true
	case ofAll(to) && !ofAll(from):
		return to, true
	}
	return min(from, to), false
}

// named adds the way of the streams to the workload's name.
func named(report *workload.Report) {
	reverse := 0
	for _, s := range report.Take.Streams {
		if s.Reverse {
			reverse++
		}
	}
	switch {
	case reverse > 0 && reverse == len(report.Take.Streams):
		report.Workload += "-reverse"
	case reverse > 0:
		report.Workload, report.Bidir = report.Workload+"-bidir", true
	}
}

// parseRows reads the rows of whole streams: those of intervals within, and the sums
// (stream -1), are left out.
func parseRows(data []byte) ([]row, error) {
	reader := csv.NewReader(strings.NewReader(string(data)))
	reader.FieldsPerRecord = -1
	records, err := reader.ReadAll()
	if err != nil {
		return nil, fmt.Errorf("read the rows of iperf: %w", err)
	}
	whole := map[string]row{}
	var order []string
	for number, f := range records {
		if len(f) < columnsTCP {
			return nil, fmt.Errorf("read the rows of iperf: row %d has %d columns, and -y C prints %d at least", number+1, len(f), columnsTCP)
		}
		if f[columnStream] == "-1" {
			continue
		}
		r, begin, err := parseRow(f)
		if err != nil {
			return nil, fmt.Errorf("read the rows of iperf: row %d: %w", number+1, err)
		}
		key := f[columnFrom] + " " + f[columnFromPort] + " " + f[columnToPort]
		if begin > 0 || r.seconds < whole[key].seconds {
			continue // an interval of it
		}
		if _, known := whole[key]; !known {
			order = append(order, key)
		}
		whole[key] = r
	}
	rows := make([]row, len(order))
	for i, key := range order {
		rows[i] = whole[key]
	}
	return rows, nil
}

func parseRow(f []string) (r row, begin float64, err error) {
	var errs []error
	number := func(i int) float64 {
		v, err := strconv.ParseFloat(f[i], 64)
		errs = append(errs, err)
		return v
	}
	r.from, r.fromPort, r.toPort = f[columnFrom], int(number(columnFromPort)), int(number(columnToPort))
	r.bytes, r.rate = number(columnBytes), number(columnRate)
	from, to, _ := strings.Cut(f[columnInterval], "-")
	begin, err = strconv.ParseFloat(from, 64)
	errs = append(errs, err)
	r.seconds, err = strconv.ParseFloat(to, 64)
	errs = append(errs, err)
	r.seconds -= begin
	if len(f) >= columnsUDP-1 {
		r.udp, r.lost, r.total = true, int64(number(columnLost)), int64(number(columnTotal))
	}
	return r, begin, errors.Join(errs...)
}

// Parse reads the rows of both ends of UDP streams, with datagrams of so many bytes. The
// receiver's are the server's; what the client sent behind the last datagram that
// arrived is lost too. Without client rows the server's own count of what was sent is taken.
// Rows of TCP do not tell which end printed them, so they count as the sender's. Rows do not tell
// either who connected to whom: the report says where that was guessed from their ports.
func Parse(client, serverRows []byte, payloadBytes int) (report workload.Report, err error) {
	received, err := parseRows(serverRows)
	if err != nil {
		return report, fmt.Errorf("server: %w", err)
	}
	sent, err := parseRows(client)
	if err != nil {
		return report, fmt.Errorf("client: %w", err)
	}
	if len(received) == 0 {
		return report, errors.New("read the rows of iperf: the server printed none: nothing reached it, or it was ended")
	}
	slices.SortStableFunc(received, func(a, b row) int { return a.fromPort - b.fromPort })
	report = workload.Report{Workload: tool + "-udp", IPVersion: 4, PayloadBytes: payloadBytes}
	if strings.Contains(received[0].from, ":") {
		report.IPVersion = 6
	}
	server, known := serverPort(received)
	report.DirectionGuessed = !known
	for _, r := range received {
		// A row goes from the sender to the receiver.
		reverse := r.fromPort == server
		if !r.udp {
			report.Workload, report.OfSender = tool+"-tcp", true
			report.Take.Streams = append(report.Take.Streams, result.Stream{ReceiverL4BPS: r.rate, Reverse: reverse})
			report.Seconds = max(report.Seconds, r.seconds)
			continue
		}
		report.Seconds = max(report.Seconds, r.seconds)
		arrived := uint64(max(0, r.total-r.lost))
		count := uint64(max(0, r.total))
		if i := slices.IndexFunc(sent, func(s row) bool { return s.fromPort == r.fromPort }); i >= 0 && payloadBytes > 0 {
			count = max(count, uint64(sent[i].bytes/float64(payloadBytes)))
		}
		lost := count - arrived
		report.Take.Streams = append(report.Take.Streams, result.Stream{ReceiverL4BPS: r.rate, Sent: &count, Lost: &lost, Reverse: reverse})
		if r.seconds > 0 {
			report.Take.ReceiverPPS += float64(arrived) / r.seconds
		}
	}
	report.Take.Threads = len(report.Take.Streams)
	named(&report)
	return report, nil
}
