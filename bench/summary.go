package bench

import (
	"fmt"
	"slices"

	"github.com/linerate/linerate/result"
	"github.com/linerate/linerate/search"
)

// summarise writes what the trials of a search say into the cell.
func (m *measurement) summarise(cell *result.Cell, find search.Search, maxLoadPPS float64) {
	bounds := find.Bounds()
	for _, b := range bounds {
		cell.Goals = append(cell.Goals, result.Goal{
			Name: b.Goal.Name, LossRatio: b.Goal.LossRatio, TrialDurationS: b.Goal.TrialDurationS, DurationSumS: b.Goal.DurationSumS,
			LowerPPS: b.LowerPPS, UpperPPS: b.UpperPPS, ConditionalPPS: min(b.ConditionalPPS, cell.CeilingPPS),
			Trials: b.Trials, TrialSeconds: b.TrialSeconds, Regular: b.Regular, Reason: b.Reason,
		})
	}
	if _, single := find.(*search.Binary); single { // a trial decides, whatever the plan's sum is
		for i := range cell.Goals {
			cell.Goals[i].DurationSumS = cell.Goals[i].TrialDurationS
		}
	}
	if mlr, ok := find.(*search.MLR); ok {
		if background := mlr.Background(); background.Found {
			p := background.LossRatio
			cell.BackgroundLossRatio = &p
		}
	}
	if b := bounds[described(bounds)]; b.HasLower {
		m.describe(cell, b)
	}
	m.addDoubts(cell)
	m.judge(cell, bounds, maxLoadPPS)
}

// judge writes the verdict on each goal, and as that on the cell the one on the
// goal that the cell is described at.
func (m *measurement) judge(cell *result.Cell, bounds []search.Bounds, maxLoadPPS float64) {
	for i, b := range bounds {
		verdict, evidence := judge(*cell, b, m.trials, maxLoadPPS)
		cell.Goals[i].Verdict = verdict
		if why := stayedDisturbed(b, m.trials); why != "" {
			cell.Warnings = append(cell.Warnings, result.Warning{Code: result.StayedDisturbed, Text: why})
		}
		if i == described(bounds) {
			cell.Verdict, cell.Evidence = verdict, append(evidence, ledgerEvidence(cell.Ledger)...)
		}
	}
}

// described is the index of the goal that a cell is described at: the last one that
// has a lower bound, PDR by default, or the last one if none has.
func described(bounds []search.Bounds) int {
	for i, b := range slices.Backward(bounds) {
		if b.HasLower {
			return i
		}
	}
	return len(bounds) - 1
}

// describe sets CPU time, latency and conntrack counters as they were at the throughput.
func (m *measurement) describe(cell *result.Cell, b search.Bounds) {
	if t := m.median(b.LowerPPS, b.Goal.TrialDurationS); t != nil {
		cell.Latency = t.Latency
	}
	full := m.at(b.LowerPPS, b.Goal.TrialDurationS)
	cell.CPU = meanCPU(full)
	m.describeShares(cell, full)
	m.describePaths(cell, full)
	for _, t := range full {
		if t.Conntrack != nil {
			cell.Conntrack = t.Conntrack
		}
	}
	if cell.Conntrack == nil {
		return
	}
	sum := *cell.Conntrack
	sum.InsertFailed, sum.Drop, sum.EarlyDrop, sum.Invalid = 0, 0, 0, 0
	for _, t := range m.trials {
		if c := t.Conntrack; c != nil {
			sum.InsertFailed += c.InsertFailed
			sum.Drop += c.Drop
			sum.EarlyDrop += c.EarlyDrop
			sum.Invalid += c.Invalid
		}
	}
	cell.Conntrack = &sum
}

// meanCPU is the mean of the CPU times of some trials; nil if none has any.
func meanCPU(trials []result.Trial) *result.CPU {
	var mean *result.CPU
	n := 0.0
	for _, t := range trials {
		if t.CPU == nil {
			continue
		}
		n++
		if mean == nil {
			c := *t.CPU
			c.PerCore = slices.Clone(t.CPU.PerCore)
			mean = &c
			continue
		}
		mean.DUTCoresBusy += t.CPU.DUTCoresBusy
		mean.NSPerPacket += t.CPU.NSPerPacket
		for i, c := range t.CPU.PerCore {
			p := &mean.PerCore[i]
			p.ProcessedFrames += c.ProcessedFrames
			p.User, p.System, p.SoftIRQ, p.IRQ, p.Steal, p.Idle = p.User+c.User, p.System+c.System, p.SoftIRQ+c.SoftIRQ, p.IRQ+c.IRQ, p.Steal+c.Steal, p.Idle+c.Idle
			p.TurnsPerS, p.Sink, p.Foreign = p.TurnsPerS+c.TurnsPerS, p.Sink+c.Sink, p.Foreign+c.Foreign
		}
	}
	if mean == nil {
		return nil
	}
	mean.DUTCoresBusy /= n
	mean.NSPerPacket /= n
	for i := range mean.PerCore {
		p := &mean.PerCore[i]
		p.ProcessedFrames /= uint64(n)
		p.User, p.System, p.SoftIRQ, p.IRQ, p.Steal, p.Idle = p.User/n, p.System/n, p.SoftIRQ/n, p.IRQ/n, p.Steal/n, p.Idle/n
		p.TurnsPerS, p.Sink, p.Foreign = p.TurnsPerS/n, p.Sink/n, p.Foreign/n
	}
	return mean
}

// addDoubts gathers the warnings of the trials by kind: how many trials had it,
// and what the first of them said.
func (m *measurement) addDoubts(cell *result.Cell) {
	type group struct {
		n    int
		text string
	}
	groups := map[string]*group{}
	var order []string
	for _, t := range m.trials {
		if t.Purpose == result.ForWarmUp {
			continue
		}
		counted := map[string]bool{}
		for _, w := range t.Warnings {
			if counted[w.Code] {
				continue // of another CPU, say
			}
			counted[w.Code] = true
			g := groups[w.Code]
			if g == nil {
				g = &group{text: w.Text}
				groups[w.Code] = g
				order = append(order, w.Code)
			}
			g.n++
		}
	}
	if w, found := speedDoubt(m.trials); found {
		cell.Warnings = append(cell.Warnings, w)
	}
	for _, code := range order {
		g := groups[code]
		cell.Warnings = append(cell.Warnings, result.Warning{Code: code, Text: fmt.Sprintf("%d of %d trials, for example: %s", g.n, len(m.trials)-1, g.text)})
	}
}
