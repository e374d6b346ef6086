package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/linerate/linerate/dut/journal"
	"github.com/linerate/linerate/internal/kernel"
	"github.com/linerate/linerate/internal/netns"
	"github.com/linerate/linerate/internal/testenv"
	"github.com/linerate/linerate/result"
	"github.com/linerate/linerate/testbed/lab"
)

// patience is how long a test waits for a run: most of it is the calibration.
const patience = 90 * time.Second

// tinyPlan is one cell with goals that a few short trials meet.
var tinyPlan = []string{
	"--set", "scenarios=route", "--set", "traffic.flows=1", "--set", "search.goals=PDR", "--set", "search.goals.PDR.trial_duration=100ms",
	"--set", "search.goals.PDR.duration_sum=100ms", "--set", "search.goals.PDR.width=20%", "--set", "search.max_trial_time=1s",
}

// longPlan has trials of ten seconds, to be stopped in the middle of one.
var longPlan = []string{
	"--set", "scenarios=route", "--set", "traffic.flows=1", "--set", "search.goals=PDR", "--set", "search.goals.PDR.trial_duration=10s",
	"--set", "search.goals.PDR.duration_sum=10s", "--set", "search.max_trial_time=10m",
}

// needLab skips a test that measures where that cannot be done.
func needLab(t *testing.T) {
	t.Helper()
	testenv.NeedRoot(t)
	testenv.Need(t, "a kernel that can run the lab", kernel.Require())
}

// process is a linerate that was started, with what it has said so far.
type process struct {
	t    *testing.T
	cmd  *exec.Cmd
	name string
	out  string
	mu   sync.Mutex
	said struct{ stdout, stderr bytes.Buffer }
	done chan error
}

type stream struct {
	p  *process
	to *bytes.Buffer
}

func (s stream) Write(b []byte) (int, error) {
	s.p.mu.Lock()
	defer s.p.mu.Unlock()
	return s.to.Write(b)
}

// start runs the built binary.
func start(t *testing.T, args ...string) *process {
	t.Helper()
	p := &process{t: t, cmd: exec.Command(builtBinary(t), args...), done: make(chan error, 1)}
	p.cmd.Stdout, p.cmd.Stderr = stream{p, &p.said.stdout}, stream{p, &p.said.stderr}
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() { p.done <- p.cmd.Wait() }()
	return p
}

// startBench runs bench under a name of its own, and restores what it leaves if the test fails.
func startBench(t *testing.T, args ...string) *process {
	t.Helper()
	needLab(t)
	name, out := "t"+lab.NewID(), filepath.Join(t.TempDir(), "run")
	p := start(t, append([]string{"bench", "--name", name, "--out", out}, args...)...)
	p.name, p.out = name, out
	t.Cleanup(func() {
		if p.cmd.ProcessState == nil {
			_ = p.cmd.Process.Kill()
			<-p.done
			restoreDead()
		}
	})
	return p
}

// restoreDead undoes what a test that failed has left behind.
func restoreDead() { _, _, _ = journal.Restore(journal.DefaultDir) }

func (p *process) stderr() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.said.stderr.String()
}

func (p *process) stdout() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.said.stdout.String()
}

// until waits for a text on standard error.
func (p *process) until(text string) {
	p.t.Helper()
	for deadline := time.Now().Add(patience); !strings.Contains(p.stderr(), text); time.Sleep(20 * time.Millisecond) {
		select {
		case err := <-p.done:
			p.done <- err
			if !strings.Contains(p.stderr(), text) {
				p.t.Fatalf("it ended (%v) before it said %q:\n%s", err, text, p.stderr())
			}
		default:
		}
		if time.Now().After(deadline) {
			p.t.Fatalf("it did not say %q within %v:\n%s", text, patience, p.stderr())
		}
	}
}

// wait returns the exit code; -1 for a process that a signal ended.
func (p *process) wait() int {
	p.t.Helper()
	select {
	case err := <-p.done:
		p.done <- err
		return p.cmd.ProcessState.ExitCode()
	case <-time.After(patience):
		p.t.Fatalf("it did not end within %v:\n%s", patience, p.stderr())
		return 0
	}
}

// namespaces are those of the run that exist.
func (p *process) namespaces() []string {
	var left []string
	for _, part := range []string{"a", "dut", "b"} {
		if ns := "lr-" + p.name + "-" + part; netns.Exists(ns) {
			left = append(left, ns)
		}
	}
	return left
}

// leavesNothing fails the test if namespaces or the journal of the run are there.
func (p *process) leavesNothing() {
	p.t.Helper()
	if left := p.namespaces(); len(left) > 0 {
		p.t.Errorf("namespaces are left: %v", left)
	}
	if _, err := os.Stat(p.journal()); err == nil {
		p.t.Errorf("the journal %s is left", p.journal())
	}
}

func (p *process) journal() string { return filepath.Join(journal.DefaultDir, p.name+".journal") }

func TestBenchFromPlanToReport(t *testing.T) {
	p := startBench(t, append([]string{"--json", "--require-pdr", "1"}, tinyPlan...)...)
	p.until("calibration trial")
	if got := p.namespaces(); len(got) != 3 {
		t.Errorf("while it measures, its namespaces are %v", got)
	}
	if code := p.wait(); code != exitMeasured {
		t.Fatalf("exit %d:\n%s", code, p.stderr())
	}
	p.leavesNothing()
	stored, err := os.ReadFile(filepath.Join(p.out, "run.json"))
	if err != nil || p.stdout() != string(stored) {
		t.Errorf("--json did not print run.json (%v)", err)
	}
	checkRecordKeys(t, stored)
	if page, err := os.ReadFile(filepath.Join(p.out, "report.html")); err != nil || !bytes.Contains(page, []byte("</html>")) {
		t.Errorf("report.html: %v, %d bytes", err, len(page))
	}
	for _, want := range []string{"ceiling without a DUT", "cell 1 of 1: route, IPv4, 64 B, 1 flow, one direction", "| PDR ", "cell 1 of 1 done", "saved "} {
		if !strings.Contains(p.stderr(), want) {
			t.Errorf("the progress lacks %q:\n%s", want, p.stderr())
		}
	}
	if strings.Contains(p.stderr(), "\x1b") {
		t.Error("the progress has escape sequences and goes to no terminal")
	}
	out, errs, code := command("report", p.out)
	if code != exitMeasured || !strings.Contains(out, "PDR") {
		t.Errorf("report: exit %d, %s", code, errs)
	}
	run, _, err := result.Open(p.out)
	if err != nil {
		t.Fatal(err)
	}
	if run.Outcome != result.Measured || run.Environment.Versions["linerate"] != "v1.2.3-test" || run.Command[0] != "linerate" || run.Command[1] != "bench" {
		t.Errorf("outcome %q, versions %v, command %q", run.Outcome, run.Environment.Versions, run.Command)
	}
}

// checkRecordKeys looks for the keys of run.json that other programs rely on.
func checkRecordKeys(t *testing.T, data []byte) {
	t.Helper()
	var record map[string]any
	if err := json.Unmarshal(data, &record); err != nil {
		t.Fatal(err)
	}
	if record["schema"] != result.SchemaV1 {
		t.Errorf("schema is %v", record["schema"])
	}
	for _, path := range []string{
		"id", "started", "finished", "plan", "testbed", "environment.kernel", "calibration.ceiling_pps",
		"cells.0.scenario", "cells.0.backend", "cells.0.frame_size_bytes", "cells.0.flows", "cells.0.directions", "cells.0.verdict", "cells.0.warnings",
		"cells.0.goals.0.name", "cells.0.goals.0.loss_ratio", "cells.0.goals.0.lower_pps", "cells.0.goals.0.upper_pps", "cells.0.goals.0.conditional_pps",
		"cells.0.goals.0.trials", "cells.0.goals.0.trial_seconds", "cells.0.goals.0.regular",
		"cells.0.cpu.dut_cores_busy", "cells.0.cpu.ns_per_packet", "cells.0.cpu.per_core",
		"cells.0.latency.p50_ns", "cells.0.latency.p99_ns", "cells.0.latency.p999_ns", "cells.0.latency.max_ns",
	} {
		var v any = record
		for step := range strings.SplitSeq(path, ".") {
			switch holder := v.(type) {
			case map[string]any:
				v = holder[step]
			case []any:
				v = nil
				if len(holder) > 0 {
					v = holder[0]
				}
			default:
				v = nil
			}
		}
		if v == nil {
			t.Errorf("run.json has no %s", path)
		}
	}
}

// TestNothingMeasuredIsExitCode3 hides every tool from a plan that needs one.
func TestNothingMeasuredIsExitCode3(t *testing.T) {
	needLab(t)
	builtBinary(t) // needs the PATH that is taken away
	t.Setenv("PATH", t.TempDir())
	p := startBench(t, append(tinyPlan, "--set", "scenarios=conntrack-iptables", "--require-pdr", "1")...)
	if code := p.wait(); code != exitCannot {
		t.Errorf("exit %d", code)
	}
	for _, want := range []string{"nothing was measured: every cell was skipped, the first because ", "iptables", p.out} {
		if !strings.Contains(p.stderr(), want) {
			t.Errorf("it does not say %q:\n%s", want, p.stderr())
		}
	}
	if run, _, err := result.Open(p.out); err != nil || len(run.Cells) != 1 || run.Cells[0].Skipped == "" {
		t.Errorf("the run was not kept: %v", err)
	}
	if !strings.Contains(p.stdout(), "Nothing was measured") {
		t.Errorf("the summary:\n%s", p.stdout())
	}
	p.leavesNothing()
}

func TestThresholdMissedIsExitCode1(t *testing.T) {
	p := startBench(t, append([]string{"--quiet"}, append(tinyPlan, "--set", "search.goals.PDR.require_pps=9e8")...)...)
	if code := p.wait(); code != exitThresholdMissed {
		t.Fatalf("exit %d:\n%s", code, p.stderr())
	}
	if !strings.Contains(p.stderr(), "required 900.0 Mpps") || strings.Contains(p.stderr(), "calibration trial") {
		t.Errorf("stderr:\n%s", p.stderr())
	}
	for _, want := range []string{"Throughput\n", "route", "linerate report ", "report.html"} {
		if !strings.Contains(p.stdout(), want) {
			t.Errorf("the summary lacks %q:\n%s", want, p.stdout())
		}
	}
	p.leavesNothing()
}

func TestInterruptKeepsWhatWasMeasuredAndUndoes(t *testing.T) {
	p := startBench(t, longPlan...)
	p.until("cell 1 of 1")
	time.Sleep(2500 * time.Millisecond) // into a trial of ten seconds
	asked := time.Now()
	_ = p.cmd.Process.Signal(syscall.SIGINT)
	if code := p.wait(); code != exitInterrupted {
		t.Fatalf("exit %d:\n%s", code, p.stderr())
	}
	if took := time.Since(asked); took > 8*time.Second {
		t.Errorf("it went on for %v: the trial was not ended", took)
	}
	p.leavesNothing()
	for _, want := range []string{"undoing the lab; once more kills at once", "linerate: interrupted; ", p.out} {
		if !strings.Contains(p.stderr(), want) {
			t.Errorf("it does not say %q:\n%s", want, p.stderr())
		}
	}
	run, trials, err := result.Open(p.out)
	if err != nil {
		t.Fatal(err)
	}
	if run.Outcome != result.Interrupted || run.Finished.IsZero() || len(trials) == 0 {
		t.Errorf("outcome %q, finished %v, %d trials", run.Outcome, run.Finished, len(trials))
	}
}

func TestKilledRunIsRestored(t *testing.T) {
	p := startBench(t, longPlan...)
	p.until("cell 1 of 1")
	time.Sleep(2500 * time.Millisecond)
	_ = p.cmd.Process.Kill()
	if code := p.wait(); code != -1 {
		t.Fatalf("exit %d", code)
	}
	if left := p.namespaces(); len(left) != 3 {
		t.Fatalf("a killed run left %v: this test has nothing to restore", left)
	}
	if run, _, err := result.Open(p.out); err != nil || run.Outcome != result.Running {
		t.Errorf("the record of a killed run: %v", err)
	}

	r := start(t, "restore")
	if r.wait() != exitMeasured {
		t.Fatalf("restore: exit %d:\n%s", r.wait(), r.stderr())
	}
	if !strings.Contains(r.stdout(), "run "+p.name+": ") || !strings.Contains(r.stdout(), "ip netns del lr-"+p.name+"-dut") {
		t.Errorf("restore does not say what it did:\n%s", r.stdout())
	}
	p.leavesNothing()
}

// TestSecondSignalKillsAndNamesTheCure lets both signals wait for a stopped run, so
// that it cannot end by itself between them.
func TestSecondSignalKillsAndNamesTheCure(t *testing.T) {
	p := startBench(t, longPlan...)
	p.until("run " + p.name + ": plan baseline")
	for _, s := range []syscall.Signal{syscall.SIGSTOP, syscall.SIGTERM, syscall.SIGINT, syscall.SIGCONT} {
		_ = p.cmd.Process.Signal(s)
	}
	p.wait()
	status := p.cmd.ProcessState.Sys().(syscall.WaitStatus)
	if !status.Signaled() || status.Signal() != syscall.SIGINT && status.Signal() != syscall.SIGTERM {
		t.Errorf("it ended with %v and not by a second signal", p.cmd.ProcessState)
	}
	if !strings.Contains(p.stderr(), "sudo linerate restore") {
		t.Errorf("it does not name the cure:\n%s", p.stderr())
	}
	if len(p.namespaces()) == 0 {
		t.Error("nothing was left behind: the run was not killed")
	}
	if r := start(t, "restore"); r.wait() != exitMeasured {
		t.Errorf("restore: %s", r.stderr())
	}
	p.leavesNothing()
}

// TestTwoRunsAtOnce stops the first run while its lab stands, so that the second
// has the machine's CPUs for itself.
func TestTwoRunsAtOnce(t *testing.T) {
	first := startBench(t, longPlan...)
	first.until("run " + first.name + ": plan baseline")
	_ = first.cmd.Process.Signal(syscall.SIGSTOP)
	t.Cleanup(func() { _ = first.cmd.Process.Signal(syscall.SIGCONT) })

	second := startBench(t, tinyPlan...)
	second.until("run " + second.name + ": plan baseline")
	for _, p := range []*process{first, second} {
		if got := p.namespaces(); len(got) != 3 {
			t.Errorf("run %s has the namespaces %v", p.name, got)
		}
	}
	if code := second.wait(); code != exitMeasured {
		t.Errorf("beside another lab: exit %d:\n%s", code, second.stderr())
	}
	second.leavesNothing()

	taken := start(t, append([]string{"bench", "--name", first.name, "--out", filepath.Join(t.TempDir(), "x")}, tinyPlan...)...)
	if code := taken.wait(); code != exitBadPlan || !strings.Contains(taken.stderr(), "name "+first.name+" is taken") {
		t.Errorf("a name that is taken: exit %d:\n%s", code, taken.stderr())
	}
	occupied := start(t, append([]string{"bench", "--out", first.out}, tinyPlan...)...)
	if code := occupied.wait(); code != exitBadPlan || !strings.Contains(occupied.stderr(), "already holds a") {
		t.Errorf("a folder that holds a run: exit %d:\n%s", code, occupied.stderr())
	}
	alive := start(t, "restore")
	if code := alive.wait(); code != exitMeasured || !strings.Contains(alive.stdout(), "run "+first.name+" is alive") {
		t.Errorf("restore beside a live run: exit %d:\n%s%s", code, alive.stdout(), alive.stderr())
	}
	if got := first.namespaces(); len(got) != 3 {
		t.Errorf("restore touched a live run: %v are left", got)
	}
	_ = first.cmd.Process.Signal(syscall.SIGCONT)
	_ = first.cmd.Process.Signal(syscall.SIGTERM)
	if code := first.wait(); code != exitInterrupted {
		t.Errorf("the first run: exit %d:\n%s", code, first.stderr())
	}
	first.leavesNothing()
}

func TestFullDisk(t *testing.T) {
	testenv.NeedRoot(t)
	for _, size := range []string{"4k", "48k"} { // full at once, and full after some trials
		t.Run(size, func(t *testing.T) {
			disk := t.TempDir()
			if err := unix.Mount("tmpfs", disk, "tmpfs", 0, "size="+size); err != nil {
				testenv.Need(t, "a small tmpfs", err)
			}
			t.Cleanup(func() { _ = unix.Unmount(disk, unix.MNT_DETACH) })
			p := startBench(t, append([]string{"--out", filepath.Join(disk, "run")}, tinyPlan...)...)
			if code := p.wait(); code != exitCannot {
				t.Errorf("exit %d", code)
			}
			if !strings.Contains(p.stderr(), "the disk is full") || !strings.Contains(p.stderr(), "another disk") {
				t.Errorf("it does not say what to do:\n%s", p.stderr())
			}
			p.leavesNothing()
			if data, err := os.ReadFile(filepath.Join(disk, "run", "run.json")); err == nil && !json.Valid(data) {
				t.Errorf("run.json is torn: %.80q", data)
			}
		})
	}
}

// asNobody runs the built binary as a user without any privilege.
func asNobody(t *testing.T, args ...string) (out, errs string, code int) {
	t.Helper()
	testenv.NeedRoot(t)
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	c := exec.CommandContext(ctx, builtBinary(t), args...)
	const nobody = 65534
	c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	c.Dir = "/"
	var stdout, stderr bytes.Buffer
	c.Stdout, c.Stderr = &stdout, &stderr
	if err := c.Run(); err != nil && c.ProcessState == nil {
		t.Fatal(err)
	}
	return stdout.String(), stderr.String(), c.ProcessState.ExitCode()
}

func TestNotRoot(t *testing.T) {
	out, errs, code := asNobody(t, "bench")
	if code != exitCannot || !strings.HasPrefix(errs, "linerate: ") || !strings.Contains(errs, "root") || !strings.Contains(errs, "sudo") {
		t.Errorf("bench: exit %d, %q\n%s", code, out, errs)
	}
	if _, errs, code := asNobody(t, "bench", "--dry-run"); code != exitMeasured {
		t.Errorf("bench --dry-run: exit %d: %s", code, errs)
	}
	if _, errs, code := asNobody(t, "bench", "--set", "traffic.flows=0"); code != exitBadPlan {
		t.Errorf("a bad plan: exit %d: %s", code, errs)
	}
	if err := os.MkdirAll(journal.DefaultDir, 0o755); err != nil {
		t.Fatal(err)
	}
	left := filepath.Join(journal.DefaultDir, fmt.Sprintf("t%s.journal", lab.NewID()))
	if err := os.WriteFile(left, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	defer os.Remove(left)
	if _, errs, code := asNobody(t, "restore"); code != exitCannot || !strings.Contains(errs, "sudo linerate restore") {
		t.Errorf("restore: exit %d: %s", code, errs)
	}
}

func TestReaderThatGoesAwayDoesNotKillTheRun(t *testing.T) {
	needLab(t)
	name, out := "t"+lab.NewID(), filepath.Join(t.TempDir(), "run")
	line := fmt.Sprintf("%s bench --name %s --out %s %s 2>&1 | head -n 1", builtBinary(t), name, out, strings.Join(tinyPlan, " "))
	t.Cleanup(restoreDead)
	said, err := exec.Command("sh", "-c", line).CombinedOutput()
	if err != nil || !strings.Contains(string(said), "run "+name) {
		t.Fatalf("%v: %s", err, said)
	}
	p := &process{t: t, name: name}
	p.leavesNothing()
	run, _, err := result.Open(out)
	if err != nil {
		t.Fatal(err)
	}
	if run.Outcome != result.Measured {
		t.Errorf("behind a pipe that broke the run is %s: %s", run.Outcome, run.Error)
	}
}

func TestInterruptOnATerminal(t *testing.T) {
	needLab(t)
	name, out := "t"+lab.NewID(), filepath.Join(t.TempDir(), "run")
	t.Cleanup(restoreDead)
	p := newPane(t, fmt.Sprintf("sh -c 'trap : INT; %s bench --name %s --out %s %s; echo exit=$?; sleep 600'", builtBinary(t), name, out, strings.Join(longPlan, " ")))
	screen := p.wait(patience, "cell 1 of 1", "loss so far", "elapsed")
	if strings.Count(screen, "elapsed") != 1 {
		t.Errorf("the block was not replaced:\n%s", screen)
	}
	p.tmux("send-keys", "C-c")
	screen = p.wait(patience, "exit=4", "linerate: interrupted; ")
	if strings.Contains(screen, "elapsed") {
		t.Errorf("the block is left:\n%s", screen)
	}
	(&process{t: t, name: name}).leavesNothing()
}
