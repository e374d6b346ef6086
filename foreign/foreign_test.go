package foreign

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/linerate/linerate/plan"
	"github.com/linerate/linerate/result"
)

const pktgenFile = `Params: count 100000000  min_pkt_size: 60  max_pkt_size: 60
     frags: 0  delay: 0  clone_skb: 10  ifname: eth2
     flows: 16 flowlen: 1
     dst_min: 198.19.0.2  dst_max:
Current:
     pkts-sofar: 17662390  errors: 0
Result: OK: 5331004(c5330000+d1004) usec, 17662390 (60byte,0frags)
  3313141pps 1590Mb/sec (1590307680bps) errors: 0
`

const trexJSON = `{"0": {"opackets": 1000000, "ipackets": 0, "obytes": 64000000, "tx_pps": 500000.0},
 "1": {"opackets": 0, "ipackets": 995000, "obytes": 0, "tx_pps": 0.0},
 "total": {"opackets": 1000000, "ipackets": 995000, "tx_pps": 500000.0}, "global": {"cpu_util": 5.0}, "flow_stats": {}}`

// sample is an output of a real program.
func sample(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "workload", path))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestRead(t *testing.T) {
	file := func(path string) string { return sample(t, path) }
	for _, tt := range []struct {
		data, kind, id string
		gbit, mpps     float64
		relation       result.Verdict
		warning        string
	}{
		{file("iperf3/testdata/iperf3-tcp-P5-R-client.json"), "iperf3 JSON", "route/ipv4/iperf3-tcp-reverse/5streams", 15.908, 0, "", ""},
		{file("iperf3/testdata/iperf3-tcp-P5-server.json"), "iperf3 JSON", "route/ipv4/iperf3-tcp/5streams", 17.746, 0, "", ""},
		{file("iperf3/testdata/iperf3-tcp-P2-bidir-client.json"), "iperf3 JSON", "route/ipv4/iperf3-tcp-bidir/2streams", 12.719, 0, "", ""},
		{file("iperf/testdata/iperf2-udp-P8-server.csv"), "iperf rows (-y C)", "route/ipv4/iperf-udp/8streams", 0.02385, 0, "", ""},
		{file("iperf/testdata/iperf2-udp-P8-client.txt"), "iperf text", "route/ipv4/iperf-udp/8streams", 0.0301, 0, "", ""},
		{file("iperf/testdata/iperf2-tcp-P4-client.txt"), "iperf text", "route/ipv4/iperf-tcp/4streams", 31.18, 0, "", "sender-figures"},
		{file("iperf/testdata/iperf2-tcp-P4-client.csv"), "iperf rows (-y C)", "route/ipv4/iperf-tcp/4streams", 24.567, 0, "", "sender-figures"},
		{file("iperf/testdata/iperf2-udp-R-client.csv"), "iperf rows (-y C)", "route/ipv4/iperf-udp-reverse/1streams", 0.0050153, 0, "", ""},
		{file("iperf/testdata/iperf2-tcp-R-client.txt"), "iperf text", "route/ipv4/iperf-tcp-reverse/1streams", 21.4, 0, "", ""},
		{file("iperf/testdata/iperf2-tcp-R-server.txt"), "iperf text", "route/ipv4/iperf-tcp-reverse/1streams", 21.4, 0, "", "sender-figures"},
		{file("iperf/testdata/iperf2-udp-R-client.txt"), "iperf text", "route/ipv4/iperf-udp-reverse/1streams", 0.019848, 0, "", ""},
		{file("iperf/testdata/iperf2-tcp-full-duplex-client.txt"), "iperf text", "route/ipv4/iperf-tcp-bidir/1streams", 8.17, 0, "", "sender-figures"},
		{file("iperf/testdata/iperf3-udp-P2-client.txt"), "iperf3 text", "route/ipv4/iperf3-udp/2streams", 0.0246, 0, "", ""},
		{file("iperf3/testdata/iperf3-udp-P1-R-client.json"), "iperf3 JSON", "route/ipv4/iperf3-udp-reverse/1streams", 0.452, 0, "", ""},
		{file("iperf3/testdata/iperf3-tcp-P5-R-server.json"), "iperf3 JSON", "route/ipv4/iperf3-tcp-reverse/5streams", 16.048, 0, "", "sender-figures"},
		{file("iperf3/testdata/iperf3-tcp-P2-bidir-server.json"), "iperf3 JSON", "route/ipv4/iperf3-tcp-bidir/2streams", 12.823, 0, "", "sender-figures"},
		{pktgenFile, "pktgen result", "route/ipv4/64B/16f/uni", 0, 3.3131, "", ""},
		{trexJSON, "TRex statistics", "route/ipv4/64B/1f/uni", 0, 0.5, "", ""},
	} {
		o, err := Read([]byte(tt.data), "route")
		if err != nil {
			t.Errorf("%s of %s: %v", tt.kind, tt.id, err)
			continue
		}
		c := o.Cell
		if o.Kind != tt.kind || c.ID != tt.id || c.Verdict != tt.relation || !c.HasResults() {
			t.Errorf("%s %s with verdict %q; want %s %s, %q", o.Kind, c.ID, c.Verdict, tt.kind, tt.id, tt.relation)
		}
		if tt.gbit > 0 && math.Abs(c.TotalReceiverL4BPS/1e9/tt.gbit-1) > 2e-3 {
			t.Errorf("%s: %.4f Gbit/s, want %.4f", tt.id, c.TotalReceiverL4BPS/1e9, tt.gbit)
		}
		if tt.mpps > 0 && (c.Unpaced == nil || math.Abs(c.Unpaced.SentPPS/1e6/tt.mpps-1) > 1e-4) {
			t.Errorf("%s: %+v, want %.4f Mpps sent", tt.id, c.Unpaced, tt.mpps)
		}
		if tt.warning != "" && (len(c.Warnings) != 1 || c.Warnings[0].Code != tt.warning) {
			t.Errorf("%s: warnings %+v, want %s", tt.id, c.Warnings, tt.warning)
		}
	}
}

func TestReadRefuses(t *testing.T) {
	file := func(path string) string { return sample(t, path) }
	rows := file("iperf/testdata/iperf2-udp-P8-client.csv")
	for name, tt := range map[string]struct{ data, want string }{
		"nothing":                        {" \n", "it is empty"},
		"another file":                   {"root:x:0:0\n", "it is none of the outputs"},
		"half a JSON":                    {`{"start": {`, "not whole JSON"},
		"another JSON":                   {`{"a": 1}`, "neither iperf3's nor TRex's"},
		"TRex when nothing is sent":      {`{"0": {"opackets": 5, "obytes": 320}, "1": {"ipackets": 5}}`, "no rate (tx_pps)"},
		"a port that is none":            {`{"0": []}`, "port 0"},
		"an error of iperf3":             {`{"start": {}, "end": {}, "error": "the server is busy"}`, "the server is busy"},
		"an echo of pktgen":              {"Result: OK: clone_skb=10\n", `"OK: clone_skb=10"`},
		"a client that knows no arrival": {rows, "import those of the server"},
		"a server that sends UDP, JSON":  {file("iperf3/testdata/iperf3-udp-P1-R-server.json"), "take the client's"},
		"a server that sends UDP, text":  {file("iperf/testdata/iperf2-udp-R-server.txt"), "take that of the other end"},
		"two sessions, one each way":     {file("iperf/testdata/iperf2-tcp-d-client.txt"), "--full-duplex"},
		"both ways of UDP":               {file("iperf/testdata/iperf2-udp-full-duplex-client.txt"), "take that of the other end"},
	} {
		if _, err := Read([]byte(tt.data), Scenario); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q in it", name, err, tt.want)
		}
	}
}

func TestDistinct(t *testing.T) {
	one, err := Read([]byte(trexJSON), plan.Scenario(Scenario))
	if err != nil {
		t.Fatal(err)
	}
	if u := one.Cell.Unpaced; *u.ReceivedPPS != 497_500 || math.Abs(*u.LossRatio-0.005) > 1e-12 {
		t.Errorf("TRex: %+v, want 497,500 pps and a loss of 0.5 %%", u)
	}
	cells := []result.Cell{one.Cell, one.Cell, one.Cell}
	Distinct(cells)
	if cells[0].Variant != "" || cells[1].ID != one.Cell.ID+"/no-2" || cells[2].Variant != "no-3" || strings.Contains(cells[2].ID, " ") {
		t.Errorf("%q, %q, %q", cells[0].ID, cells[1].ID, cells[2].ID)
	}
}
