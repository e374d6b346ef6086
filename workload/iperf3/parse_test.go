package iperf3

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/linerate/linerate/result"
)

func read(t *testing.T, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// The figures are those that stand in the files under sum_received and in their streams.
func TestParse(t *testing.T) {
	for _, tt := range []struct {
		file, workload string
		streams        int
		bidir          bool
		totalBPS       float64
		again          uint64
		sent, lost     uint64
	}{
		{file: "iperf3-tcp-P5-client.json", workload: "iperf3-tcp", streams: 5},
		{file: "iperf3-tcp-P5-R-client.json", workload: "iperf3-tcp-reverse", streams: 5, totalBPS: 15908038888.339394, again: 1},
		{file: "iperf3-tcp-P2-bidir-client.json", workload: "iperf3-tcp-bidir", streams: 4, bidir: true, totalBPS: 6285810401.326497 + 6433202299.38505, again: 18},
		{file: "iperf3-tcp-omit-client.json", workload: "iperf3-tcp", streams: 1, totalBPS: 19304317514.10623, again: 1},
		{file: "iperf3-tcp-P5-server.json", workload: "iperf3-tcp", streams: 5, totalBPS: 17746359953.5738},
		{file: "iperf3-udp-P8-l36-b0-client.json", workload: "iperf3-udp", streams: 8, totalBPS: 26350646.69102824, sent: 474880, lost: 17383},
		{file: "iperf3-udp-P1-R-client.json", workload: "iperf3-udp-reverse", streams: 1, totalBPS: 451770785.83371335, sent: 133902, lost: 12891},
	} {
		r, err := Parse(read(t, tt.file))
		if err != nil {
			t.Errorf("%s: %v", tt.file, err)
			continue
		}
		f := result.StreamFigures{Streams: r.Take.Streams}
		f.AddUp()
		if r.Workload != tt.workload || len(f.Streams) != tt.streams || r.Bidir != tt.bidir || r.IPVersion != 4 || !strings.HasPrefix(r.Take.Program, "iperf 3.") {
			t.Errorf("%s: %s with %d streams, both ways %v, IPv%d, by %q", tt.file, r.Workload, len(f.Streams), r.Bidir, r.IPVersion, r.Take.Program)
		}
		if tt.totalBPS > 0 && math.Abs(f.TotalReceiverL4BPS/tt.totalBPS-1) > 1e-3 {
			t.Errorf("%s: the receivers took %.0f bit/s, iperf3 says %.0f", tt.file, f.TotalReceiverL4BPS, tt.totalBPS)
		}
		if again, _ := f.Retransmits(); again != tt.again && tt.totalBPS > 0 {
			t.Errorf("%s: %d retransmits, want %d", tt.file, again, tt.again)
		}
		sent, lost, udp := f.Datagrams()
		if sent != tt.sent || lost != tt.lost || udp != strings.Contains(tt.workload, "udp") {
			t.Errorf("%s: %d of %d datagrams lost, want %d of %d", tt.file, lost, sent, tt.lost, tt.sent)
		}
	}
}

// TestErrors: iperf3 exits with 0 in all of these.
func TestErrors(t *testing.T) {
	whole := string(read(t, "iperf3-tcp-P5-client.json"))
	for _, tt := range []struct{ name, text, want string }{
		{"refused", string(read(t, "iperf3-refused.json")), "iperf3 reports: unable to connect to server: Connection refused"},
		{"killed while writing", whole[:len(whole)/2], "ended before it wrote all of it"},
		{"killed before", "", "ended before it wrote all of it"},
		{"no end", `{"start": {"test_start": {"protocol": "TCP"}}, "intervals": [], "end": {}}`, "did not come to its end"},
		{"another protocol", strings.ReplaceAll(whole, `"TCP"`, `"SCTP"`), "neither TCP nor UDP"},
	} {
		if _, err := Parse([]byte(tt.text)); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q in it", tt.name, err, tt.want)
		}
	}
}

// TestTrailingLoss: datagrams behind the last one that arrived are lost, though no gap shows it.
func TestTrailingLoss(t *testing.T) {
	text := strings.Replace(string(read(t, "iperf3-udp-P1-R-client.json")), `"bytes":	187462800`, `"bytes":	187602800`, -1)
	r, err := Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	s := r.Take.Streams[0]
	if *s.Sent != 134002 || *s.Lost != 12991 {
		t.Errorf("%d of %d lost; 100 datagrams of 1400 bytes more were sent than 133902, and 121011 arrived", *s.Lost, *s.Sent)
	}
}

// TestSenderOfReverse takes the round trip from the end that sends.
func TestSenderOfReverse(t *testing.T) {
	r, err := Parse(read(t, "iperf3-tcp-P5-R-client.json"))
	if err != nil {
		t.Fatal(err)
	}
	if r.Take.Streams[0].MeanRTTNS != 0 {
		t.Errorf("the receiver claims to know the round trip: %v ns", r.Take.Streams[0].MeanRTTNS)
	}
	whole := read(t, "iperf3-tcp-P5-R-server.json")
	for name, server := range map[string][]byte{"broken": whole[:len(whole)/2], "none": nil, "of other streams": read(t, "iperf3-tcp-P2-bidir-server.json")} {
		if err := addOtherEnd(&r.Take, read(t, "iperf3-tcp-P5-R-client.json"), server); err == nil || r.Take.Streams[0].MeanRTTNS != 0 {
			t.Errorf("%s: %v, round trip %v ns", name, err, r.Take.Streams[0].MeanRTTNS)
		}
	}
	if err := addOtherEnd(&r.Take, read(t, "iperf3-tcp-P5-R-client.json"), whole); err != nil {
		t.Fatal(err)
	}
	if got := r.Take.Streams[0].MeanRTTNS; got != 630_000 {
		t.Errorf("round trip %v ns, the server says 630 us", got)
	}
}

func TestThreads(t *testing.T) {
	for version, want := range map[string]int{"iperf 3.12": 1, "iperf 3.15": 1, "iperf 3.16": 4, "iperf 3.17.1+": 4, "": 1} {
		if got := threads(version, 4); got != want {
			t.Errorf("%q: %d threads, want %d", version, got, want)
		}
	}
}

// TestOmittedLoss: of these streams all datagrams of the measured seconds arrived, but for a few
// in flight at the end. Each lost 143 or 144 on the way there and 242 on the way back before,
// in the second that was omitted, and iperf3 counts those of the way there as measured.
func TestOmittedLoss(t *testing.T) {
	client, server := read(t, "iperf3-udp-P2-bidir-omit-client.json"), read(t, "iperf3-udp-P2-bidir-omit-server.json")
	r, err := Parse(client)
	if err != nil {
		t.Fatal(err)
	}
	check := func(name string, wantSent, wantLost []uint64, pps float64) {
		t.Helper()
		for i, s := range r.Take.Streams {
			if *s.Sent != wantSent[i] || *s.Lost != wantLost[i] || s.Reverse != (i > 1) {
				t.Errorf("%s, stream %d: %d of %d lost, reverse %v; want %d of %d", name, i+1, *s.Lost, *s.Sent, s.Reverse, wantLost[i], wantSent[i])
			}
			if bps := s.ReceiverL4BPS; math.Abs(bps/20e6-1) > 1e-3 {
				t.Errorf("%s, stream %d: %.0f bit/s arrived, want 20 Mbit/s", name, i+1, bps)
			}
		}
		if math.Abs(r.Take.ReceiverPPS/pps-1) > 1e-3 {
			t.Errorf("%s: %.0f datagrams per second, want %.0f", name, r.Take.ReceiverPPS, pps)
		}
	}
	check("client alone", []uint64{5000, 5000, 5001, 5001}, []uint64{0, 2, 0, 0}, 1e4) // of the two that its sum misses
	if err := addOtherEnd(&r.Take, client, server); err != nil {
		t.Fatal(err)
	}
	check("both", []uint64{4999, 4999, 5003, 5003}, []uint64{0, 0, 2, 2}, 1e4)
}
