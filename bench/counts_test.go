package bench

import (
	"fmt"
	"testing"
	"time"

	"github.com/linerate/linerate/dut"
	"github.com/linerate/linerate/dut/journal"
	"github.com/linerate/linerate/internal/netns"
	"github.com/linerate/linerate/plan"
	"github.com/linerate/linerate/result"
	"github.com/linerate/linerate/trial"
	"github.com/vishvananda/netlink"
)

// checkClean fails unless every frame that was sent arrived once, in order, as it should be.
func checkClean(t *testing.T, r result.Trial) {
	t.Helper()
	if r.Sent == 0 || r.Received != r.Sent || r.Lost != 0 {
		t.Errorf("sent %d, received %d, lost %d", r.Sent, r.Received, r.Lost)
	}
	if r.Duplicated+r.Reordered+r.Late+r.Foreign+r.WrongSize+r.WrongRewrite != 0 {
		t.Errorf("duplicated %d, reordered %d, late %d, foreign %d, wrong size %d, wrong rewrite %d", r.Duplicated, r.Reordered, r.Late, r.Foreign, r.WrongSize, r.WrongRewrite)
	}
	if r.Sent+r.Unsent != r.Intended {
		t.Errorf("sent %d and unsent %d are not the intended %d", r.Sent, r.Unsent, r.Intended)
	}
	for _, p := range r.Ports {
		if p.InterfaceTx != p.Sent || p.InterfaceRx != p.Received {
			t.Errorf("port %s: generator counts %d and the kernel %d, sink %d and the kernel %d", p.Port, p.Sent, p.InterfaceTx, p.Received, p.InterfaceRx)
		}
	}
}

func TestCountsAgreeWithTheKernel(t *testing.T) {
	b := openBed(t, testPlan(), cellOf("route", 4, 1000, plan.Bi))
	clean := 0
	for attempt := 0; attempt < 40 && clean < 20; attempt++ {
		r := b.measure(t, 40_000, 100*time.Millisecond)
		if why := trial.Disturbed(r); r.Lost > 0 || why != "" {
			t.Logf("trial %d lost %d frames: this machine was busy; %s", attempt, r.Lost, why)
			continue
		}
		clean++
		checkClean(t, r)
		if r.Intended != 8000 {
			t.Errorf("intended %d frames, want 4000 in each direction", r.Intended)
		}
	}
	if clean < 20 {
		t.Fatalf("only %d trials without loss", clean)
	}
}

func TestEveryScenarioForwards(t *testing.T) {
	for _, scenario := range []plan.Scenario{"none", "route", "conntrack-nft", "conntrack-iptables", "snat-nft", "snat-iptables", "limit", "xdp", "xdp-bridge"} {
		for _, version := range []int{4, 6} {
			for _, directions := range []plan.Direction{plan.Uni, plan.Bi} {
				cell := cellOf(scenario, version, 500, directions)
				t.Run(cell.ID(), func(t *testing.T) {
					b := openBed(t, testPlan(), cell)
					r := b.undisturbed(t, 10_000, 200*time.Millisecond)
					checkClean(t, r)
					if c := r.Conntrack; scenario.Name() == "conntrack" || scenario.Name() == "snat" {
						if c == nil || c.Entries != 500 || c.InsertFailed+c.Drop+c.EarlyDrop != 0 {
							t.Errorf("conntrack %+v, want 500 entries and no drops", c)
						}
					}
					if scenario != "none" && (r.CPU == nil || r.CPU.NSPerPacket <= 0) {
						t.Errorf("no CPU time of the DUT: %+v", r.CPU)
					}
				})
			}
		}
	}
}

func TestEverySizeArrives(t *testing.T) {
	p := testPlan()
	p.Lab.MTUBytes = 9000
	for _, size := range []plan.FrameSize{64, 65, 128, 1518, 3000, 9018, plan.IMIX} {
		t.Run(size.Label(), func(t *testing.T) {
			cell := cellOf("route", 4, 100, plan.Uni)
			cell.FrameSize = size
			b := openBed(t, p, cell)
			r := b.undisturbed(t, 5_000, 200*time.Millisecond)
			checkClean(t, r)
			if r.SentBytes != r.ReceivedBytes {
				t.Errorf("sent %d bytes, received %d", r.SentBytes, r.ReceivedBytes)
			}
			if size != plan.IMIX && r.SentBytes != r.Sent*uint64(size-4) {
				t.Errorf("%d frames have %d bytes without FCS, want %d each", r.Sent, r.SentBytes, size-4)
			}
		})
	}
}

func TestMillionFlows(t *testing.T) {
	b := openBed(t, testPlan(), cellOf("route", 4, 1_000_000, plan.Uni))
	r := b.undisturbed(t, 100_000, 200*time.Millisecond)
	checkClean(t, r)
}

func TestPlantedLossIsReportedExactly(t *testing.T) {
	for _, every := range []uint64{1000, 7} {
		t.Run(fmt.Sprint(every), func(t *testing.T) {
			p := testPlan()
			cell := cellOf("route", 4, 10, plan.Uni)
			b := openBed(t, p, cell)
			rule := journal.Action{Kind: journal.Command, Netns: b.lab.DUT.Netns, Argv: []string{"nft", "-f", "-"}, Stdin: fmt.Sprintf(
				"table ip planted {\n chain forward {\n type filter hook forward priority 0\n numgen inc mod %d == 0 drop\n }\n}\n", every)}
			if _, err := dut.Apply([]dut.Step{{Do: rule, Undo: journal.Action{}}}, b.journal); err != nil {
				t.Fatal(err)
			}
			r := b.measure(t, 20_000, 700*time.Millisecond)
			if want := (r.Sent + every - 1) / every; r.Lost != want || r.Sent != 14_000 {
				t.Errorf("sent %d, lost %d, planted %d", r.Sent, r.Lost, want)
			}
		})
	}
}

func TestVanishedInterface(t *testing.T) {
	b := openBed(t, testPlan(), cellOf("route", 4, 10, plan.Uni))
	err := netns.Do(b.lab.DUT.Netns, func() error {
		link, err := netlink.LinkByName(b.lab.DUT.B.Interface)
		if err != nil {
			return err
		}
		return netlink.LinkDel(link)
	})
	if err != nil {
		t.Fatal(err)
	}
	_, err = b.station.bed.Measure(t.Context(), requestOf(1000, 50*time.Millisecond))
	if err == nil {
		t.Fatal("a trial on an interface that has vanished succeeded")
	}
	t.Log(err)
}
