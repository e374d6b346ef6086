package main

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/linerate/linerate/kernels"
	"github.com/linerate/linerate/plan"
	"github.com/linerate/linerate/result"
)

// kernelRun is a run with the instructions of a routed packet under each kernel.
func kernelRun(names []string, route ...float64) *result.Run {
	run := &result.Run{Schema: result.SchemaV1, Plan: plan.Default()}
	for i, name := range names {
		run.Kernels = append(run.Kernels, result.Kernel{Name: name})
		for _, s := range []string{"none", "route"} {
			v := route[i]
			if s == "none" {
				v /= 2
			}
			run.Cells = append(run.Cells, result.Cell{ID: s + "/ipv4/64B/1f/uni/" + name, Scenario: s, IPVersion: 4, FrameSize: 64, Flows: 1, Directions: plan.Uni,
				Variant: name, Kernel: name, InstructionsPerPacket: &result.InstructionsPerPacket{Value: v, Min: v, Max: v, Boots: 3}})
		}
	}
	run.KernelPairs = kernels.Compare(run.Cells, 0.001)
	return run
}

func TestFailAbove(t *testing.T) {
	f := kernelsFlags{failAbove: 0.005}
	tests := []struct {
		name      string
		run, base *result.Run
		code      int
	}{
		{"0.8 % dearer than the first", kernelRun([]string{"a", "b"}, 6358.5, 6412.5), nil, exitThresholdMissed},
		{"0.2 % dearer than the first", kernelRun([]string{"a", "b"}, 6350, 6362), nil, exitMeasured},
		{"cheaper than the first", kernelRun([]string{"a", "b"}, 6412, 6350), nil, exitMeasured},
		{"dearer than the baseline", kernelRun([]string{"b"}, 6412.5), kernelRun([]string{"a"}, 6358.5), exitThresholdMissed},
		{"as dear as the baseline of the same name", kernelRun([]string{"a"}, 6358.5), kernelRun([]string{"a"}, 6358.5), exitMeasured},
		{"nothing to compare with", kernelRun([]string{"a"}, 6358.5), nil, exitCannot},
	}
	for _, tt := range tests {
		code := exitMeasured
		var exit *exitError
		if errors.As(f.judge(tt.run, tt.base, io.Discard), &exit) {
			code = exit.code
		}
		if code != tt.code {
			t.Errorf("%s: exit code %d, want %d", tt.name, code, tt.code)
		}
	}
}

func TestKernelsArguments(t *testing.T) {
	empty := t.TempDir()
	junk := filepath.Join(empty, "bzImage")
	if err := os.WriteFile(junk, []byte("junk"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{junk, "--scenarios", "flowtable"}, exitBadPlan, "cannot be made in a guest"},
		{[]string{junk, "--fail-above", "2"}, exitBadPlan, "is not a share above 0 and below 1"},
		{[]string{junk, "--baseline", empty}, exitBadPlan, "give both"},
		{[]string{junk, "--baseline", empty, "--fail-above", "1%"}, exitBadPlan, "holds no run.json"},
		{[]string{junk, "--seeds", "0"}, exitBadPlan, "vm.seeds: 0 is out of range"},
	} {
		_, errs, code := command(append([]string{"kernels", "--out", filepath.Join(empty, "run")}, tt.args...)...)
		if code != tt.code || !strings.Contains(errs, tt.want) {
			t.Errorf("kernels %q: exit code %d, %q, want %d with %q", tt.args, code, errs, tt.code, tt.want)
		}
	}
}
