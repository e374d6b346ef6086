package sim

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/linerate/linerate/plan"
)

// DefaultPreset is the model of a plan that names none: a Linux router on a machine
// that does little else.
const DefaultPreset = "linux-like"

// What the presets have in common: a capacity that a core of a fast Linux router
// may have, and a tester that fills 10 Gbit/s with 64-byte frames.
const (
	presetCapacityPPS = 1.23e6
	presetMaxLoadPPS  = 14.88e6
	slowCapacityPPS   = 2000
	// A glitch and a collapse that are set over a preset without one.
	presetGlitchLoss    = 0.01
	presetCollapseFloor = 0.25
)

// presets are the devices that the search's cost and errors are stated for: one
// trouble each, and linux-like with a little of all.
var presets = map[string]func(*Model){
	"hard":            func(*Model) {},
	"queue":           func(m *Model) { m.QueueFrames = 4096 },
	"knee":            func(m *Model) { m.Knee = 0.01 },
	"jitter":          func(m *Model) { m.Jitter = 0.01 },
	"background-loss": func(m *Model) { m.BackgroundLoss = 1e-5 },
	"glitch":          func(m *Model) { m.GlitchProbability = 0.05 },
	"collapse":        func(m *Model) { m.Collapse = 0.1 },
	"linux-like": func(m *Model) {
		m.QueueFrames, m.Knee, m.Jitter = 1000, 0.001, 0.003
		m.GlitchProbability, m.GlitchLoss = 0.02, 0.002
		m.Collapse, m.CollapseFloor = 0.02, 0.5
	},
	"slow": func(m *Model) { m.CapacityPPS = slowCapacityPPS },
}

// Presets are the names of the shipped models, sorted.
func Presets() []string { return slices.Sorted(maps.Keys(presets)) }

// Preset is a shipped model. An empty name is DefaultPreset; an error says which there are.
func Preset(name string) (Model, error) {
	if name == "" {
		name = DefaultPreset
	}
	change, known := presets[name]
	if !known {
		return Model{}, fmt.Errorf("simulate preset %q: there is none of this name; use one of %s", name, strings.Join(Presets(), ", "))
	}
	m := Model{CapacityPPS: presetCapacityPPS, MaxLoadPPS: presetMaxLoadPPS, GlitchLoss: presetGlitchLoss, CollapseFloor: presetCollapseFloor}
	change(&m)
	return m, nil
}

// FromPlan is the preset of a plan with what the plan changes of it.
func FromPlan(p plan.Sim) (Model, error) {
	m, err := Preset(p.Preset)
	if err != nil {
		return m, err
	}
	if p.QueueFrames != nil {
		m.QueueFrames = float64(*p.QueueFrames)
	}
	for _, f := range []struct {
		from *float64
		to   *float64
	}{{p.CapacityPPS, &m.CapacityPPS}, {p.MaxLoadPPS, &m.MaxLoadPPS}} {
		if f.from != nil {
			*f.to = *f.from
		}
	}
	for _, f := range []struct {
		from *plan.Ratio
		to   *float64
	}{{p.Knee, &m.Knee}, {p.Jitter, &m.Jitter}, {p.BackgroundLoss, &m.BackgroundLoss}, {p.GlitchProbability, &m.GlitchProbability}, {p.Collapse, &m.Collapse}} {
		if f.from != nil {
			*f.to = float64(*f.from)
		}
	}
	return m, nil
}
