package bench

import (
	"os/exec"
	"testing"
	"time"

	"github.com/linerate/linerate/internal/netns"
	"github.com/linerate/linerate/internal/testenv"
	"github.com/linerate/linerate/plan"
	"github.com/vishvananda/netlink"
)

// TestOVSForwards counts the frames through both of Open vSwitch's datapaths, and looks at
// what is left on the DUT's devices.
func TestOVSForwards(t *testing.T) {
	for backend, program := range map[string]string{"afxdp": "ovs-vswitchd", "dpdk": "/usr/lib/openvswitch-switch-dpdk/ovs-vswitchd-dpdk"} {
		_, err := exec.LookPath(program)
		testenv.Need(t, "Open vSwitch, "+backend, err)
		for _, directions := range []plan.Direction{plan.Uni, plan.Bi} {
			cell := cellOf(plan.Scenario("ovs-"+backend), 4, 500, directions)
			t.Run(cell.ID(), func(t *testing.T) {
				b := openBed(t, testPlan(), cell)
				before := forwarded(t, b.lab.DUT.Netns)
				r := b.undisturbed(t, 10_000, 200*time.Millisecond)
				checkClean(t, r)
				if r.CPU.DUTCoresBusy < 0.5 {
					t.Errorf("%.2f cores of a DUT that polls were busy", r.CPU.DUTCoresBusy)
				}
				if after := forwarded(t, b.lab.DUT.Netns); after != before {
					t.Errorf("the kernel routed:\n%s\nwas\n%s", after, before)
				}
				checkUnchanged(t, b)
				checkReleased(t, b)
			})
		}
	}
}

func TestOVSThatIsKilled(t *testing.T) {
	_, err := exec.LookPath("ovs-vswitchd")
	testenv.Need(t, "Open vSwitch", err)
	runKilled(t, "ovs", "ovs-vswitchd")
}

// checkReleased undoes the scenario: the DUT must have its two devices again, as they were.
func checkReleased(t *testing.T, b bed) {
	t.Helper()
	if err := b.applied.Undo(); err != nil {
		t.Fatal(err)
	}
	err := netns.Do(b.lab.DUT.Netns, func() error {
		links, err := netlink.LinkList()
		for _, l := range links {
			a := l.Attrs()
			if a.Name != "lo" && a.Name != b.lab.DUT.A.Interface && a.Name != b.lab.DUT.B.Interface {
				t.Errorf("device %s is left", a.Name)
			}
			if a.Promisc != 0 || a.Xdp != nil && a.Xdp.Attached {
				t.Errorf("device %s: promiscuity %d, XDP %+v", a.Name, a.Promisc, a.Xdp)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
