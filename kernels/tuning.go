package kernels

import (
	"fmt"

	"github.com/linerate/linerate/kernels/guest"
	"github.com/linerate/linerate/plan"
	"github.com/linerate/linerate/result"
)

// tuningCells are a cell for each frame size and setting of the generator.
func tuningCells(p plan.Plan, kernel string) []result.Cell {
	var cells []result.Cell
	for _, plain := range p.Cells() {
		for _, s := range p.Tuning.Settings() {
			plain.Variant = fmt.Sprintf("%s/%s", s, kernel)
			cells = append(cells, result.Cell{
				ID: plain.ID(), Scenario: plain.Scenario, IPVersion: plain.IPVersion, FrameSize: plain.FrameSize, Flows: plain.Flows,
				Directions: plain.Directions, Variant: plain.Variant, Kernel: kernel, Engine: "pktgen",
				Tuning:   &result.Tuning{Device: s.Device, CloneSKB: s.CloneSKB, Burst: s.Burst},
				Evidence: []string{}, Warnings: []result.Warning{}, Goals: []result.Goal{}, Setup: []string{},
			})
		}
	}
	return cells
}

// tune makes the request for cells that try settings. Only what they need is loaded, for no
// scenario is compared with.
func (q *request) tune(p plan.Plan, cells []result.Cell) (err error) {
	names := []string{"pktgen"}
	for _, d := range p.Tuning.Devices {
		names = append(names, d) // its module has its name
		if d == plan.DeviceCard {
			q.cards = guest.CardMACs()
		}
	}
	for _, c := range cells {
		s := plan.Setting{Device: c.Tuning.Device, CloneSKB: c.Tuning.CloneSKB, Burst: c.Tuning.Burst}
		q.cells = append(q.cells, guest.Cell{Scenario: spelling(c), Flows: c.Flows, FrameSize: c.FrameSize, Setting: &s})
	}
	q.modules, err = q.kernel.Modules(names...)
	return err
}

// takeTuning keeps both accounts of a boot's last measurement.
func takeTuning(c *result.Cell, m guest.Measured) {
	if c.Tuning == nil {
		return
	}
	t := c.Tuning
	t.SentFrames, t.ReceivedFrames, t.ReceivedIPPackets = m.Sent, m.Received, m.ReceivedIP
	var rates []float64
	for _, pps := range m.ResultPPS {
		rates = append(rates, float64(pps))
	}
	t.ResultPPS = median(rates)
	c.Evidence = []string{fmt.Sprintf("by its Result line the kernel's pktgen sent %d frames in each of %d measurements; in the last, the receiver counted %d", m.Sent, len(m.BusyNS), m.Received)}
}

func sameSetting(t *result.Tuning, s *plan.Setting) bool {
	if t == nil || s == nil {
		return t == nil && s == nil
	}
	return *s == plan.Setting{Device: t.Device, CloneSKB: t.CloneSKB, Burst: t.Burst}
}

func sameTuning(a, b *result.Tuning) bool {
	if a == nil || b == nil {
		return a == nil && b == nil
	}
	return a.Device == b.Device && a.CloneSKB == b.CloneSKB && a.Burst == b.Burst
}
