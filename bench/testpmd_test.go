package bench

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/linerate/linerate/internal/testenv"
	"github.com/linerate/linerate/plan"
	"github.com/linerate/linerate/result"
)

// TestTestpmdForwards counts the frames through testpmd in both modes and by both kinds of
// socket, and looks at the addresses of those that arrive.
func TestTestpmdForwards(t *testing.T) {
	_, err := exec.LookPath("dpdk-testpmd")
	testenv.Need(t, "DPDK testpmd", err)
	for _, backend := range []string{"io-afxdp", "io-afpacket", "mac-afxdp", "mac-afpacket"} {
		for _, directions := range []plan.Direction{plan.Uni, plan.Bi} {
			cell := cellOf(plan.Scenario("testpmd-"+backend), 4, 500, directions)
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
				if strings.HasPrefix(backend, "io") {
					checkUnchanged(t, b)
				}
				checkReleased(t, b)
			})
		}
	}
}

// TestTestpmdWritesMACAddresses captures what leaves the DUT in mode mac.
func TestTestpmdWritesMACAddresses(t *testing.T) {
	_, err := exec.LookPath("dpdk-testpmd")
	testenv.Need(t, "DPDK testpmd", err)
	b := openBed(t, testPlan(), cellOf("testpmd-mac-afxdp", 4, 10, plan.Uni))
	const n = 20
	if err := b.station.copyFrames(n); err != nil {
		t.Fatal(err)
	}
	if err := b.lab.Pin(); err != nil {
		t.Fatal(err)
	}
	ports, err := b.station.tap(n)
	if err != nil {
		t.Fatal(err)
	}
	b.measure(t, 1000, 100*time.Millisecond)
	arrived := 0
	for i, p := range ports {
		frames, err := p.Stop(n)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range frames {
			if i == 1 && !f.Leaving { // port b
				checkHeader(t, f.Data, b.lab.DUT.B.DUTMAC, b.station.ports[1].MAC)
				arrived++
			}
		}
	}
	if arrived < n {
		t.Errorf("%d frames were seen to arrive, want %d at least", arrived, n)
	}
}

// killer ends the process of the DUT in the middle of a trial of a scenario.
type killer struct {
	*listener
	scenario, program string
	killed            bool
}

func (k *killer) TrialProgress(sent, received uint64, d time.Duration) {
	if k.killed || k.scenario == "" {
		return
	}
	for _, pid := range processesOf(k.t, k.folder) {
		name, _ := os.ReadFile(filepath.Join("/proc", pid, "comm"))
		if strings.TrimSpace(string(name)) == k.program[:min(len(k.program), commBytes)] {
			k.killed = true
			if err := exec.Command("kill", "-9", pid).Run(); err != nil {
				k.t.Error(err)
			}
		}
	}
}

// commBytes is the length of a process's name in /proc/PID/comm (TASK_COMM_LEN without its end, proc(5)).
const commBytes = 15

// processesOf are the numbers of the processes whose environment names a folder.
func processesOf(t *testing.T, folder string) (pids []string) {
	t.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if text, err := os.ReadFile(file); err == nil && strings.Contains(string(text), "LINERATE_PROCESS="+folder) {
			pids = append(pids, filepath.Base(filepath.Dir(file)))
		}
	}
	return pids
}

// runKilled runs a plan of a scenario and of route, and ends the program of the first in
// mid-run. Its cell must say so, the second must be measured, and nothing may be left.
func runKilled(t *testing.T, scenario, program string) {
	t.Helper()
	testenv.NeedRoot(t)
	journals, err := os.MkdirTemp("", "lr")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(journals)
	p := plan.Default()
	if err := p.Set([]string{"scenarios=" + scenario + ",route", "search.max_trial_time=4s"}); err != nil {
		t.Fatal(err)
	}
	k := &killer{listener: &listener{t: t, folder: journals}, scenario: scenario, program: program}
	run, err := Run(t.Context(), Options{Plan: p, Out: filepath.Join(t.TempDir(), "run"), JournalDir: journals, Command: []string{"test"}, Events: k})
	if err != nil {
		t.Fatal(err)
	}
	if !k.killed {
		t.Fatalf("%s was not killed: no process of that name was found", program)
	}
	for _, want := range []string{"broke down while it was measured", program + " has ended: signal: killed", "its last lines: "} {
		if !strings.Contains(run.Cells[0].Skipped, want) {
			t.Errorf("the cell says %q, and not %q", run.Cells[0].Skipped, want)
		}
	}
	if len(run.Cells) != 2 || len(run.Cells[0].Goals) != 0 || run.Cells[1].Skipped != "" || len(run.Cells[1].Goals) == 0 || run.Outcome != result.Measured {
		t.Errorf("outcome %s, cells %+v", run.Outcome, run.Cells)
	}
	if left, err := os.ReadDir(journals); err != nil || len(left) > 0 {
		t.Errorf("left in the folder of journals: %v, %v", left, err)
	}
	if left := processesOf(t, journals); len(left) > 0 {
		t.Errorf("processes are left: %v", left)
	}
}

func TestTestpmdThatIsKilled(t *testing.T) {
	_, err := exec.LookPath("dpdk-testpmd")
	testenv.Need(t, "DPDK testpmd", err)
	runKilled(t, "testpmd", "dpdk-testpmd")
}

// TestTestpmdThatDoesNotStart puts a program in its place that fails.
func TestTestpmdThatDoesNotStart(t *testing.T) {
	dir := t.TempDir()
	script := "#!/bin/sh\necho 'EAL: Error - exiting with code: 1'\nexit 1\n"
	if err := os.WriteFile(filepath.Join(dir, "dpdk-testpmd"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	run, _, _, err := runPlan(t, t.Context(), "scenarios=testpmd,route", "search.max_trial_time=2s")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"prepare the DUT: start `dpdk-testpmd -v", "exit status 1", "EAL: Error - exiting with code: 1"} {
		if !strings.Contains(run.Cells[0].Skipped, want) {
			t.Errorf("the cell says %q, and not %q", run.Cells[0].Skipped, want)
		}
	}
	if run.Cells[1].Skipped != "" {
		t.Errorf("route was skipped too: %s", run.Cells[1].Skipped)
	}
}
