package journal

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/linerate/linerate/internal/testenv"
	"golang.org/x/sys/unix"
)

// daemon is a shell script as a long-running process that is ready when it prints "up".
func daemon(t *testing.T, script string) Action {
	t.Helper()
	testenv.NeedRoot(t)
	dir := filepath.Join(t.TempDir(), "run.processes", "daemon")
	return Action{Kind: StartProcess, Argv: []string{"sh", "-c", script}, Process: &Process{Dir: dir, GraceMS: 500, Ready: Ready{Log: "up\n", WithinMS: 5000}}}
}

const runsForEver = "echo up; while :; do sleep 0.05; done"

// gone fails the test if a process with the mark of the daemon lives, or its folder is there.
func gone(t *testing.T, a Action) {
	t.Helper()
	members, err := a.Process.members()
	if err != nil || len(members) > 0 {
		t.Errorf("still running: %+v, %v", members, err)
	}
	if _, err := os.Stat(filepath.Dir(a.Process.Dir)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the folder %s is left", a.Process.Dir)
	}
}

func stopNow(t *testing.T, a Action) {
	t.Helper()
	if err := a.Stop().Run(); err != nil {
		t.Error(err)
	}
	gone(t, a)
	if err := a.Stop().Run(); err != nil {
		t.Errorf("a second stop: %v", err)
	}
}

func TestProcessRunsUntilStopped(t *testing.T) {
	a := daemon(t, "sleep 1000 & read line; echo got $line on $(taskset -cp $$) in $WHERE; "+runsForEver)
	a.Process.OpenInput, a.Process.CPUs, a.Process.Env = true, []int{0}, []string{"WHERE=here"}
	a.Process.Ready = Ready{File: "stdin"}
	if err := a.Run(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(a.Process.path(inputFile), []byte("words\n"), 0); err != nil {
		t.Error(err)
	}
	a.Process.Ready = Ready{Log: "up\n"}
	if err := a.Process.awaitReady(); err != nil {
		t.Error(err)
	}
	log, _ := os.ReadFile(a.Process.path(logFile))
	if !strings.Contains(string(log), "got words on") || !strings.Contains(string(log), "list: 0 in here") {
		t.Errorf("it printed %q", log)
	}
	if err := a.Alive(); err != nil {
		t.Error(err)
	}
	if threads, err := a.Threads(); err != nil || len(threads) != 1 {
		t.Errorf("threads %v, %v", threads, err)
	}
	if err := a.Run(); err == nil || !errors.Is(err, os.ErrExist) {
		t.Errorf("a second start in the same folder: %v", err)
	}
	stopNow(t, a)
}

func TestProcessThatDoesNotStart(t *testing.T) {
	for _, tt := range []struct {
		name, script string
		want         []string
	}{
		{"ends", "echo this is why; exit 7", []string{"it ended before it was ready", "exit status 7", "its last lines: this is why"}},
		{"hangs", "echo waiting for Godot; sleep 1000", []string{"it was not ready within 300ms", `it has not printed "up\n"`, "waiting for Godot"}},
		{"is silent", "exit 0", []string{"exit status 0", "it printed nothing"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a := daemon(t, tt.script)
			if tt.name == "hangs" {
				a.Process.Ready.WithinMS = 300
			}
			err := a.Run()
			for _, want := range tt.want {
				if err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("error %v lacks %q", err, want)
				}
			}
			stopNow(t, a)
		})
	}
	a := daemon(t, "")
	a.Argv = []string{"ovs-vswitchd-that-is-not-there"}
	if err := a.Run(); err == nil || !strings.Contains(err.Error(), "is not installed") {
		t.Errorf("%v, want that it is not installed", err)
	}
	gone(t, Action{Process: &Process{Dir: a.Process.Dir}})
}

func TestProcessThatEnds(t *testing.T) {
	a := daemon(t, "echo up; read line; echo the last word; kill -9 $$")
	a.Process.OpenInput = true
	if err := a.Run(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(a.Process.path(inputFile), []byte("go\n"), 0); err != nil {
		t.Error(err)
	}
	for a.Alive() == nil {
		time.Sleep(pollEvery)
	}
	var ended *EndedError
	if err := a.Alive(); !errors.As(err, &ended) || !strings.Contains(err.Error(), "signal: killed") || !strings.Contains(err.Error(), "the last word") {
		t.Errorf("%v, want an EndedError with how it ended and its last words", err)
	}
	if _, err := a.Threads(); !errors.As(err, &ended) {
		t.Errorf("threads of a dead process: %v", err)
	}
	stopNow(t, a)
}

// TestProcessThatWillNotStop ignores SIGTERM, as does its child.
func TestProcessThatWillNotStop(t *testing.T) {
	a := daemon(t, `trap "" TERM; sh -c "sleep 1000; true" & `+runsForEver)
	if err := a.Run(); err != nil {
		t.Fatal(err)
	}
	if members, err := a.Process.members(); err != nil || len(members) < 2 {
		t.Errorf("members %+v, %v: want the child too", members, err)
	}
	stopNow(t, a)
}

// TestRecycledNumberIsNotKilled lets a stranger have the number that the journal knows.
func TestRecycledNumberIsNotKilled(t *testing.T) {
	a := daemon(t, "")
	stranger := exec.Command("sleep", "1000")
	if err := stranger.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = stranger.Process.Kill(); _ = stranger.Wait() }()
	now, found := readStat(stranger.Process.Pid)
	if !found {
		t.Fatal("the stranger is not in /proc")
	}
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", now.pid))
	told := strings.Replace(string(text), " "+strconv.FormatUint(now.start, 10)+" ", " "+strconv.FormatUint(now.start-1, 10)+" ", 1)
	if err := a.Process.makeDir(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(a.Process.path(pidFile), []byte(told), 0o600); err != nil {
		t.Fatal(err)
	}
	var ended *EndedError
	if err := a.Alive(); !errors.As(err, &ended) {
		t.Errorf("a recycled number counts as alive: %v", err)
	}
	stopNow(t, a)
	if again, found := readStat(now.pid); !found || again.ended() || again.start != now.start {
		t.Errorf("the stranger is %+v, was %+v", again, now)
	}
	old := now
	old.start--
	if err := old.signal(unix.SIGKILL); err != nil {
		t.Error(err)
	}
	if again, found := readStat(now.pid); !found || again.ended() {
		t.Error("the stranger got a signal that was meant for another")
	}
}

// TestEndOfTheOneBefore starts a process in the place of one that has just been stopped.
func TestEndOfTheOneBefore(t *testing.T) {
	a := daemon(t, runsForEver)
	for range 20 {
		if err := a.Run(); err != nil {
			t.Fatal(err)
		}
		if err := a.Alive(); err != nil {
			t.Fatal(err)
		}
		stopNow(t, a)
	}
}

const killedRunDir = "LINERATE_TEST_KILLED_RUN"

// TestKilledRun is not a test: it is the run that TestRestoreEndsTheProcessesOfAKilledRun kills.
func TestKilledRun(t *testing.T) {
	dir := os.Getenv(killedRunDir)
	if dir == "" {
		return
	}
	j, err := Create(dir, "killed")
	if err != nil {
		t.Fatal(err)
	}
	a := Action{Kind: StartProcess, Argv: []string{"sh", "-c", `sh -c "sleep 1000; true" & ` + runsForEver},
		Process: &Process{Dir: filepath.Join(j.ProcessDir(), "daemon"), OpenInput: true, Ready: Ready{Log: "up\n"}}}
	if err := errors.Join(j.Record(a.Stop()), a.Run()); err != nil {
		t.Fatal(err)
	}
	fmt.Println("started")
	time.Sleep(time.Hour)
}

func TestRestoreEndsTheProcessesOfAKilledRun(t *testing.T) {
	testenv.NeedRoot(t)
	for _, lost := range []string{"", pidFile} { // killed later, and before the process told who it is
		dir := t.TempDir()
		run := exec.Command(os.Args[0], "-test.run=^TestKilledRun$")
		run.Env = append(os.Environ(), killedRunDir+"="+dir)
		out, err := run.StdoutPipe()
		if err == nil {
			err = run.Start()
		}
		if err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(out)
		for lines.Scan() && lines.Text() != "started" {
			t.Log(lines.Text())
		}
		if err := run.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = run.Wait()
		a := Action{Kind: StartProcess, Argv: []string{"sh"}, Process: &Process{Dir: filepath.Join(dir, "killed.processes", "daemon")}}
		if err := a.Alive(); err != nil {
			t.Errorf("it should have outlived its run: %v", err)
		}
		if lost != "" {
			if err := os.Remove(a.Process.path(lost)); err != nil {
				t.Fatal(err)
			}
		}
		restored, _, err := Restore(dir)
		if err != nil || len(restored) != 1 || len(restored[0].Errors) > 0 || len(restored[0].Undone) != 1 {
			t.Errorf("restored %+v, %v", restored, err)
		}
		gone(t, a)
	}
}

func TestParseStat(t *testing.T) {
	text := "12 (a ) b (c) S 1 12 7 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 987654 1 2\n"
	if got, err := parseStat(text); err != nil || got != (running{pid: 12, session: 7, start: 987654, state: 'S'}) {
		t.Errorf("%+v, %v", got, err)
	}
	for _, bad := range []string{"", "12 sh S 1", "12 (sh) S 1 2"} {
		if _, err := parseStat(bad); err == nil {
			t.Errorf("%q was accepted", bad)
		}
	}
}
