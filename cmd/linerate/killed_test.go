package main

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/linerate/linerate/internal/netns"
	"github.com/linerate/linerate/internal/testenv"
	"github.com/linerate/linerate/result"
)

// scenarioRun is a run of one scenario that is to be stopped while it measures.
type scenarioRun struct {
	name string
	set  []string
	// needs are the programs that it starts.
	needs []string
	// until is what it says when it measures: the first trial of a search if empty.
	until string
	// leaves are words of an undo that restore has to tell of.
	leaves string
}

var scenarioRuns = []scenarioRun{
	{name: "ecmp-bird", needs: []string{"bird", "birdc"}, leaves: "bird"},
	{name: "xdp"},
	{name: "xdp-bridge"},
	{name: "ovs-afxdp", needs: []string{"ovs-vswitchd", "ovs-vsctl"}, leaves: "ovs-vswitchd"},
	{name: "ovs-dpdk", needs: []string{"/usr/lib/openvswitch-switch-dpdk/ovs-vswitchd-dpdk"}, leaves: "ovs-vswitchd"},
	{name: "testpmd-io-afxdp", needs: []string{"dpdk-testpmd"}, leaves: "testpmd"},
	{name: "testpmd-mac-afpacket", needs: []string{"dpdk-testpmd"}, leaves: "testpmd"},
	{name: "flowtable", needs: []string{"nft"}},
	{name: "routes", set: []string{"routes.prefixes=200000"}},
	{name: "testpmd as the source", set: []string{"scenarios=route,xdp", "traffic.engine=testpmd"}, needs: []string{"dpdk-testpmd"}, until: "cell 2 of 2"},
	{name: "iperf3", set: []string{"scenarios=route", "workload=iperf3", "iperf3.streams=1,2", "iperf3.seconds=1"}, needs: []string{"iperf3"}, until: "cell 2 of 2"},
}

// start starts the run and waits until it measures. A scenario that this kernel lacks skips the test.
func (r scenarioRun) start(t *testing.T) *process {
	t.Helper()
	needLab(t)
	for _, program := range r.needs {
		_, err := exec.LookPath(program)
		testenv.Need(t, program, err)
	}
	args := []string{"--set", "scenarios=" + r.name}
	if r.set != nil && strings.HasPrefix(r.set[0], "scenarios=") {
		args = nil
	}
	for _, s := range append(r.set, "traffic.flows=1", "latency.enabled=false", "search.goals=PDR", "search.goals.PDR.trial_duration=400ms", "search.goals.PDR.duration_sum=4s", "search.max_trial_time=1m") {
		args = append(args, "--set", s)
	}
	p := startBench(t, args...)
	until := r.until
	if until == "" {
		until = "  trial "
	}
	p.until("run " + p.name)
	for !strings.Contains(p.stderr(), until) {
		select {
		case err := <-p.done:
			p.done <- err
			if run, _, err := result.Open(p.out); err == nil && len(run.Cells) == 1 && strings.Contains(run.Cells[0].Skipped, "CONFIG_") {
				t.Skipf("%s: %s", r.name, run.Cells[0].Skipped)
			}
		case <-time.After(10 * time.Millisecond):
			continue
		}
		break
	}
	p.until(until)
	p.untilFramesPass()
	return p
}

// passing is more packets than anything but a trial sends within the patience of a test.
const passing = 100

// untilFramesPass waits until the run's DUT has received so many packets from now on: a trial is on.
func (p *process) untilFramesPass() {
	p.t.Helper()
	received := func() (sum uint64) {
		err := netns.Do("lr-"+p.name+"-dut", func() error {
			text, err := os.ReadFile("/proc/thread-self/net/dev")
			for line := range strings.Lines(string(text)) {
				_, counters, _ := strings.Cut(line, ":")
				if f := strings.Fields(counters); len(f) > 1 {
					n, _ := strconv.ParseUint(f[1], 10, 64) // bytes stand before packets
					sum += n
				}
			}
			return err
		})
		if err != nil {
			p.t.Fatalf("read the counters of the DUT's devices: %v:\n%s", err, p.stderr())
		}
		return sum
	}
	before := received()
	for deadline := time.Now().Add(patience); received() < before+passing; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			p.t.Fatalf("no frames reached the DUT within %v:\n%s", patience, p.stderr())
		}
	}
}

// TestKilledScenarios kills a run of each scenario with real parts in mid-trial, which
// leaves no time for any undo. `linerate restore` must leave the machine as it was.
func TestKilledScenarios(t *testing.T) {
	builtBinary(t) // its folder stays until all tests have ended
	before := lookAround(t)
	for _, r := range scenarioRuns {
		t.Run(r.name, func(t *testing.T) {
			p := r.start(t)
			_ = p.cmd.Process.Signal(syscall.SIGKILL)
			if code := p.wait(); code != -1 {
				t.Fatalf("it ended with exit code %d before it was killed:\n%s", code, p.stderr())
			}
			if len(p.namespaces()) != 3 {
				t.Fatalf("a killed run left %v: this test has nothing to restore", p.namespaces())
			}
			restore := start(t, "restore")
			if code := restore.wait(); code != exitMeasured || !strings.Contains(restore.stdout(), "run "+p.name+": ") || !strings.Contains(restore.stdout(), r.leaves) {
				t.Errorf("restore: exit %d, and it should tell of %q:\n%s%s", code, r.leaves, restore.stdout(), restore.stderr())
			}
			p.leavesNothing()
			before.unchanged(t)
		})
	}
}

// TestInterruptedScenarios presses Ctrl-C in mid-trial: the run undoes all by itself, and
// what was measured until then is kept.
func TestInterruptedScenarios(t *testing.T) {
	builtBinary(t) // its folder stays until all tests have ended
	before := lookAround(t)
	for _, r := range scenarioRuns {
		t.Run(r.name, func(t *testing.T) {
			p := r.start(t)
			asked := time.Now()
			_ = p.cmd.Process.Signal(syscall.SIGINT)
			if code := p.wait(); code != exitInterrupted {
				t.Fatalf("exit %d:\n%s", code, p.stderr())
			}
			if took := time.Since(asked); took > 10*time.Second {
				t.Errorf("it took %v to end", took)
			}
			p.leavesNothing()
			before.unchanged(t)
			run, trials, err := result.Open(p.out)
			if err != nil {
				t.Fatal(err)
			}
			if run.Outcome != result.Interrupted || len(run.Cells) == 0 {
				t.Fatalf("outcome %s, %d cells", run.Outcome, len(run.Cells))
			}
			if run.Plan.OfStreams() {
				if c := run.Cells[0]; c.Skipped != "" || len(c.Streams) != 1 || c.TotalReceiverL4BPS <= 0 {
					t.Errorf("the cell before the interrupted one: skipped %q, %d streams", c.Skipped, len(c.Streams))
				}
				return
			}
			searched := 0
			for _, trial := range trials {
				if trial.Cell == run.Cells[0].ID && trial.Purpose == result.ForSearch {
					searched++
				}
			}
			if searched == 0 {
				t.Errorf("none of the %d trials that were kept is of the search", len(trials))
			}
			if !strings.Contains(lastLine(t, filepath.Join(p.out, "trials.jsonl")), `"cell"`) {
				t.Error("trials.jsonl does not end with a whole trial")
			}
		})
	}
}

func lastLine(t *testing.T, file string) (line string) {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		line = lines.Text()
	}
	return line
}
