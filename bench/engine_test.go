package bench

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/linerate/linerate/internal/kernel"
	"github.com/linerate/linerate/internal/netns"
	"github.com/linerate/linerate/plan"
	"github.com/linerate/linerate/result"
	"github.com/linerate/linerate/testbed"
	"github.com/vishvananda/netlink"
)

// TestEveryEngineCountsWhatTheKernelCounts requires of each engine that what it calls sent
// is what the devices at both ends of the link have seen, to the frame.
func TestEveryEngineCountsWhatTheKernelCounts(t *testing.T) {
	engines := plan.Engines()
	byXDP, _ := plan.EngineNamed("testpmd")
	for i, e := range append(engines, byXDP) {
		t.Run(e.Name, func(t *testing.T) {
			if _, err := kernel.Pktgen.Try(); e.Pktgen && err != nil {
				t.Skipf("no pktgen: %v", err)
			}
			p := testPlan()
			p.Traffic.Engine = e.Name
			if i == len(engines) {
				p.Traffic.TestpmdDriver = "afxdp"
			}
			flows, loads := 100, []float64{20_000, 0}
			if e.OneFlow {
				flows = 1
			}
			if e.Unpaced {
				loads = loads[1:]
			}
			b := openBed(t, p, cellOf(plan.NoDUT, 4, flows, plan.Uni))
			from, to := b.lab.Ports(true)
			for _, pps := range loads {
				sent, arrived := counters(t, from), counters(t, to)
				r := b.measure(t, pps, 200*time.Millisecond)
				offered, refused := counters(t, from).TxPackets-sent.TxPackets, counters(t, from).TxDropped-sent.TxDropped
				if !e.Unpaced { // testpmd offers what a full ring refused again, and it counts once
					offered += refused
				}
				if r.Sent == 0 || offered != r.Sent {
					t.Errorf("at %.0f pps %s sent %d frames, the kernel counted %d", pps, r.Ports[0].Port, r.Sent, offered)
				}
				if n := counters(t, to).RxPackets - arrived.RxPackets; n != r.Received || !e.Unpaced && n+r.TesterDrops != r.Sent || e.Unpaced && n != r.Sent {
					t.Errorf("at %.0f pps %d frames arrived, the sink counted %d of %d, and its ring refused %d", pps, n, r.Received, r.Sent, r.TesterDrops)
				}
			}
			if name := b.station.engineName(); !strings.HasPrefix(name, e.Name) {
				t.Errorf("the record calls engine %s %q", e.Name, name)
			}
		})
	}
}

// TestMissingEngineSkipsTheCell needs a kernel without pktgen.
func TestMissingEngineSkipsTheCell(t *testing.T) {
	if _, err := kernel.Pktgen.Try(); err == nil {
		t.Skip("this kernel has pktgen")
	}
	run, _, _, err := runPlan(t, t.Context(), "scenarios=none", "traffic.engine=pktgen")
	if err != nil && !strings.Contains(err.Error(), "pktgen") {
		t.Fatal(err)
	}
	if len(run.Cells) != 1 || !strings.Contains(run.Cells[0].Skipped, "no pktgen") || !strings.Contains(run.Cells[0].Skipped, "modprobe") {
		t.Errorf("cells %+v, want one that is skipped and says what to do", run.Cells)
	}
}

// TestZeroCopyThatIsRefusedSkipsTheCell: no frame is sent by copies that nobody asked for.
func TestZeroCopyThatIsRefusedSkipsTheCell(t *testing.T) {
	run, trials, _, err := runPlan(t, t.Context(), "scenarios=none", "traffic.engine=afxdp", "traffic.afxdp_mode=zerocopy")
	if err != nil {
		t.Fatal(err)
	}
	if c := run.Cells[0]; len(run.Cells) != 1 || !strings.Contains(c.Skipped, "refuses zero-copy") || !strings.Contains(c.Skipped, "traffic.afxdp_mode") || len(trials) > 0 {
		t.Errorf("skipped %q after %d trials", c.Skipped, len(trials))
	}
}

// TestCaptureOfAnEngineThatTapsDoNotSee has a cell that says so, and frames where they arrive.
func TestCaptureOfAnEngineThatTapsDoNotSee(t *testing.T) {
	run, _, _, err := runPlan(t, t.Context(), append(short, "scenarios=route", "traffic.engine=afxdp", "capture.frames=20")...)
	if err != nil {
		t.Fatal(err)
	}
	c := run.Cells[0]
	if !slices.ContainsFunc(c.Warnings, func(w result.Warning) bool {
		return w.Code == "departures-unseen" && strings.Contains(w.Text, "port a") && strings.Contains(w.Text, "afxdp (copy)")
	}) {
		t.Errorf("warnings %+v", c.Warnings)
	}
	for _, kept := range c.Captures {
		if want := kept.Port != "a"; (kept.Frames >= 20) != want {
			t.Errorf("port %s: %d frames", kept.Port, kept.Frames)
		}
	}
}

func counters(t *testing.T, p testbed.Port) (s netlink.LinkStatistics) {
	t.Helper()
	err := netns.Do(p.Netns, func() error {
		l, err := netlink.LinkByIndex(p.Ifindex)
		if err == nil {
			s = *l.Attrs().Statistics
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}
