package bench

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"
	"github.com/gopacket/gopacket/pcapgo"
	"github.com/linerate/linerate/plan"
	"github.com/linerate/linerate/result"
	"github.com/linerate/linerate/verify"
)

func TestTapsSeeEveryFrame(t *testing.T) {
	for _, engine := range []string{"xdp", "afpacket"} {
		t.Run(engine, func(t *testing.T) {
			const n = 200
			p := testPlan()
			p.Traffic.Engine = engine
			b := openBed(t, p, cellOf("route", 4, 10, plan.Bi))
			ports, err := b.station.tap(n)
			if err != nil {
				t.Fatal(err)
			}
			b.measure(t, 1000, 300*time.Millisecond)
			for _, p := range ports {
				frames, err := p.Stop(n)
				if err != nil {
					t.Errorf("port %s: %v", p.Name, err)
				}
				leaving := 0
				for _, f := range frames {
					if f.Leaving {
						leaving++
					}
					if len(f.Data) != 60 {
						t.Fatalf("port %s: a frame of %d bytes", p.Name, len(f.Data))
					}
				}
				if len(frames) != n || leaving < n/2-20 || leaving > n/2+20 {
					t.Errorf("port %s: %d frames, %d of them leaving; want %d and about half", p.Name, len(frames), leaving, n)
				}
			}
		})
	}
}

// TestCapturedRun captures real cells and lets another decoder judge every frame:
// sizes are as asked for on every port, checksums are right behind source NAT too.
func TestCapturedRun(t *testing.T) {
	for _, tt := range []struct {
		name  string
		set   []string
		sizes map[plan.FrameSize][]int
	}{
		{"IPv4", []string{"scenarios=route,snat-nft,none", "traffic.frame_size=64,1518,imix"}, map[plan.FrameSize][]int{64: {64}, 1518: {1518}, plan.IMIX: {64, 570, 1518}}},
		{"IPv6 both ways", []string{"scenarios=snat-nft", "traffic.ip_version=6", "traffic.frame_size=84", "traffic.directions=bi"}, map[plan.FrameSize][]int{84: {84}}},
		{"jumbo", []string{"lab.mtu_bytes=9000", "traffic.frame_size=9018"}, map[plan.FrameSize][]int{9018: {9018}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			const n = 60
			set := append([]string{"tests=frame-loss-rate", "frame_loss_rate.trial_duration=10ms", "search.max_load_pps=10000", "traffic.flows=7", fmt.Sprintf("capture.frames=%d", n)}, tt.set...)
			run, trials, l, err := runPlan(t, context.Background(), set...)
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range run.Cells {
				want := 4
				if c.Scenario == "none" {
					want = 2
				}
				if c.Skipped != "" || len(c.Captures) != want {
					t.Fatalf("cell %s: skipped %q, captures %+v", c.ID, c.Skipped, c.Captures)
				}
				for _, k := range c.Captures {
					checkCapture(t, filepath.Join(l.folder, k.File), c, k, n, tt.sizes[c.FrameSize])
				}
			}
			captured := slices.DeleteFunc(trials, func(t result.Trial) bool { return t.Purpose != result.ForCapture })
			if len(captured) != len(run.Cells) {
				t.Errorf("%d trials for the captures of %d cells", len(captured), len(run.Cells))
			}
		})
	}
}

func checkCapture(t *testing.T, path string, c result.Cell, k result.Capture, n int, sizes []int) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	r, err := verify.Read(bytes.NewReader(data), k.Port, verify.Options{FrameSizes: sizes})
	if err != nil {
		t.Fatal(err)
	}
	if !r.Passed() || r.Frames != n || k.Frames != n || len(r.Sizes) != len(sizes) || len(r.Interfaces) != 1 {
		t.Errorf("cell %s, port %s: %d frames on %v, sizes %+v, checks %+v", c.ID, k.Port, r.Frames, r.Interfaces, r.Sizes, r.Checks)
	}
	translated := c.Scenario == "snat" && k.Port != "a" && k.Port != "dut-a"
	for _, source := range sourcesFromA(t, data) {
		if isDUT := source == "198.19.0.1" || source == "2001:2:0:8000::1"; isDUT != translated {
			t.Fatalf("cell %s, port %s: source %s; translated should be %v", c.ID, k.Port, source, translated)
		}
	}
}

// sourcesFromA are the source addresses of the frames that travel from A to B.
func sourcesFromA(t *testing.T, data []byte) (sources []string) {
	t.Helper()
	r, err := pcapgo.NewNgReader(bytes.NewReader(data), pcapgo.DefaultNgReaderOptions)
	if err != nil {
		t.Fatal(err)
	}
	for {
		data, _, err := r.ReadPacketData()
		if err != nil {
			return sources
		}
		p := gopacket.NewPacket(data, layers.LayerTypeEthernet, gopacket.NoCopy)
		// Ports a and dut-b are the devices 0a and 0c of the lab, and xa 0e: what they send goes to B.
		if mac := p.LinkLayer().(*layers.Ethernet).SrcMAC[5]; mac == 0x0a || mac == 0x0c || mac == 0x0e {
			sources = append(sources, p.NetworkLayer().NetworkFlow().Src().String())
		}
	}
}
