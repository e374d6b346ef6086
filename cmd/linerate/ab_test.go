package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/linerate/linerate/plan"
	"github.com/linerate/linerate/result"
)

func TestABDryRun(t *testing.T) {
	out, errs, code := command("ab", "--a", "scenarios=route", "--b", "scenarios=conntrack-nft", "--b", "dut.sysctls.net.ipv4.ip_early_demux=0", "--set", "traffic.flows=1000", "--dry-run")
	if code != exitMeasured {
		t.Fatalf("exit %d: %s", code, errs)
	}
	for _, want := range []string{"34 measurements", "A  scenarios=route\n", "B  scenarios=conntrack-nft dut.sysctls.net.ipv4.ip_early_demux=0\n", "10 pairs", "one direction, B\n", "forwarding rate at a fixed load"} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is missing:\n%s", want, out)
		}
	}
	out, errs, code = command("bench", "--sweep", "traffic.flows=1,100", "--dry-run")
	if code != exitMeasured || !strings.Contains(out, "traffic.flows: 1, 100; each value 3 times, in random order") || !strings.Contains(out, "100 flows, one direction, traffic.flows=100") {
		t.Errorf("exit %d: %s\n%s", code, errs, out)
	}
}

func TestABArguments(t *testing.T) {
	for _, tt := range []struct {
		args []string
		want string
	}{
		{[]string{"ab"}, "nothing to compare"},
		{[]string{"ab", "--b", "scenarios=nat"}, `ab.b: scenarios[0]: unknown scenario "nat"`},
		{[]string{"ab", "--b", "lab.mtu_bytes=9000"}, "changes the testbed"},
		{[]string{"ab", "--b", "limit.pps=5", "--set", "ab.pairs=3"}, "6 to 1,000 pairs"},
		{[]string{"ab", "--b", "limit.pps=5", "--fail-if", "worse"}, "it takes changed, slower, not-equivalent"},
		{[]string{"bench", "--sweep", "traffic.flows"}, "FIELD=VALUE,VALUE"},
		{[]string{"bench", "--sweep", "dut.ring=256,512"}, "the ring of a veth has 256 frames"},
		{[]string{"compare", "x", "--"}, "takes the folders of two runs"},
	} {
		if out, errs, code := command(tt.args...); code != exitBadPlan || !strings.Contains(errs, tt.want) {
			t.Errorf("%v: exit %d, %q lacks %q\n%s", tt.args, code, errs, tt.want, out)
		}
	}
}

func TestFailIf(t *testing.T) {
	for _, tt := range []struct {
		fail    failIf
		verdict string
		ratio   float64
		want    bool
	}{
		{"changed", "changed", 1.2, true}, {"changed", "inconclusive", 1.2, false}, {"slower", "changed", 1.2, false}, {"slower", "changed", 0.9, true},
		{"not-equivalent", "inconclusive", 1, true}, {"not-equivalent", "equivalent", 1, false}, {"not-equivalent", "", 1, true}, {"", "changed", 0.5, false},
	} {
		if got := tt.fail.meets(tt.verdict, tt.ratio); got != tt.want {
			t.Errorf("%s of %s at %v: %t", tt.fail, tt.verdict, tt.ratio, got)
		}
	}
	run := &result.Run{Plan: plan.Plan{AB: plan.AB{FailIf: "slower"}}, Comparison: &result.Comparison{Cells: []result.ComparedCell{{CellB: "x", Verdict: "changed", EstimateRatio: 0.9}}}}
	if err := checkAB(run); err == nil || err.(*exitError).code != exitThresholdMissed {
		t.Errorf("error %v", err)
	}
	run.Plan.AB.FailIf = "never"
	if err := checkAB(run); err != nil {
		t.Errorf("nothing was asked for: %v", err)
	}
}

// TestCompareSides compares folders of runs with runs named one by one.
func TestCompareSides(t *testing.T) {
	home := t.TempDir()
	var a, b []string
	for i, shift := range []int{0, 1000, -1000, 500} {
		a = append(a, filepath.Join(home, "a", string(rune('0'+i))))
		b = append(b, filepath.Join(home, "b", string(rune('0'+i))))
		storedRun(t, a[i], float64(400_000+shift))
		storedRun(t, b[i], float64(300_000+shift))
	}
	named, errs, code := command(append(append(append([]string{"compare"}, a...), "--"), b...)...)
	if code != exitMeasured || !strings.Contains(named, "changed") || !strings.Contains(named, "0.750") || !strings.Contains(named, "0.029") {
		t.Errorf("exit %d: %s\n%s", code, errs, named)
	}
	folders, errs, code := command("compare", filepath.Join(home, "a"), filepath.Join(home, "b"), "--fail-if", "slower")
	if code != exitThresholdMissed || folders != named || !strings.Contains(errs, "--fail-if slower") {
		t.Errorf("exit %d: %s\n%s", code, errs, folders)
	}
	if _, errs, code := command("compare", filepath.Join(home, "b"), filepath.Join(home, "a"), "--fail-if", "slower"); code != exitMeasured {
		t.Errorf("faster: exit %d: %s", code, errs)
	}
	one, errs, code := command("compare", a[0], b[0], "--fail-if", "changed")
	if code != exitMeasured || !strings.Contains(one, "tells no change from noise") {
		t.Errorf("one of each: exit %d: %s\n%s", code, errs, one)
	}
}
