package bench

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/linerate/linerate/internal/netns"
	"github.com/linerate/linerate/internal/testenv"
	"github.com/linerate/linerate/plan"
	"github.com/linerate/linerate/result"
	"github.com/vishvananda/netlink"
)

// TestMissingProgramsSkipTheirCells takes all programs away: each cell that needs one names
// it with its package, and the cell behind them is measured.
func TestMissingProgramsSkipTheirCells(t *testing.T) {
	dir := t.TempDir()
	for _, tool := range []string{"ip", "ethtool"} { // what every such cell needs first
		path, err := exec.LookPath(tool)
		testenv.Need(t, tool, err)
		if err := os.Symlink(path, filepath.Join(dir, tool)); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", dir)
	run, _, _, err := runPlan(t, t.Context(), append(short, "scenarios=ecmp-bird,testpmd,ovs-afxdp,ovs-dpdk,route")...)
	if err != nil || run.Outcome != result.Measured || len(run.Cells) != 5 {
		t.Fatalf("outcome %s, %d cells: %v", run.Outcome, len(run.Cells), err)
	}
	for i, want := range []string{
		"bird is not installed; install it with `apt-get install bird2`",
		"dpdk-testpmd is not installed; install it with `apt-get install dpdk-dev`",
		"ovs-vsctl is not installed; install it with `apt-get install openvswitch-switch`",
		"ovs-vsctl is not installed; install it with `apt-get install openvswitch-switch`",
	} {
		if c := run.Cells[i]; !strings.HasPrefix(c.Skipped, want) || c.HasResults() {
			t.Errorf("cell %s: skipped %q, want %q", c.ID, c.Skipped, want)
		}
	}
	if c := run.Cells[4]; c.Skipped != "" || !c.HasResults() {
		t.Errorf("route: skipped %q", c.Skipped)
	}
}

// inFront puts a shell script in front of a program of the machine.
func inFront(t *testing.T, program, script string) {
	t.Helper()
	real, err := exec.LookPath(program)
	testenv.Need(t, program, err)
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, program), []byte("#!/bin/sh\n"+fmt.Sprintf(script, real)), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
}

// TestBGPThatIsNeverEstablished gives the router of one path the wrong neighbour: its sessions
// cannot come up. The cell says which and why, in bounded time, and the next is measured.
func TestBGPThatIsNeverEstablished(t *testing.T) {
	inFront(t, "bird", `[ "$1" = --version ] || sed -i 's/local \(.*\) as 65011;/local \1 as 65099;/' "$LINERATE_PROCESS/bird.conf"; exec %s "$@"`)
	begin := time.Now()
	run, _, _, err := runPlan(t, t.Context(), append(short, "scenarios=ecmp-bird,route", "ecmp.paths=2")...)
	if err != nil || len(run.Cells) != 2 {
		t.Fatalf("%d cells: %v", len(run.Cells), err)
	}
	if took := time.Since(begin); took > 75*time.Second {
		t.Errorf("it took %v", took)
	}
	for _, want := range []string{"the session of 192.0.2.", "is \"", "BGP Error", "Bad peer AS"} {
		if !strings.Contains(run.Cells[0].Skipped, want) {
			t.Errorf("the cell says %q, and not %q", run.Cells[0].Skipped, want)
		}
	}
	if c := run.Cells[1]; c.Skipped != "" || !c.HasResults() {
		t.Errorf("route: skipped %q", c.Skipped)
	}
}

// TestDaemonsThatAreKilled ends daemons in mid-trial of whose kind no other test does.
func TestDaemonsThatAreKilled(t *testing.T) {
	for _, tt := range []struct{ scenario, program, needs string }{
		{"ecmp-bird", "bird", "bird"},
		{"ovs-dpdk", "ovs-vswitchd-dpdk", "/usr/lib/openvswitch-switch-dpdk/ovs-vswitchd-dpdk"},
		{"ovs-afxdp", "ovsdb-server", "ovsdb-server"},
	} {
		t.Run(tt.scenario+"/"+tt.program, func(t *testing.T) {
			_, err := exec.LookPath(tt.needs)
			testenv.Need(t, tt.needs, err)
			runKilled(t, tt.scenario, tt.program)
		})
	}
}

// duringTrial does something once in the middle of a trial of a cell.
type duringTrial struct {
	*listener
	cell plan.Cell
	do   func(run *result.Run) (done bool)
	run  *result.Run
	done bool
}

func (d *duringTrial) Opened(run *result.Run, _ []plan.Cell) { d.run = run }

func (d *duringTrial) CellStarted(number, of int, c plan.Cell) { d.cell = c }

func (d *duringTrial) TrialProgress(uint64, uint64, time.Duration) {
	if !d.done && d.cell.Scenario != "" {
		d.done = d.do(d.run)
	}
}

// runDisturbed runs a plan and does something to it in mid-trial.
func runDisturbed(t *testing.T, do func(*result.Run) bool, assignments ...string) (*result.Run, []result.Trial, error) {
	t.Helper()
	testenv.NeedRoot(t)
	p := plan.Default()
	if err := p.Set(assignments); err != nil {
		t.Fatal(err)
	}
	d := &duringTrial{listener: &listener{t: t}, do: do}
	out, journals := filepath.Join(t.TempDir(), "run"), t.TempDir()
	run, err := Run(t.Context(), Options{Plan: p, Out: out, JournalDir: journals, Command: []string{"test"}, Events: d})
	if run == nil || !d.done {
		t.Fatalf("nothing was done in mid-trial: %v", err)
	}
	if left, err := os.ReadDir(journals); err != nil || len(left) > 0 {
		t.Errorf("left in the folder of journals: %v, %v", left, err)
	}
	for _, side := range []string{"a", "dut", "b"} {
		if netns.Exists("lr-" + run.ID + "-" + side) {
			t.Errorf("namespace lr-%s-%s is still there", run.ID, side)
		}
	}
	stored, trials, openErr := result.Open(out)
	if openErr != nil {
		t.Fatal(openErr)
	}
	return stored, trials, err
}

// TestInterfaceThatVanishesInMidTrial removes a device of the DUT while frames pass: the lab
// is not whole any more, so the run ends, says which device is gone, and keeps its trials.
func TestInterfaceThatVanishesInMidTrial(t *testing.T) {
	for _, engine := range []string{"xdp", "afpacket", "afxdp"} {
		t.Run(engine, func(t *testing.T) {
			begin := time.Now()
			run, trials, err := runDisturbed(t, func(run *result.Run) bool {
				err := netns.Do("lr-"+run.ID+"-dut", func() error {
					link, err := netlink.LinkByName("da-" + run.ID)
					if err != nil {
						return err
					}
					return netlink.LinkDel(link)
				})
				if err != nil {
					t.Error(err)
				}
				return true
			}, append(short, "scenarios=route", "traffic.engine="+engine, "search.goals.PDR.trial_duration=2s", "search.goals.PDR.duration_sum=2s", "search.max_trial_time=10s")...)
			if err == nil || run.Outcome != result.Failed || run.Error == "" {
				t.Fatalf("outcome %s, error %v", run.Outcome, err)
			}
			t.Log(err)
			if !strings.Contains(err.Error(), "-"+run.ID) || !strings.Contains(err.Error(), "cell route/") {
				t.Errorf("the error names neither a device nor the cell: %v", err)
			}
			if len(trials) == 0 || time.Since(begin) > 60*time.Second {
				t.Errorf("%d trials were kept, after %v", len(trials), time.Since(begin))
			}
		})
	}
}

// TestSourceThatIsKilled ends the testpmd that sends in mid-trial: its cell says so, and the
// next one, with a new testpmd, is measured.
func TestSourceThatIsKilled(t *testing.T) {
	needProgram(t, "dpdk-testpmd")
	run, _, err := runDisturbed(t, func(*result.Run) bool {
		pids := children(t, "dpdk-testpmd")
		for _, pid := range pids {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
		return len(pids) > 0
	}, "scenarios=none,route", "traffic.engine=testpmd", "traffic.flows=1")
	if err != nil || run.Outcome != result.Measured || len(run.Cells) != 2 {
		t.Fatalf("outcome %s, %d cells: %v", run.Outcome, len(run.Cells), err)
	}
	if c := run.Cells[0]; !strings.Contains(c.Skipped, "the generator broke down while it sent") || !strings.Contains(c.Skipped, "testpmd has ended: signal: killed") || c.HasResults() {
		t.Errorf("cell %s: skipped %q", c.ID, c.Skipped)
	}
	if c := run.Cells[1]; c.Skipped != "" || c.Unpaced == nil || c.Unpaced.ReceivedPPS == nil || *c.Unpaced.ReceivedPPS <= 0 {
		t.Errorf("cell %s: skipped %q, %+v", c.ID, c.Skipped, c.Unpaced)
	}
	if left := children(t, "dpdk-testpmd"); len(left) > 0 {
		t.Errorf("processes %v are still there", left)
	}
}

// argumentsOf are those that a process was started with.
func argumentsOf(pid int) []string {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
	return strings.Split(string(text), "\x00")
}

// receivedPackets are those that the devices in a process's network namespace have received.
func receivedPackets(pid int) (sum uint64) {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/net/dev", pid))
	for line := range strings.Lines(string(text)) {
		_, counters, _ := strings.Cut(line, ":")
		if f := strings.Fields(counters); len(f) > 1 {
			n, _ := strconv.ParseUint(f[1], 10, 64) // bytes stand before packets
			sum += n
		}
	}
	return sum
}

// streaming is more packets than the beginning of a measurement has: the streams have begun.
const streaming = 500

// TestKilledServer kills the iperf3 that serves: the client tells that its peer is gone.
func TestKilledServer(t *testing.T) {
	needProgram(t, "iperf3")
	killed := make(chan bool, 1)
	go func() {
		for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
			pids := children(t, "iperf3")
			i := slices.IndexFunc(pids, func(pid int) bool { return slices.Contains(argumentsOf(pid), "-s") })
			if i >= 0 && receivedPackets(pids[i]) > streaming {
				killed <- syscall.Kill(pids[i], syscall.SIGKILL) == nil
				return
			}
		}
		killed <- false
	}()
	begin := time.Now()
	run, _ := measureStreams(t, "workload=iperf3", "scenarios=none", "iperf3.streams=1,2", "iperf3.seconds=2")
	if !<-killed {
		t.Fatal("no server was seen that receives")
	}
	first, second := run.Cells[0], run.Cells[1]
	t.Log(first.Skipped)
	if !strings.Contains(first.Skipped, "iperf3 reports: ") || first.HasResults() || time.Since(begin) > 45*time.Second {
		t.Errorf("the killed cell after %v: skipped %q, %d streams", time.Since(begin), first.Skipped, len(first.Streams))
	}
	if second.Skipped != "" || len(second.Streams) != 2 {
		t.Errorf("the cell after it: skipped %q, %d streams", second.Skipped, len(second.Streams))
	}
}
