package report

import (
	"fmt"
	"strings"

	"github.com/linerate/linerate/plan"
	"github.com/linerate/linerate/result"
)

// digest is a run as every format shows it.
type digest struct {
	Run *result.Run
	// Goals are the names of all goals, in the order in which the cells have them.
	Goals []string
	Cells []cell
	// OtherTrials are those of the calibration, and any that belong to no cell.
	OtherTrials []result.Trial
	Warnings    []warningCount
	Headline    []string
}

// cell is one cell with what is derived from it.
type cell struct {
	result.Cell
	// Label names the cell in a sentence; Name is its scenario and backend, Traffic the rest.
	Label, Name, Traffic string
	// Ways is 2 for traffic both ways at once, else 1.
	Ways      int
	MeanBytes float64
	// Figures has one entry for each of the digest's goals.
	Figures  []Figure
	Cores    []coresNeeded
	Trials   []result.Trial
	Warnings []warningCount
}

// measured tells whether the cell was measured at all.
func (c cell) measured() bool { return c.Skipped == "" }

// main is the figure that Gbit/s and comparisons are taken from: the goal that allows most loss.
func (c cell) main() Figure {
	m := Figure{Relation: Absent}
	for i, f := range c.Figures {
		if i == 0 || f.Goal.LossRatio > m.Goal.LossRatio {
			m = f
		}
	}
	return m
}

func digestOf(run *result.Run, trials []result.Trial) digest {
	d := digest{Run: run, Goals: goalNames(run)}
	byCell := map[string][]result.Trial{}
	for _, t := range trials {
		if !t.Purpose.BesidesSearch() {
			byCell[t.Cell] = append(byCell[t.Cell], t)
		}
	}
	severalIPs := severalIPVersions(run)
	known := map[string]bool{}
	for _, c := range run.Cells {
		v := cell{Cell: c, Ways: directions(c.Directions), MeanBytes: meanBytes(c), Name: cellName(c, severalIPs)}
		v.Traffic = fmt.Sprintf("%s, %s, %s", flows(c.Flows), way(c.Directions), frameSize(c.FrameSize))
		if c.Workload != "" {
			v.Traffic = plan.Cell{Workload: c.Workload, Flows: c.Flows}.StreamsTitle()
		}
		v.Label = v.Name + ", " + v.Traffic
		if !known[c.ID] {
			v.Trials = byCell[c.ID]
		}
		known[c.ID] = true
		for _, name := range d.Goals {
			if c.Unpaced != nil {
				break // no load was searched for any goal
			}
			v.Figures = append(v.Figures, figureNamed(c, name))
		}
		v.Evidence = allSeparated(c.Evidence)
		v.Cores = coresNeededBy(v)
		v.Warnings = countWarnings(c.Warnings, v.Trials)
		d.Cells = append(d.Cells, v)
	}
	for _, t := range trials {
		if t.Purpose == result.ForCalibration || !known[t.Cell] && !t.Purpose.BesidesSearch() {
			d.OtherTrials = append(d.OtherTrials, t)
		}
	}
	d.Warnings = allWarnings(run, trials)
	d.Headline = headline(d)
	return d
}

func goalNames(run *result.Run) []string {
	var names []string
	seen := map[string]bool{}
	for _, c := range run.Cells {
		for _, g := range c.Goals {
			if !seen[g.Name] {
				seen[g.Name] = true
				names = append(names, g.Name)
			}
		}
	}
	return names
}

func figureNamed(c result.Cell, name string) Figure {
	for _, g := range c.Goals {
		if g.Name == name {
			return figureOf(c, g)
		}
	}
	return Figure{Goal: result.Goal{Name: name}, Relation: Absent}
}

func severalIPVersions(run *result.Run) bool {
	for _, c := range run.Cells {
		if c.IPVersion != run.Cells[0].IPVersion {
			return true
		}
	}
	return len(run.Cells) > 0 && run.Cells[0].IPVersion == 6
}

// cellName is the scenario with its backend, and with its IP version where that is not plain.
func cellName(c result.Cell, withIP bool) string {
	parts := []string{c.Scenario}
	if c.Backend != "" && !strings.HasSuffix(c.Scenario, "-"+c.Backend) {
		parts = append(parts, c.Backend)
	}
	if withIP {
		parts = append(parts, fmt.Sprintf("IPv%d", c.IPVersion))
	}
	if c.Variant != "" {
		parts = append(parts, c.Variant)
	}
	return strings.Join(parts, " ")
}

func way(d plan.Direction) string {
	if d == plan.Bi {
		return "both directions"
	}
	return "one direction"
}

func flows(n int) string {
	if n == 1 {
		return "1 flow"
	}
	return Thousands(uint64(n)) + " flows"
}

func frameSize(s plan.FrameSize) string {
	if s == plan.IMIX {
		return "IMIX"
	}
	return fmt.Sprintf("%d B", int(s))
}
