package main

import (
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/linerate/linerate/generator/contract"
	"github.com/linerate/linerate/internal/kernel"
	"github.com/linerate/linerate/internal/testenv"
	"github.com/linerate/linerate/plan"
)

// TestSendByEveryEngine sends by each engine over a veth: what the summary calls sent has left
// one device and arrived at the other, to the frame.
func TestSendByEveryEngine(t *testing.T) {
	for _, e := range plan.Engines() {
		t.Run(e.Name, func(t *testing.T) {
			a, b := contract.Link(t, 1500)
			run(t, "ip", "netns", "exec", b.Netns, "ethtool", "-K", b.Interface, "gro", "on")
			args := []string{"send", "--netns", a.Netns, "--interface", a.Interface, "--engine", e.Name, "--duration", "300ms", "--json"}
			if e.Unpaced {
				_, err := exec.LookPath("dpdk-testpmd")
				testenv.Need(t, "dpdk-testpmd", err)
				args = append(args, "--pps", "max", "--flows", "1")
			} else {
				args = append(args, "--pps", "10000", "--flows", "20")
			}
			out, errs, code := command(args...)
			if _, err := kernel.Pktgen.Try(); e.Pktgen && err != nil {
				if code != exitCannot || !strings.Contains(errs, "pktgen") || !strings.Contains(errs, "modprobe pktgen") || a.Counters(t).TxPackets != 0 {
					t.Errorf("without the module: exit %d: %s", code, errs)
				}
				return
			}
			if code != exitMeasured {
				t.Fatalf("exit %d: %s", code, errs)
			}
			s := decode[sendSummary](t, out)
			if !strings.HasPrefix(s.Engine, e.Name) || s.Sent < 1000 || !e.Unpaced && s.Sent+s.Unsent != 3000 {
				t.Errorf("%+v", s)
			}
			for end := time.Now().Add(2 * time.Second); b.Counters(t).RxPackets < s.Sent && time.Now().Before(end); {
				time.Sleep(5 * time.Millisecond)
			}
			if tx, rx := a.Counters(t).TxPackets, b.Counters(t).RxPackets; tx != s.Sent || rx != s.Sent {
				t.Errorf("sent %d; the device counted %d and its peer %d", s.Sent, tx, rx)
			}
			if noted := strings.Contains(strings.Join(s.Notes, " "), "have no mark"); noted != e.Unmarked {
				t.Errorf("notes %q", s.Notes)
			}
		})
	}
}

// TestSendAsksOfAnEngineWhatItCannot expects the flag that mends it.
func TestSendAsksOfAnEngineWhatItCannot(t *testing.T) {
	_, errs, code := command("send", "--interface", "x", "--engine", "testpmd")
	for _, want := range []string{"--pps max", "--flows 1"} {
		if code != exitBadPlan || !strings.Contains(errs, want) {
			t.Errorf("exit %d, and it does not say %q: %s", code, want, errs)
		}
	}
	help, _, _ := command("send", "--help")
	for _, e := range plan.Engines() {
		if !strings.Contains(help, "  "+e.Name+" ") || !strings.Contains(help, e.Description) {
			t.Errorf("the help does not describe engine %s", e.Name)
		}
	}
}
