package bench

import (
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/linerate/linerate/internal/testenv"
	"github.com/linerate/linerate/plan"
)

// TestLargestFramesThroughSockets sends the largest frames that each kind of socket is said to
// take, and the next smaller steps of its memory: each arrives, with the length that it had.
func TestLargestFramesThroughSockets(t *testing.T) {
	for _, tt := range []struct {
		scenario plan.Scenario
		program  string
		mtu      []int
	}{
		{"testpmd-io-afpacket", "dpdk-testpmd", []int{1968, 1969, 9000}},
		{"testpmd-io-afxdp", "dpdk-testpmd", []int{1778, 1779, 3442}},
		{"ovs-afxdp", "ovs-vsctl", []int{3506}},
		{"ovs-dpdk", "/usr/lib/openvswitch-switch-dpdk/ovs-vswitchd-dpdk", []int{1778}},
	} {
		_, err := exec.LookPath(tt.program)
		testenv.Need(t, tt.program, err)
		for _, mtu := range tt.mtu {
			cell := cellOf(tt.scenario, 4, 10, plan.Bi)
			cell.FrameSize = plan.FrameSize(mtu + plan.EthernetBytes)
			t.Run(cell.ID(), func(t *testing.T) {
				p := testPlan()
				p.Lab.MTUBytes = mtu
				b := openBed(t, p, cell)
				checkClean(t, b.undisturbed(t, 5_000, 200*time.Millisecond))
			})
		}
	}
}

// TestFramesTooLargeForASocket asks for larger ones: the cells say what the limit is and what
// to do, and a testpmd whose ports do not open is not taken for one that forwards nothing.
func TestFramesTooLargeForASocket(t *testing.T) {
	for _, program := range []string{"dpdk-testpmd", "ovs-vsctl"} {
		_, err := exec.LookPath(program)
		testenv.Need(t, program, err)
	}
	run, _, _, err := runPlan(t, t.Context(), append(short, "lab.mtu_bytes=9000", "traffic.frame_size=1518", "scenarios=testpmd-mac-afxdp,ovs-afxdp,ovs-dpdk,none")...)
	if err != nil || len(run.Cells) != 4 {
		t.Fatalf("%d cells: %v", len(run.Cells), err)
	}
	for i, want := range [][]string{
		{"testpmd over AF_XDP cannot be had at an MTU of 9000 bytes", "3442 is the most", "testpmd-mac-afpacket"},
		{"Open vSwitch over AF_XDP cannot be had at an MTU of 9000 bytes", "3506 is the most", "lab.mtu_bytes"},
		{"Open vSwitch over AF_XDP cannot be had at an MTU of 9000 bytes", "1778 is the most", "lab.mtu_bytes"},
	} {
		for _, text := range want {
			if !strings.Contains(run.Cells[i].Skipped, text) {
				t.Errorf("cell %s says %q, and not %q", run.Cells[i].ID, run.Cells[i].Skipped, text)
			}
		}
	}
	if c := run.Cells[3]; c.Skipped != "" || !c.HasResults() {
		t.Errorf("cell %s: skipped %q", c.ID, c.Skipped)
	}
}

// TestTestpmdWhosePortsDoNotOpen asks for a queue that the second device does not have: testpmd
// starts, takes commands and cannot forward.
func TestTestpmdWhosePortsDoNotOpen(t *testing.T) {
	inFront(t, "dpdk-testpmd", `
for a in "$@"; do
	shift
	case "$a" in *net_af_xdp1*) a=$(echo "$a" | sed s/start_queue=0/start_queue=1/);; esac
	set -- "$@" "$a"
done
exec %s "$@"`)
	run, _, _, err := runPlan(t, t.Context(), append(short, "scenarios=testpmd-io-afxdp,none")...)
	if err != nil || len(run.Cells) != 2 {
		t.Fatalf("%d cells: %v", len(run.Cells), err)
	}
	t.Log(run.Cells[0].Skipped)
	for _, want := range []string{"testpmd could not open its ports: ", "Start ports failed"} {
		if !strings.Contains(run.Cells[0].Skipped, want) {
			t.Errorf("the cell says %q, and not %q", run.Cells[0].Skipped, want)
		}
	}
}
