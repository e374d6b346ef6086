package foreign

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"

	"github.com/linerate/linerate/plan"
	"github.com/linerate/linerate/result"
)

// What the kernel's pktgen writes about a device (show_results and pktgen_if_show,
// net/core/pktgen.c, Linux 6.18). A size is that of the packet without FCS.
var (
	pktgenResult = regexp.MustCompile(`Result: OK: (\d+)\(c(\d+)\+d(\d+)\) usec, (\d+) \((\d+)byte,(\d+)frags\)`)
	pktgenRate   = regexp.MustCompile(`(\d+)pps (\d+)Mb/sec \((\d+)bps\) errors: (\d+)`)
	pktgenFlows  = regexp.MustCompile(`flows: (\d+)`)
	pktgenSaid   = regexp.MustCompile(`Result: ([^\n]*)`)
	pktgenIPv6   = regexp.MustCompile(`dst_min: [0-9a-f]*:`)
)

const fcsBytes = 4

// readPktgen reads the file of a device, or the lines of its result alone. pktgen sends
// and counts no arrivals: its rate is a lower bound of what the path carries only if
// nothing was lost behind it.
func readPktgen(data []byte, scenario plan.Scenario) (Output, error) {
	m, rate := pktgenResult.FindSubmatch(data), pktgenRate.FindSubmatch(data)
	if m == nil || rate == nil {
		said := "nothing"
		if s := pktgenSaid.FindSubmatch(data); s != nil {
			said = string(s[1])
		}
		return Output{}, fmt.Errorf("the result of pktgen is not that of a run, it says %q: after any write to the file it echoes that command; read it right after the run", said)
	}
	number := func(b []byte) float64 {
		v, _ := strconv.ParseFloat(string(b), 64)
		return v
	}
	micros, packets, bytes, failed := number(m[1]), number(m[4]), number(m[5]), number(rate[4])
	if micros <= 0 || packets <= 0 {
		return Output{}, errors.New("pktgen sent nothing")
	}
	flows, version := 1, 4
	if f := pktgenFlows.FindSubmatch(data); f != nil {
		flows = max(1, int(number(f[1])))
	}
	if pktgenIPv6.Match(data) {
		version = 6
	}
	c := newCell(plan.Cell{Scenario: scenario.Name(), Backend: scenario.Backend(), IPVersion: version, FrameSize: max(plan.MinFrameSize, plan.FrameSize(bytes)+fcsBytes), Flows: flows, Directions: plan.Uni})
	c.Engine = "pktgen"
	pps := packets / (micros / 1e6)
	c.Unpaced = &result.Unpaced{Trials: 1, TrialDurationS: micros / 1e6, SentPPS: pps}
	c.Evidence = append(c.Evidence, fmt.Sprintf("pktgen sent %.0f packets of %.0f bytes in %.0f us, %.0f of them idle, with %.0f errors; it counts no arrivals", packets, bytes, micros, number(m[3]), failed))
	if failed > 0 {
		c.Warnings = append(c.Warnings, result.Warning{Code: "pktgen-errors", Text: fmt.Sprintf("the device refused %.0f packets", failed)})
	}
	return Output{Kind: "pktgen result", Cell: c}, nil
}
