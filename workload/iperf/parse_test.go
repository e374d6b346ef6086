package iperf

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/linerate/linerate/result"
	"github.com/linerate/linerate/workload"
)

func read(t *testing.T, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func figures(r workload.Report) result.StreamFigures {
	f := result.StreamFigures{Streams: r.Take.Streams}
	f.AddUp()
	return f
}

// The numbers are sums of the columns of both files: the server's rates and datagrams that
// arrived, and of each stream what the client's bytes make at 36 bytes each.
func TestParse(t *testing.T) {
	r, err := Parse(read(t, "iperf2-udp-P8-client.csv"), read(t, "iperf2-udp-P8-server.csv"), 36)
	if err != nil {
		t.Fatal(err)
	}
	f := figures(r)
	sent, lost, known := f.Datagrams()
	if f.TotalReceiverL4BPS != 23850257 || !known || sent != 745918 || sent-lost != 248813 || len(f.Streams) != 8 {
		t.Errorf("%.0f bit/s, %d sent, %d arrived, %d streams", f.TotalReceiverL4BPS, sent, sent-lost, len(f.Streams))
	}
	if math.Abs(r.Take.ReceiverPPS-248813/3.0) > 1e-6 || r.Seconds != 3 || r.IPVersion != 4 || r.Workload != "iperf-udp" {
		t.Errorf("%v pps in %v s, IPv%d, %s", r.Take.ReceiverPPS, r.Seconds, r.IPVersion, r.Workload)
	}
	if tcp, err := Parse(nil, read(t, "iperf2-tcp-P4-client.csv"), 0); err != nil || tcp.Workload != "iperf-tcp" || figures(tcp).TotalReceiverL4BPS != 24567226509 {
		t.Errorf("TCP: %s, %.0f bit/s, %v", tcp.Workload, figures(tcp).TotalReceiverL4BPS, err)
	}
}

func TestParseRefuses(t *testing.T) {
	for name, tt := range map[string]struct{ server, want string }{
		"a server that was ended":   {"", "the server printed none"},
		"something else":            {"bind failed: Address already in use\n", "has 1 columns"},
		"a row that is no stream's": {"19700101000000,10.60.1.1,x,10.60.2.1,5001,3,0.0-3.0,3583156,9547536\n", "row 1"},
		"an interval without end":   {"19700101000000,10.60.1.1,1,10.60.2.1,5001,3,0.0,3583156,9547536\n", "row 1"},
	} {
		if _, err := Parse(nil, []byte(tt.server), 36); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q in it", name, err, tt.want)
		}
	}
}

func TestParseText(t *testing.T) {
	for _, tt := range []struct {
		file, workload string
		streams        int
		receiver       bool
		sent, lost     uint64
		leastGbit      float64
		mostGbit       float64
	}{
		{"iperf2-udp-P8-client.txt", "iperf-udp", 8, true, 1489165, 966521, 0.0295, 0.0305},
		{"iperf2-udp-P8-server.txt", "iperf-udp", 8, true, 1489165, 966521, 0.0295, 0.0305},
		{"iperf2-udp-P8-enh-server.txt", "iperf-udp", 8, true, 689641, 481815, 0.0195, 0.0205},
		{"iperf3-udp-P2-server.txt", "iperf3-udp", 2, true, 202180, 31177, 0.0245, 0.0247},
		{"iperf3-udp-P2-client.txt", "iperf3-udp", 2, true, 202180, 31177, 0.0245, 0.0247},
		{"iperf2-tcp-P4-server.txt", "iperf-tcp", 4, true, 0, 0, 31.2, 31.3},
		{"iperf2-tcp-P4-client.txt", "iperf-tcp", 4, false, 0, 0, 31.1, 31.3},
	} {
		r, err := ParseText(read(t, tt.file))
		if err != nil {
			t.Errorf("%s: %v", tt.file, err)
			continue
		}
		f := figures(r)
		sent, lost, _ := f.Datagrams()
		if r.Workload != tt.workload || len(f.Streams) != tt.streams || r.OfSender == tt.receiver || sent != tt.sent || lost != tt.lost {
			t.Errorf("%s: %s, %d streams, by the sender %v, %d of %d lost", tt.file, r.Workload, len(f.Streams), r.OfSender, lost, sent)
		}
		if g := f.TotalReceiverL4BPS / 1e9; g < tt.leastGbit || g > tt.mostGbit {
			t.Errorf("%s: %.4f Gbit/s", tt.file, g)
		}
	}
	if _, err := ParseText([]byte("connect failed: Connection refused\n")); err == nil {
		t.Error("a text without streams was accepted")
	}
}

// TestParseDirection: a server's port is iperf's own or the one that all streams have, and a
// single stream with other ports is a guess that is told.
func TestParseDirection(t *testing.T) {
	line := func(from, to int) string {
		return fmt.Sprintf("19700101000000,10.0.0.1,%d,10.0.0.2,%d,1,0.0-1.0,1000,8000,0.1,0,10,0.0,0\n", from, to)
	}
	for _, tt := range []struct {
		rows, workload string
		guessed        bool
	}{
		{line(40000, 5001), "iperf-udp", false},
		{line(5001, 4000), "iperf-udp-reverse", false},
		{line(40000, 50001) + line(40001, 50001), "iperf-udp", false},
		{line(50001, 40000) + line(50001, 40001), "iperf-udp-reverse", false},
		{line(40000, 50001) + line(50001, 40001), "iperf-udp-bidir", false},
		{line(50001, 40000), "iperf-udp", true},
	} {
		r, err := Parse(nil, []byte(tt.rows), 100)
		if err != nil || r.Workload != tt.workload || r.DirectionGuessed != tt.guessed {
			t.Errorf("%s%s, guessed %v, %v; want %s, %v", tt.rows, r.Workload, r.DirectionGuessed, err, tt.workload, tt.guessed)
		}
	}
}
