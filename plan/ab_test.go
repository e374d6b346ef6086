package plan

import (
	"slices"
	"strings"
	"testing"
)

func TestVariantsOfAnABPlan(t *testing.T) {
	p := Default()
	p.AB.A = []string{"traffic.flows=1,100"}
	p.AB.B = []string{"traffic.flows=1,100", "scenarios=conntrack-nft", "dut.sysctls.net.ipv4.ip_early_demux=0"}
	if err := p.Validate(); err != nil {
		t.Fatal(err)
	}
	v := p.Variants()
	if len(v) != 2 || v[0].Name != "A" || v[1].Name != "B" {
		t.Fatalf("variants %+v", v)
	}
	if got := v[1].Cells[1].ID(); got != "conntrack-nft/ipv4/64B/100f/uni/B" {
		t.Errorf("second cell of B is %s", got)
	}
	if v[1].Plan.DUT.Sysctls["net.ipv4.ip_early_demux"] != "0" || len(v[0].Plan.DUT.Sysctls) != 0 || len(p.DUT.Sysctls) != 0 {
		t.Error("the sysctl is not B's alone")
	}
	if v[0].Plan.AB.On() {
		t.Error("a variant compares something itself")
	}
	// Two cells: a first search for each side, ten pairs and six A/A pairs.
	if n := len(p.Measurements()); n != 2*(2+2*10+2*6) {
		t.Errorf("%d measurements", n)
	}
	if p.Figure() != FigureForwardingRate {
		t.Errorf("figure %s", p.Figure())
	}
}

func TestVariantsOfASweep(t *testing.T) {
	p := Default()
	if err := p.Sweep.ParseSweep("dut.gro_flush_timeout=0s, 20us,50us"); err != nil {
		t.Fatal(err)
	}
	if err := p.Validate(); err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, v := range p.Variants() {
		names = append(names, v.Name)
	}
	if want := []string{"dut.gro_flush_timeout=0s", "dut.gro_flush_timeout=20us", "dut.gro_flush_timeout=50us"}; !slices.Equal(names, want) {
		t.Errorf("variants %q", names)
	}
	if v := p.Variants()[2]; v.Plan.DUT.GROFlushTimeout != 50_000 {
		t.Errorf("the last variant has %v", v.Plan.DUT.GROFlushTimeout)
	}
	if n := len(p.Measurements()); n != 9 || p.Figure() != FigureThroughput {
		t.Errorf("%d measurements of the %s", n, p.Figure())
	}
	if Default().Measurements()[0] != Default().Cells()[0] || Default().Variants() != nil {
		t.Error("a plain plan compares something")
	}
}

func TestABAndSweepProblems(t *testing.T) {
	for _, tt := range []struct{ yaml, want string }{
		{"ab: {b: [lab.mtu_bytes=9000]}", `p.yaml:1:10: ab.b[0]: "lab.mtu_bytes=9000" changes the testbed, which is built once for all variants; measure two runs, and compare them by ` + "`linerate compare`"},
		{"ab: {a: [scenarios=nat]}", `p.yaml:1:9: ab.a: scenarios[0]: unknown scenario "nat"; `},
		{"ab: {a: [scenarios=route], b: ['traffic.flows=1,2']}", "p.yaml:1:31: ab.b: A has 1 and B 2 cells, and"},
		{"ab: {pairs: 5}", "p.yaml:1:13: ab.pairs: 5 is out of range: 6 to 1,000 pairs"},
		{"ab: {alpha: 0}", "p.yaml:1:13: ab.alpha: 0 is out of range: above 0 and at most 0.5"},
		{"ab: {a: [limit.pps=5]}\nsweep: {field: limit.pps, values: [1, 2]}", "p.yaml:2:8: sweep: a plan either compares A with B or sweeps a field; remove one of them"},
		{"sweep: {field: limit.pps, values: [1]}", "p.yaml:1:35: sweep.values: a sweep needs two values at least, limit.pps has 1"},
		{"sweep: {values: [1, 2]}", "p.yaml:1:17: sweep.field: is missing: there are values to sweep; "},
		{"sweep: {field: limit.pps, values: [1, x]}", `p.yaml:1:39: sweep.values[1]: limit.pps: "x" is not a whole number`},
		{"sweep: {field: limit.pps, values: [1, 1]}", `p.yaml:1:39: sweep.values[1]: "1" is listed twice; remove one of them`},
		{"sweep: {field: ab.pairs, values: [6, 7]}", `p.yaml:1:35: sweep.values[0]: "ab.pairs=6" changes nothing that is measured; `},
		{"sweep: {field: dut.napi_weight, values: [16, 64]}", `p.yaml:1:42: sweep.values[0]: dut.napi_weight: unknown field; a DUT of veths has no such setting: a veth polls 64 frames at a time`},
		{"dut: {ring: 512}", "p.yaml:1:7: dut.ring: unknown field; a DUT of veths has no such setting: the ring of a veth has 256 frames"},
		{"dut: {gro_flush_timeout: 2s}", "p.yaml:1:26: dut.gro_flush_timeout: 2s is out of range: 0s to 1s"},
		{"dut: {sysctls: {kernel.x: 1}}", `p.yaml:1:16: dut.sysctls.kernel.x: "kernel.x" is not the name of a sysctl of a network namespace; `},
		{"dut: {sysctls: {net.ipv4.ip_early_demux: ''}}", `p.yaml:1:16: dut.sysctls.net.ipv4.ip_early_demux: "" is not the value of a sysctl; `},
		{"dut: {sysctls: 5}", `p.yaml:1:16: dut.sysctls: "5" is not a sysctl with its value; `},
		{"traffic: {engine: afpacket, batch: 4}", "p.yaml:1:36: traffic.batch: engine afpacket decides itself how many frames it hands over at once"},
		{"repeated: {figure: latency}", `p.yaml:1:20: repeated.figure: "latency" is not known to this version; `},
	} {
		_, err := Parse("p.yaml", []byte(tt.yaml))
		if err == nil {
			t.Errorf("%s is accepted", tt.yaml)
			continue
		}
		if first, _, _ := strings.Cut(err.Error(), "\n"); !strings.HasPrefix(first, tt.want) {
			t.Errorf("%s\ngot  %s\nwant %s", tt.yaml, err, tt.want)
		}
	}
}

func TestSetSysctl(t *testing.T) {
	p := Default()
	if err := p.Set([]string{"dut.sysctls.net.ipv4.ip_early_demux=0", "dut.sysctls.net.ipv4.udp_early_demux=1"}); err != nil {
		t.Fatal(err)
	}
	if got := p.DUT.Sysctls.String(); got != "net.ipv4.ip_early_demux=0,net.ipv4.udp_early_demux=1" {
		t.Errorf("sysctls %s", got)
	}
	if err := p.Set([]string{"dut.sysctls.ip_forward=0"}); err == nil {
		t.Error("a sysctl without its path is accepted")
	}
	if len(p.DUT.Sysctls) != 2 {
		t.Error("a refused assignment has changed the plan")
	}
}
