package iperf3

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/linerate/linerate/workload"
)

// output is what linerate reads of a client's JSON (iperf3 3.12, iperf_api.c).
type output struct {
	Start struct {
		Version string `json:"version"`
		// AcceptedConnection is in the JSON of a server only.
		AcceptedConnection *struct{} `json:"accepted_connection"`
		SystemInfo         string    `json:"system_info"`
		Timestamp          struct {
			Seconds int64 `json:"timesecs"`
		} `json:"timestamp"`
		Connected []struct {
			RemoteHost string `json:"remote_host"`
		} `json:"connected"`
		TestStart struct {
			Protocol string `json:"protocol"`
			BlkSize  int    `json:"blksize"`
			Reverse  int    `json:"reverse"`
			Bidir    int    `json:"bidir"`
			Omit     int    `json:"omit"`
		} `json:"test_start"`
	} `json:"start"`
	Intervals []struct {
		Streams []interval `json:"streams"`
	} `json:"intervals"`
	End struct {
		Streams []struct {
			Sender, Receiver *tcp
			UDP              *udp
		} `json:"streams"`
		SumReceived             *sum   `json:"sum_received"`
		SumReceivedBidirReverse *sum   `json:"sum_received_bidir_reverse"`
		Congestion              string `json:"sender_tcp_congestion"`
	} `json:"end"`
	Error string `json:"error"`
}

type sum struct {
	Seconds float64 `json:"seconds"`
	Bytes   float64 `json:"bytes"`
}

// tcp is one end of a stream of TCP. Sender is true for both ends of a stream that this
// process sends.
type tcp struct {
	Bytes         float64 `json:"bytes"`
	BitsPerSecond float64 `json:"bits_per_second"`
	Retransmits   *uint64 `json:"retransmits"`
	MeanRTTUS     float64 `json:"mean_rtt"`
	Sender        bool    `json:"sender"`
}

// udp is a stream of UDP: bytes are the sender's, packets and lost_packets the receiver's.
type udp struct {
	Socket      int     `json:"socket"`
	Seconds     float64 `json:"seconds"`
	Bytes       float64 `json:"bytes"`
	LostPackets int64   `json:"lost_packets"`
	Packets     int64   `json:"packets"`
	Sender      bool    `json:"sender"`
}

// Parse reads the JSON that iperf3 printed (-J), a client's or the server's. What iperf3 says under its
// key "error" is the error: iperf3 exits with 0 all the same.
func Parse(data []byte) (r workload.Report, err error) {
	var o output
	if err := json.Unmarshal(data, &o); err != nil {
		return r, fmt.Errorf("read the JSON of iperf3: %w: it may have been ended before it wrote all of it", err)
	}
	if o.Error != "" {
		return r, fmt.Errorf("iperf3 reports: %s", o.Error)
	}
	if len(o.End.Streams) == 0 || o.End.SumReceived == nil {
		return r, errors.New("read the JSON of iperf3: it has no streams under its key end: the test did not come to its end")
	}
	protocol := strings.ToLower(o.Start.TestStart.Protocol)
	if protocol != "tcp" && protocol != "udp" {
		return r, fmt.Errorf("read the JSON of iperf3: protocol %q is neither TCP nor UDP", o.Start.TestStart.Protocol)
	}
	r.Workload, r.IPVersion = tool+"-"+protocol, 4
	if len(o.Start.Connected) > 0 && strings.Contains(o.Start.Connected[0].RemoteHost, ":") {
		r.IPVersion = 6
	}
	r.Seconds = o.End.SumReceived.Seconds
	r.Take.Program, r.Take.Congestion, r.Take.Threads = o.Start.Version, o.End.Congestion, threads(o.Start.Version, len(o.End.Streams))
	if protocol == "udp" {
		r.PayloadBytes = o.Start.TestStart.BlkSize
	}
	for i, s := range o.End.Streams {
		switch {
		case s.UDP != nil && protocol == "udp":
			addUDP(&r.Take, o, *s.UDP)
		case s.Sender != nil && s.Receiver != nil:
			addTCP(&r.Take, *s.Sender, *s.Receiver)
		default:
			return r, fmt.Errorf("read the JSON of iperf3: stream %d has neither the ends of TCP nor UDP", i+1)
		}
	}
	if protocol == "udp" {
		countReceived(&r.Take, o, o)
		correctOmitted(&r.Take, o)
	}
	if o.Start.AcceptedConnection != nil {
		if err := ofServer(&r, o); err != nil {
			return r, err
		}
	}
	r.System, r.StartedUnixS = o.Start.SystemInfo, o.Start.Timestamp.Seconds
	reverse := 0
	for _, s := range r.Take.Streams {
		if s.Reverse {
			reverse++
		}
	}
	switch {
	case reverse == len(r.Take.Streams):
		r.Workload += "-reverse"
	case reverse > 0:
		r.Workload, r.Bidir = r.Workload+"-bidir", true
	}
	return r, nil
}
