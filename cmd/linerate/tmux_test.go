package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/linerate/linerate/internal/testenv"
)

// pane is a real terminal of 100 by 30, held by a tmux server of its own.
type pane struct {
	t      *testing.T
	socket string
}

func newPane(t *testing.T, command string) *pane {
	t.Helper()
	_, err := exec.LookPath("tmux")
	testenv.Need(t, "tmux", err)
	p := &pane{t, filepath.Join(t.TempDir(), "tmux")}
	p.tmux("-f", "/dev/null", "new-session", "-d", "-x", "100", "-y", "30", command)
	t.Cleanup(func() { _ = exec.Command("tmux", "-S", p.socket, "kill-server").Run() })
	return p
}

func (p *pane) tmux(args ...string) string {
	p.t.Helper()
	c := exec.Command("tmux", append([]string{"-u", "-S", p.socket}, args...)...)
	c.Env = append(os.Environ(), "LC_ALL=C.UTF-8")
	out, err := c.CombinedOutput()
	if err != nil {
		p.t.Fatalf("tmux %v: %v\n%s", args, err, out)
	}
	return string(out)
}

func (p *pane) screen() string { return p.tmux("capture-pane", "-p") }

// wait returns the screen once it holds all texts.
func (p *pane) wait(patience time.Duration, texts ...string) string {
	p.t.Helper()
	deadline := time.Now().Add(patience)
	for {
		screen, missing := p.screen(), ""
		for _, text := range texts {
			if !strings.Contains(screen, text) {
				missing = text
			}
		}
		if missing == "" {
			return screen
		}
		if time.Now().After(deadline) {
			p.t.Fatalf("the terminal does not show %q after %v:\n%s", missing, patience, screen)
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// TestLiveDisplay plays the scripted run on a real terminal.
func TestLiveDisplay(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	modes := filepath.Join(t.TempDir(), "modes")
	p := newPane(t, fmt.Sprintf("sh -c 'stty -g >%[2]s.before; %[3]s=1 %[1]s; stty -g >%[2]s.after; echo done; sleep 60'", self, modes, scriptedDisplay))

	screen := p.wait(30*time.Second, "loss so far 0.12 %")
	for _, want := range []string{
		"✓ route, 1 flow  ", "NDR 0.590 Mpps", "PDR 0.655 Mpps", "dut-bound", "1 warning",
		"lab: DUT on CPU 1, tester on CPU 0", "ceiling without a DUT: 4.412 Mpps", "! there is no CPU left for the sink",
		"cell 2 of 3", "trial 10", "0.694 Mpps", "0.602 to 0.800 Mpps", "left",
	} {
		if !strings.Contains(screen, want) {
			t.Errorf("the terminal does not show %q:\n%s", want, screen)
		}
	}
	once := func(screen, text string) {
		t.Helper()
		if n := strings.Count(screen, text); n != 1 {
			t.Errorf("the terminal shows %q %d times: the block was not replaced:\n%s", text, n, screen)
		}
	}
	once(screen, "elapsed")

	// The block wraps when the terminal becomes narrow, and must still be found.
	p.tmux("resize-window", "-x", "60", "-y", "30")
	time.Sleep(3 * redrawInterval)
	once(p.screen(), "elapsed")
	once(p.screen(), "trial 10")
	p.tmux("resize-window", "-x", "100", "-y", "30")
	time.Sleep(3 * redrawInterval)
	once(p.screen(), "elapsed")

	p.tmux("send-keys", "Enter")
	screen = p.wait(30*time.Second, "after the display", "done")
	for _, gone := range []string{"elapsed", "loss so far", "trial 10"} {
		if strings.Contains(screen, gone) {
			t.Errorf("the closed display left %q:\n%s", gone, screen)
		}
	}
	for _, stays := range []string{"- snat (iptables)", "skipped: iptables is not installed", "a notice stays"} {
		if !strings.Contains(screen, stays) {
			t.Errorf("the closed display lacks %q:\n%s", stays, screen)
		}
	}
	before, err := os.ReadFile(modes + ".before")
	if err != nil {
		t.Fatal(err)
	}
	after, err := os.ReadFile(modes + ".after")
	if err != nil || string(before) != string(after) {
		t.Errorf("the terminal's modes were %q and are %q (%v)", before, after, err)
	}
	if cursor := p.tmux("display-message", "-p", "#{cursor_flag}"); strings.TrimSpace(cursor) != "1" {
		t.Errorf("the cursor is hidden")
	}
}

func TestNoColour(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for value, want := range map[string]bool{"": true, "1": false} {
		p := newPane(t, fmt.Sprintf("sh -c 'NO_COLOR=%s %s=1 %s'", value, scriptedDisplay, self))
		p.wait(30*time.Second, "loss so far 0.12 %")
		if got := strings.Contains(p.tmux("capture-pane", "-p", "-e"), "\x1b[3"); got != want {
			t.Errorf("with NO_COLOR=%q colour is %v, want %v", value, got, want)
		}
	}
}
