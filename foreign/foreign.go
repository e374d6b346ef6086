// Package foreign reads what other programs printed about a measurement into the cells
// of a run: iperf, iperf3, the kernel's pktgen and TRex.
package foreign

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/linerate/linerate/plan"
	"github.com/linerate/linerate/result"
	"github.com/linerate/linerate/workload"
	"github.com/linerate/linerate/workload/iperf"
	"github.com/linerate/linerate/workload/iperf3"
)

// Scenario is that of imported cells whose device nobody names.
const Scenario = "imported"

// Output is what one file says.
type Output struct {
	// Kind is the program and the form: "iperf3 JSON".
	Kind string
	Cell result.Cell
	// System is the machine as the program tells it, and StartedUnixS when it began; empty and
	// 0 if it does not.
	System       string
	StartedUnixS int64
}

var csvRow = regexp.MustCompile(`^\d{14}[^,]*,[^,]+,\d+,`)

// Read finds out whose output it is and reads it. The scenario is what was measured.
func Read(data []byte, scenario plan.Scenario) (Output, error) {
	trimmed := bytes.TrimSpace(data)
	switch {
	case len(trimmed) == 0:
		return Output{}, errors.New("it is empty")
	case trimmed[0] == '{':
		return readJSON(trimmed, scenario)
	case bytes.Contains(trimmed, []byte("Result: ")):
		return readPktgen(trimmed, scenario)
	case csvRow.Match(trimmed):
		r, err := iperf.Parse(nil, data, 0)
		if err == nil && r.Take.Streams[0].Sent != nil && *r.Take.Streams[0].Sent == 0 {
			err = errors.New("these are the rows of the end that sends UDP, which knows nothing of what arrived: import those of the server, or with -R those of the client")
		}
		return ofStreams("iperf rows (-y C)", r, scenario), err
	case bytes.Contains(trimmed, []byte("bits/sec")):
		r, err := iperf.ParseText(data)
		program, _, _ := strings.Cut(r.Workload, "-")
		return ofStreams(program+" text", r, scenario), err
	}
	return Output{}, errors.New("it is none of the outputs that are known: neither JSON of iperf3 or TRex, nor rows or text of iperf, nor the file of a device of the kernel's pktgen (/proc/net/pktgen/DEVICE); `linerate import --help` tells how to get them")
}

func readJSON(data []byte, scenario plan.Scenario) (Output, error) {
	var keys map[string]json.RawMessage
	if err := json.Unmarshal(data, &keys); err != nil {
		return Output{}, fmt.Errorf("it is not whole JSON: %w", err)
	}
	if keys["start"] != nil {
		r, err := iperf3.Parse(data)
		return ofStreams("iperf3 JSON", r, scenario), err
	}
	return readTRex(keys, scenario)
}

// ofStreams is a cell of streams.
func ofStreams(kind string, r workload.Report, scenario plan.Scenario) Output {
	directions := plan.Uni
	flows := len(r.Take.Streams)
	if r.Bidir {
		directions = plan.Bi
		flows /= 2
	}
	c := newCell(plan.Cell{
		Scenario: scenario.Name(), Backend: scenario.Backend(), IPVersion: max(4, r.IPVersion), Workload: r.Workload, Flows: flows, Directions: directions,
		FrameSize: frameOf(r),
	})
	c.Workload, c.Streams, c.TotalReceiverPPS = r.Workload, r.Take.Streams, r.Take.ReceiverPPS
	c.AddUp()
	c.Engine, _, _ = strings.Cut(r.Workload, "-")
	if r.OfSender {
		c.Warnings = append(c.Warnings, result.Warning{Code: "sender-figures", Text: "the figures are, or may be, those of the sender: what was sent last may not have arrived; import the receiver's output where there is one"})
	}
	if r.DirectionGuessed {
		c.Warnings = append(c.Warnings, result.Warning{Code: "direction-guessed", Text: "the rows do not tell which end was the server: it is taken for the one with the lower port, and the streams from it for reverse ones; import what iperf prints without -y C where that is wrong"})
	}
	if r.Take.Program != "" {
		c.Evidence = append(c.Evidence, "measured by "+r.Take.Program)
	}
	return Output{Kind: kind, Cell: c, System: r.System, StartedUnixS: r.StartedUnixS}
}

// frameOf is the frame with FCS that carries a datagram, or a full one where that is not known.
func frameOf(r workload.Report) plan.FrameSize {
	const full, headers4, headers6 = 1518, 20 + 8, 40 + 8
	if r.PayloadBytes == 0 {
		return full
	}
	headers := headers4
	if r.IPVersion == 6 {
		headers = headers6
	}
	return min(full, max(plan.MinFrameSize, plan.FrameSize(r.PayloadBytes+headers+plan.EthernetBytes)))
}

// newCell is a cell without figures, of which nothing is known but what the file says.
func newCell(c plan.Cell) result.Cell {
	return result.Cell{
		ID: c.ID(), Scenario: c.Scenario, Backend: c.Backend, IPVersion: c.IPVersion, FrameSize: c.FrameSize, Flows: c.Flows, Directions: c.Directions,
		Evidence: []string{"another program measured it: what bounded it is not known"}, Warnings: []result.Warning{}, Goals: []result.Goal{}, Setup: []string{},
	}
}

// Distinct gives cells of one identity a variant, by their number: "no-2" of the second.
func Distinct(cells []result.Cell) {
	seen := map[string]int{}
	for i := range cells {
		c := &cells[i]
		id := c.ID
		seen[id]++
		if n := seen[id]; n > 1 {
			c.Variant = fmt.Sprintf("no-%d", n)
			c.ID = id + "/" + c.Variant
		}
	}
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
