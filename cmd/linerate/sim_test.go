package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/linerate/linerate/internal/testenv"
	"github.com/linerate/linerate/result"
)

func TestBenchSimulates(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	out, errs, code := command("bench", "baseline", "--set", "testbed=sim", "--set", "sim.preset=hard", "--out", dir, "--require-ndr", "1.2M")
	if code != exitMeasured {
		t.Fatalf("exit %d: %s", code, errs)
	}
	if !strings.Contains(out, "baseline (simulation)") || !strings.Contains(out, "SIMULATION: no frame was sent") || !strings.Contains(errs, "baseline (simulation)") {
		t.Errorf("a simulation is not called one:\n%s%s", out, errs)
	}
	run, trials, err := result.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(run.Cells) != 2 || len(trials) == 0 || run.Sim == nil || run.Sim.Preset != "hard" || run.Sim.Truth.NDRPPS == nil {
		t.Errorf("%d cells, %d trials, simulation %+v", len(run.Cells), len(trials), run.Sim)
	}
	if _, _, code := command("bench", "--set", "testbed=sim", "--set", "sim.capacity_pps=1e5", "--out", dir+"2", "--require-pdr", "500k"); code != exitThresholdMissed {
		t.Errorf("a simulated device below the threshold: exit %d, want %d", code, exitThresholdMissed)
	}
}

// A simulation needs no privilege at all.
func TestBenchSimulatesWithoutRoot(t *testing.T) {
	testenv.NeedRoot(t) // to become somebody else
	dir, err := os.MkdirTemp("", "linerate-sim-")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	const nobody = 65534
	if err := os.Chown(dir, nobody, nobody); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(builtBinary(t), "bench", "--set", "testbed=sim", "-q")
	cmd.Dir = dir
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
