package kernels_test

import (
	"testing"

	"github.com/linerate/linerate/plan"
)

// TestTuning tries settings of pktgen: each account is the other to the packet, and what is
// tuned costs less.
func TestTuning(t *testing.T) {
	needSeveral(t)
	o := options(t, guestProgram(t), kernelPackage)
	o.Plan.Scenarios, o.Plan.Traffic.FrameSizes, o.Plan.Lab.MTUBytes = []plan.Scenario{"none"}, []plan.FrameSize{64, 9018}, 9000
	o.Plan.Tuning = plan.Tuning{Devices: []string{plan.DeviceDummy, plan.DeviceCard}, CloneSKB: []int{0, 1, 10}, Burst: []int{1, 8}}
	o.Plan.VM.Packets, o.Plan.VM.Boots = 1600, 2
	if err := o.Plan.Validate(); err != nil {
		t.Fatal(err)
	}
	run := measured(t, o)
	if len(run.Cells) != 16 {
		t.Fatalf("%d cells", len(run.Cells))
	}
	untuned := 0.0
	for _, c := range run.Cells {
		v := c.InstructionsPerPacket
		if v == nil {
			t.Fatalf("%s: %s", c.ID, c.Skipped)
		}
		s := *c.Tuning
		t.Logf("%s: %v, %.0f pps", c.ID, v.PerBoot, s.ResultPPS)
		if s.SentFrames != 1600 || s.ReceivedFrames != 1600 || s.Device == plan.DeviceCard && s.ReceivedIPPackets != 1600 {
			t.Errorf("%s: the accounts differ: %+v", c.ID, s)
		}
		// Cells of the card differ by what its rings and interrupts were like before, up to 1.3 % as seen.
		same := 0.01
		if s.Device == plan.DeviceCard {
			same = 0.03
		}
		switch {
		case s.CloneSKB == 0 && s.Burst == 1:
			untuned = v.Value
		case s.CloneSKB == 1 && (v.Value > (1+same)*untuned || v.Value < (1-same)*untuned):
			t.Errorf("%s: %v, and %v untuned: clone_skb 1 builds each packet, as 0 does", c.ID, v.Value, untuned)
		case s.CloneSKB > 1 && v.Value > 0.85*untuned, s.Burst > 1 && v.Value > 0.7*untuned:
			t.Errorf("%s: %v, and %v untuned", c.ID, v.Value, untuned)
		}
		// The emulated card is not quite as regular as the guest.
		if v.Max-v.Min > 0.005*v.Value || s.Device == plan.DeviceDummy && v.Max != v.Min {
			t.Errorf("%s: two boots with one seed gave %v", c.ID, v.PerBoot)
		}
	}
}
