package dut

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/linerate/linerate/dut/journal"
	"github.com/linerate/linerate/internal/testenv"
)

// TestKilledCustom is not a test: it is the run that TestRestoreOfCustomCommands kills.
func TestKilledCustom(t *testing.T) {
	ns, dir := os.Getenv("LINERATE_TEST_NETNS"), os.Getenv("LINERATE_TEST_DIR")
	if ns == "" {
		return
	}
	s := scenarioOf("custom", 4, 1, ns)
	log := filepath.Join(dir, "log")
	s.Plan.Custom.Setup = []string{"ip link add extra type bridge", "sleep 1000 & echo $! > " + log}
	s.Plan.Custom.Teardown = []string{"echo down $DUT_A >> " + log}
	steps, err := s.Steps()
	if err != nil {
		t.Fatal(err)
	}
	j, err := journal.Create(dir, "killed")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Apply(steps, j); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "applied"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	select {}
}

// TestRestoreOfCustomCommands kills a run whose DUT a user's commands made: their tear-down
// is run all the same, and what they left running ends.
func TestRestoreOfCustomCommands(t *testing.T) {
	testenv.NeedRoot(t)
	ns, dir := namespace(t), t.TempDir()
	run := exec.Command(os.Args[0], "-test.run", "^TestKilledCustom$")
	run.Env = append(os.Environ(), "LINERATE_TEST_NETNS="+ns, "LINERATE_TEST_DIR="+dir)
	if err := run.Start(); err != nil {
		t.Fatal(err)
	}
	for start := time.Now(); ; time.Sleep(5 * time.Millisecond) {
		if _, err := os.Stat(filepath.Join(dir, "applied")); err == nil {
			break
		}
		if time.Since(start) > 20*time.Second {
			t.Fatal("the run did not apply its scenario")
		}
	}
	if err := run.Process.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	_ = run.Wait()
	log := filepath.Join(dir, "log")
	process := strings.Fields(logged(t, log))[0]
	restored, _, err := journal.Restore(dir)
	if err != nil || len(restored) != 1 || len(restored[0].Errors) > 0 {
		t.Fatalf("restored %+v: %v", restored, err)
	}
	if lines := strings.Split(strings.TrimSpace(logged(t, log)), "\n"); !slices.Equal(lines, []string{process, "down da"}) {
		t.Errorf("the commands wrote %q", lines)
	}
	if state, err := os.ReadFile(fmt.Sprintf("/proc/%s/stat", process)); err == nil && !strings.Contains(string(state), ") Z ") {
		t.Errorf("process %s still runs: %s", process, state)
	}
	if end := "kill $(ip netns pids " + ns + ")"; !slices.Contains(restored[0].Undone, end) {
		t.Errorf("undone: %q, without %q", restored[0].Undone, end)
	}
}
