package bench

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/linerate/linerate/internal/testenv"
	"github.com/linerate/linerate/result"
	"golang.org/x/sys/unix"
)

func needProgram(t *testing.T, name string) {
	t.Helper()
	testenv.NeedRoot(t)
	_, err := exec.LookPath(name)
	testenv.Need(t, name, err)
}

func measureStreams(t *testing.T, assignments ...string) (*result.Run, string) {
	t.Helper()
	run, _, l, err := runPlan(t, context.Background(), assignments...)
	if err != nil {
		t.Fatal(err)
	}
	if left := children(t, "iperf"); len(left) > 0 {
		t.Errorf("processes %v are still there", left)
	}
	return run, l.folder
}

// children are the processes whose parent is this one and whose name begins so, in the order
// in which they were started.
func children(t *testing.T, name string) (pids []int) {
	t.Helper()
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range stats {
		stat, err := os.ReadFile(path)
		if err != nil {
			continue // it has ended
		}
		before, after, _ := strings.Cut(string(stat), ") ")
		_, comm, _ := strings.Cut(before, "(")
		fields := strings.Fields(after)
		if len(fields) > 1 && fields[1] == strconv.Itoa(os.Getpid()) && strings.HasPrefix(comm, name) {
			pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(path)))
			pids = append(pids, pid)
		}
	}
	slices.Sort(pids)
	return pids
}

// TestStreams runs iperf3 through a router and without one: the payload that the receiver
// reports has to have passed the DUT's CPUs, and the outputs are kept.
func TestStreams(t *testing.T) {
	needProgram(t, "iperf3")
	run, dir := measureStreams(t, "workload=iperf3", "scenarios=route", "base_scenario=route", "iperf3.streams=2", "iperf3.seconds=1", "lab.end_offloads=off")
	if len(run.Cells) != 1 || len(run.Calibration.Direct) != 1 {
		t.Fatalf("%d cells and %d direct links, want one of each", len(run.Cells), len(run.Calibration.Direct))
	}
	c := run.Cells[0]
	if c.ID != "route/ipv4/iperf3-tcp/2streams" || c.Skipped != "" || len(c.Streams) != 2 || c.Verdict == "" || c.BaseRatio != 1 {
		t.Fatalf("cell %s: skipped %q, %d streams, verdict %q, ratio to itself %v", c.ID, c.Skipped, len(c.Streams), c.Verdict, c.BaseRatio)
	}
	if c.TotalReceiverL4BPS < 1e7 || c.JainIndex <= 0.5 || c.JainIndex > 1 || c.DirectL4BPS != run.Calibration.Direct[0].TotalReceiverL4BPS {
		t.Errorf("%.0f bit/s in all, Jain's index %v, direct link %.0f", c.TotalReceiverL4BPS, c.JainIndex, c.DirectL4BPS)
	}
	if _, known := c.Retransmits(); !known || c.Ends == nil || c.Ends.Offloads != "off" || run.Environment.Offloads["a/tx-checksum"] != "off" {
		t.Errorf("retransmits known %v, ends %+v, offload of a %s", known, c.Ends, run.Environment.Offloads["a/tx-checksum"])
	}
	if !run.Testbed.SharedCPUs && c.CPU.DUTCoresBusy < 0.01 {
		t.Errorf("the DUT forwarded %.2f Gbit/s and took %.3f cores: somebody else did its work", c.TotalReceiverL4BPS/1e9, c.CPU.DUTCoresBusy)
	}
	for _, take := range c.Takes {
		for _, file := range take.Files {
			if _, err := os.Stat(filepath.Join(dir, file)); err != nil {
				t.Error(err)
			}
		}
	}
}

// TestDatagrams runs iperf with the datagrams of 36 bytes that make packets of 64.
func TestDatagrams(t *testing.T) {
	needProgram(t, "iperf")
	run, _ := measureStreams(t, "workload=iperf", "scenarios=none,route", "base_scenario=none", "iperf.streams=2", "iperf.seconds=1")
	for _, c := range run.Cells {
		sent, lost, known := c.Datagrams()
		if c.Skipped != "" || !known || sent < 1000 || lost >= sent || c.TotalReceiverPPS <= 0 || c.FrameSize != 82 {
			t.Errorf("%s: skipped %q, %d of %d lost, %.0f pps, frames of %v", c.ID, c.Skipped, lost, sent, c.TotalReceiverPPS, c.FrameSize)
		}
		if c.BaseRatio == 0 || c.Verdict == result.Undefined && !run.Testbed.SharedCPUs {
			t.Errorf("%s: ratio %v, verdict %s, %q", c.ID, c.BaseRatio, c.Verdict, c.Evidence)
		}
	}
	if len(run.Calibration.Direct) != 0 {
		t.Error("the direct link was measured once more beside the cells of scenario none")
	}
}

// TestMissingProgram skips every cell with what to install, and fails nothing.
func TestMissingProgram(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	run, _ := measureStreams(t, "workload=iperf3", "scenarios=none", "iperf3.streams=1,2", "iperf3.seconds=1")
	for _, c := range run.Cells {
		if want := "iperf3 is not installed; install it with `apt-get install iperf3`"; len(c.Skipped) < len(want) || c.Skipped[:len(want)] != want {
			t.Errorf("%s: skipped %q", c.ID, c.Skipped)
		}
	}
	if len(run.Cells) != 2 {
		t.Errorf("%d cells, want 2", len(run.Cells))
	}
}

// TestKilledProgram kills the client of the first cell in mid-run: that cell says so, and
// the next is measured.
func TestKilledProgram(t *testing.T) {
	needProgram(t, "iperf3")
	killed := make(chan int, 1)
	go func() {
		for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
			if pids := children(t, "iperf3"); len(pids) == 2 {
				time.Sleep(500 * time.Millisecond)
				_ = unix.Kill(pids[1], unix.SIGKILL) // the server was started first
				killed <- pids[1]
				return
			}
		}
		killed <- 0
	}()
	run, _ := measureStreams(t, "workload=iperf3", "scenarios=none", "iperf3.streams=1,2", "iperf3.seconds=2")
	if <-killed == 0 {
		t.Fatal("no client was seen")
	}
	first, second := run.Cells[0], run.Cells[1]
	if !strings.Contains(first.Skipped, "was ended by signal 9") || first.HasResults() {
		t.Errorf("the killed cell: skipped %q, %d streams", first.Skipped, len(first.Streams))
	}
	if second.Skipped != "" || len(second.Streams) != 2 {
		t.Errorf("the cell after it: skipped %q, %d streams", second.Skipped, len(second.Streams))
	}
}
