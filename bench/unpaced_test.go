package bench

import (
	"testing"

	"github.com/linerate/linerate/plan"
	"github.com/linerate/linerate/result"
)

func TestJudgeUnpaced(t *testing.T) {
	cpu := func(dut, sink, idle float64) *result.CPU {
		return &result.CPU{DUTCoresBusy: dut, PerCore: []result.Core{{CPU: 1, Role: "dut", Idle: idle, Sink: sink}}}
	}
	for name, tt := range map[string]struct {
		scenario string
		trial    result.Trial
		want     result.Verdict
		reasons  int
	}{
		"no device":   {string(plan.NoDUT), result.Trial{Intended: 1000, Sent: 1000, Received: 1000}, result.GeneratorBound, 0},
		"all arrived": {"route", result.Trial{Intended: 1000, Sent: 1000, Received: 999, Lost: 1}, result.GeneratorBound, 1},
		"beside the device": {"route", result.Trial{Intended: 1000, Sent: 1000, Received: 900, Lost: 100, CPU: &result.CPU{PerCore: []result.Core{
			{Role: "generator", ProcessedFrames: 990}, {CPU: 1, Role: "dut", ProcessedFrames: 10}}}}, result.GeneratorBound, 1},
		"taken by XDP, others beside": {"xdp", result.Trial{Intended: 1000, Sent: 1000, Received: 600, Lost: 400, CPU: &result.CPU{PerCore: []result.Core{
			{Role: "generator", ProcessedFrames: 10}, {CPU: 1, Role: "dut"}}}}, result.DUTBound, 1},
		"the sink refused":       {"route", result.Trial{Intended: 1000, Sent: 1000, Received: 500, Lost: 500, TesterDrops: 400}, result.ReceiverBound, 1},
		"the sink took the CPU":  {"route", result.Trial{Intended: 1000, Sent: 1000, Received: 500, Lost: 500, CPU: cpu(0.3, 0.6, 0)}, result.ReceiverBound, 1},
		"the device lost":        {"route", result.Trial{Intended: 1000, Sent: 1000, Received: 500, Lost: 500, DUTInputDrops: 450, CPU: cpu(0.9, 0.1, 0)}, result.DUTBound, 2},
		"the device, unobserved": {"route", result.Trial{Intended: 1000, Sent: 1000, Received: 500, Lost: 500}, result.DUTBound, 1},
	} {
		verdict, why := judgeUnpaced(result.Cell{Scenario: tt.scenario}, tt.trial)
		if verdict != tt.want || len(why) != tt.reasons {
			t.Errorf("%s: %s %q; want %s with %d reasons", name, verdict, why, tt.want, tt.reasons)
		}
	}
}
