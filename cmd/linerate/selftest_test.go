package main

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/linerate/linerate/internal/testenv"
	"github.com/linerate/linerate/selftest"
)

func runCommand(args ...string) (code int, stdout, stderr string) {
	var out, err bytes.Buffer
	code = execute(args, &out, &err)
	return code, out.String(), err.String()
}

func TestSelftestList(t *testing.T) {
	code, out, _ := runCommand("selftest", "--list")
	if lines := strings.Count(out, "\n"); code != exitMeasured || lines != len(selftest.Checks()) || !strings.Contains(out, "reordering      a DUT that exchanges") {
		t.Errorf("code %d, %d lines:\n%s", code, lines, out)
	}
	code, out, _ = runCommand("selftest", "--list", "--json")
	var entries []struct{ Name, Plants string }
	if err := json.Unmarshal([]byte(out), &entries); code != exitMeasured || err != nil || len(entries) != len(selftest.Checks()) || entries[0].Plants == "" {
		t.Errorf("code %d, %v:\n%s", code, err, out)
	}
}

func TestSelftestUnknownCheck(t *testing.T) {
	code, out, err := runCommand("selftest", "--only", "loss,nonsense")
	if code != exitBadPlan || out != "" || !strings.Contains(err, "no check nonsense; there are clean, loss") {
		t.Errorf("code %d, %q, %q", code, out, err)
	}
}

// TestSelftestMakesAndPrints makes two of the quick checks.
func TestSelftestMakesAndPrints(t *testing.T) {
	testenv.NeedRoot(t)
	code, out, err := runCommand("selftest", "--only", "clean,loss")
	if code != exitMeasured || err != "" || strings.Contains(out, "\x1b") {
		t.Fatalf("code %d, %q:\n%s", code, err, out)
	}
	for _, want := range []string{
		"         Check           Planted                   Found                     Verdict          Time\n",
		"ok       loss            100 frames lost           100 frames lost ",
		"The instrument found what was planted. 2 checks: 2 ok, 0 off, 0 skipped",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is not in\n%s", want, out)
		}
	}
	code, out, err = runCommand("selftest", "--only", "loss", "--json")
	var report selftest.Report
	if e := json.Unmarshal([]byte(out), &report); code != exitMeasured || e != nil {
		t.Fatalf("code %d, %v, %q:\n%s", code, e, err, out)
	}
	if r := report.Checks[0]; r.Status != selftest.OK || r.Quantities[0].Truth != 100 || r.Quantities[0].Found != 100 || r.Quantities[0].Unit != "frames" {
		t.Errorf("%+v", r)
	}
}

func TestSelftestRows(t *testing.T) {
	var out bytes.Buffer
	s := newSelftestScreen(&out, &out, false)
	s.begin()
	s.ended(selftest.Result{Name: "loss", Status: selftest.Off, Reason: "lost: found 3 frames, the truth is 100 frames, exactly", Verdict: "", DurationS: 1.4,
		Quantities: []selftest.Quantity{{Name: "lost", Unit: "frames", Truth: 100, Found: 3}}})
	s.ended(selftest.Result{Name: "delay", Status: selftest.Skipped, Reason: "the kernel has no token bucket filter"})
	if err := s.end(selftest.Report{Checks: []selftest.Result{{Status: selftest.Off}, {Status: selftest.Skipped}}, DurationS: 2}); err != nil {
		t.Fatal(err)
	}
	want := `         Check           Planted                   Found                     Verdict          Time
off      loss            100 frames lost           3 frames lost                                1 s
         lost: found 3 frames, the truth is 100 frames, exactly
skipped  delay                                                                                  0 s
         the kernel has no token bucket filter

The instrument is off. 2 checks: 0 ok, 1 off, 1 skipped, in 2 s.
`
	if out.String() != want {
		t.Errorf("got\n%s\nwant\n%s", out.String(), want)
	}
}
