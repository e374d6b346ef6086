package plan

import (
	"fmt"
	"strings"
)

// Cells are all combinations of the plan's lists: scenario by scenario, so that
// the DUT is set up once for neighbouring cells, then by IP version, frame size,
// flows and directions, each in the order of its list.
func (p Plan) Cells() []Cell {
	if w, ok := p.streamsOf(); ok {
		return p.streamCells(w)
	}
	var cells []Cell
	for _, s := range p.Scenarios {
		for _, version := range p.Traffic.IPVersions {
			for _, size := range p.Traffic.FrameSizes {
				for _, flows := range p.Traffic.Flows {
					for _, directions := range p.Traffic.Directions {
						cells = append(cells, Cell{
							Scenario: s.Name(), Backend: s.Backend(), IPVersion: version,
							FrameSize: size, Flows: flows, Directions: directions,
						})
					}
				}
			}
		}
	}
	return p.multipath(cells)
}

// Direct tells that there is no DUT: generator and sink are joined directly.
func (c Cell) Direct() bool { return c.Scenario == NoDUT }

// ScenarioID is the scenario with its backend where there is a choice: "route",
// "snat-nft", "limit".
func (c Cell) ScenarioID() string {
	info, _, known := Scenario(c.Scenario).split()
	if c.Backend == "" || known && len(info.Backends) == 1 {
		return c.Scenario
	}
	return c.Scenario + "-" + c.Backend
}

// ID names the cell for programs and files' contents: "route/ipv4/64B/10000f/uni".
func (c Cell) ID() string {
	if c.Workload != "" {
		return c.withVariant(fmt.Sprintf("%s/ipv%d/%s/%dstreams", c.ScenarioID(), c.IPVersion, c.Workload, c.Flows), "/")
	}
	size := c.FrameSize.String()
	if c.FrameSize != IMIX {
		size += "B"
	}
	return c.withVariant(fmt.Sprintf("%s/ipv%d/%s/%df/%s", c.ScenarioID(), c.IPVersion, size, c.Flows, c.Directions), "/")
}

func (c Cell) withVariant(name, between string) string {
	if c.Variant == "" {
		return name
	}
	return name + between + c.Variant
}

// Title names the cell for people: "snat (nft), IPv4, 64 B, 10,000 flows, both directions".
func (c Cell) Title() string {
	scenario := c.Scenario
	if c.Backend != "" {
		scenario += " (" + c.Backend + ")"
	}
	if c.Workload != "" {
		return c.withVariant(fmt.Sprintf("%s, IPv%d, %s", scenario, c.IPVersion, c.StreamsTitle()), ", ")
	}
	flows := "1 flow"
	if c.Flows != 1 {
		flows = grouped(int64(c.Flows)) + " flows"
	}
	directions := "one direction"
	if c.Directions == Bi {
		directions = "both directions"
	}
	parts := []string{scenario, fmt.Sprintf("IPv%d", c.IPVersion), c.FrameSize.Label(), flows, directions}
	if c.Variant != "" {
		parts = append(parts, c.Variant)
	}
	return strings.Join(parts, ", ")
}
