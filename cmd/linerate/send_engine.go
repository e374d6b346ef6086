package main

import (
	"fmt"
	"strings"

	"github.com/linerate/linerate/plan"
)

// engineLines describe each engine on a line of its own.
func engineLines() string {
	var lines []string
	for _, e := range plan.Engines() {
		lines = append(lines, fmt.Sprintf("  %-9s %s (frames up to %d bytes)", e.Name, e.Description, e.MaxFrameBytes))
	}
	return strings.Join(lines, "\n")
}

// engineLimits are what is asked of an engine that it cannot do, with the flag that mends it.
func (f *sendFlags) engineLimits() (wrong []error) {
	info, found := plan.EngineNamed(f.engine)
	if !found {
		return nil
	}
	if info.Unpaced && f.pps != "max" {
		wrong = append(wrong, fmt.Errorf("--pps %s: engine %s cannot be paced and sends as fast as it goes; write --pps max, or use another --engine", f.pps, f.engine))
	}
	if info.OneFlow && f.flows != 1 {
		wrong = append(wrong, fmt.Errorf("--flows %d: engine %s sends one flow; write --flows 1, or use another --engine", f.flows, f.engine))
	}
	return wrong
}

// unmarked says what is not known of the frames of an engine; empty if they have linerate's mark.
func unmarked(engine string) string {
	info, _ := plan.EngineNamed(engine)
	switch {
	case info.Unmarked:
		return fmt.Sprintf("frames of engine %s have no mark: `linerate receive` counts them as foreign; compare with the counters of the interfaces (`ip -s link`)", engine)
	case info.Pktgen:
		return fmt.Sprintf("frames of engine %s have the mark of the kernel's packet generator: `linerate receive` counts them as foreign; compare with the counters of the interfaces (`ip -s link`)", engine)
	}
	return ""
}
