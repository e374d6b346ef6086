package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/linerate/linerate/result"
)

// throughputSection is the graph of RFC 2544 section 26.1: the frame rate over the
// frame size, with the greatest possible rate beside it. It stands in reports of runs
// that were put through the other tests too; the table is that of all cells.
func throughputSection(d digest) *section {
	if !tested(d.Run) {
		return nil
	}
	g := &graph{ID: "rfc-throughput", Title: "Throughput over frame size (RFC 2544 section 26.1)", XName: "frame size, bytes with FCS", YName: "Mpps per direction"}
	lines := map[string]int{}
	add := func(name string, dashed bool, c cell, pps float64) {
		if pps <= 0 {
			return
		}
		i, known := lines[name]
		if !known {
			i = len(g.Lines)
			lines[name] = i
			g.Lines = append(g.Lines, graphLine{Name: name, Dashed: dashed})
		}
		g.Lines[i].Points = append(g.Lines[i].Points, [2]float64{c.MeanBytes, pps / 1e6})
		g.XTop, g.YTop = max(g.XTop, c.MeanBytes), max(g.YTop, pps/1e6)
	}
	sizes := map[float64]bool{}
	for _, c := range d.Cells {
		if !c.measured() || len(c.Figures) == 0 {
			continue
		}
		if !sizes[c.MeanBytes] {
			sizes[c.MeanBytes] = true
			g.XTicks = append(g.XTicks, graphTick{c.MeanBytes, fmt.Sprintf("%.0f", c.MeanBytes)})
		}
		what := fmt.Sprintf("%s, IPv%d, %s, %s", c.Name, c.IPVersion, flows(c.Flows), way(c.Directions))
		for _, f := range c.Figures {
			add(f.Goal.Name+": "+what, false, c, f.PerDirectionPPS)
		}
		add(fmt.Sprintf("maximum: generator and sink without a device, IPv%d, %s, %s", c.IPVersion, flows(c.Flows), way(c.Directions)), true, c, c.CeilingPPS)
	}
	g.Lines = slices.DeleteFunc(g.Lines, func(l graphLine) bool { return len(l.Points) < 2 })
	if len(g.Lines) == 0 {
		return nil
	}
	for i := range g.Lines {
		g.Lines[i].Mark = markOfLine(i)
		slices.SortFunc(g.Lines[i].Points, func(a, b [2]float64) int { return cmp.Compare(a[0], b[0]) })
	}
	for _, v := range niceTicks(g.YTop, 5) {
		g.YTicks = append(g.YTicks, graphTick{v, tickLabel(v)})
	}
	return &section{Anchor: "rfc-throughput", Heading: "Throughput over frame size (RFC 2544 section 26.1)", Graph: g,
		Notes: []string{"IPv4 or IPv6 with UDP over veth. A veth has no theoretical rate of the medium, so the upper line is what generator and sink carry without a device."}}
}

// lossSection is the frame loss rate test: a table of loads, and the graph with both
// axes from 0 to 100 % (RFC 2544 section 26.3).
func lossSection(d digest) *section {
	g := &graph{ID: "rfc-loss", Title: "Frame loss rate over load (RFC 2544 section 26.3)", XName: "load, % of the maximum", YName: "loss, %", XTop: 100, YTop: 100}
	for v := 0.0; v <= 100; v += 20 {
		g.XTicks = append(g.XTicks, graphTick{v, fmt.Sprintf("%.0f", v)})
		g.YTicks = append(g.YTicks, graphTick{v, fmt.Sprintf("%.0f", v)})
	}
	s := &section{Anchor: "rfc-loss", Heading: "Frame loss rate (RFC 2544 section 26.3)", Graph: g,
		Columns: []column{{"Cell", false}, {"Load,\n% of maximum", true}, {"Load,\nMpps", true}, {"Frame loss,\n%", true}, {"Unsent,\n%", true}}}
	open := 0
	for _, c := range d.Cells {
		if len(c.FrameLossRate) == 0 {
			continue
		}
		line := graphLine{Name: c.Label, Mark: markOfLine(len(g.Lines))}
		for i, p := range c.FrameLossRate {
			name := ""
			if i == 0 {
				name = cellLines(c)
			}
			s.Rows = append(s.Rows, []string{name, bare(p.LoadRatio), Mpps(p.LoadPPS), bare(p.LossRatio), bare(p.UnsentRatio)})
			line.Points = append(line.Points, [2]float64{100 * p.LoadRatio, 100 * p.LossRatio})
		}
		if n := len(c.FrameLossRate); n < 2 || c.FrameLossRate[n-1].LossRatio > 0 || c.FrameLossRate[n-2].LossRatio > 0 {
			open++
		}
		g.Lines = append(g.Lines, line)
	}
	if len(g.Lines) == 0 {
		return nil
	}
	s.Notes = []string{fmt.Sprintf("Each load was offered for %s, from the maximum down until two trials in a row lost nothing. Loss is (sent - received) / sent; unsent frames are what the "+
		"generator could not offer. The maximum is the calibrated ceiling, or search.max_load_pps.", seconds(d.Run.Plan.FrameLossRate.TrialDuration.Seconds()))}
	if open > 0 {
		s.Notes = append(s.Notes, fmt.Sprintf("%d of the lines did not come to two trials without loss: some frames are lost at every load that was tried.", open))
	}
	return s
}

// cellLines names a cell in a narrow column of two lines.
func cellLines(c cell) string {
	return fmt.Sprintf("%s\n%s, %s, %s", c.Name, flows(c.Flows), c.Directions, frameSize(c.FrameSize))
}

// bare is a ratio in percent without the sign.
func bare(ratio float64) string { return strings.TrimSuffix(Percent(ratio), " %") }

// burstSection is the table of RFC 9004 section 7.
func burstSection(d digest) *section {
	s := &section{Anchor: "rfc-bursts", Heading: "Back-to-back frames (RFC 9004)",
		Columns: []column{{"Cell", false}, {"N", true}, {"Mean,\nframes", true}, {"Min", true}, {"Max", true}, {"Sigma", true}, {"Rate,\nMpps", true}, {"Implied\nbuffer", true}, {"Corrected\nbuffer", true}}}
	uncorrected, unbounded := 0, 0
	for _, c := range d.Cells {
		b := c.BackToBack
		if b == nil {
			continue
		}
		mean := strconv.FormatFloat(b.MeanFrames, 'f', 1, 64)
		if b.MeanFrames >= 10_000 {
			mean = Thousands(uint64(b.MeanFrames))
		}
		if !b.Bounded {
			unbounded++
			mean = ">= " + mean
		}
		corrected := timeNS(uint64(math.Round(b.CorrectedBufferNS)))
		if b.ThroughputPPS == 0 {
			uncorrected++
			corrected = "-"
		}
		s.Rows = append(s.Rows, []string{cellLines(c), fmt.Sprint(b.Repeats), mean, Thousands(uint64(b.MinFrames)), Thousands(uint64(b.MaxFrames)), fmt.Sprintf("%.1f", b.SigmaFrames),
			Mpps(b.BurstPPS), timeNS(uint64(math.Round(b.ImpliedBufferNS))), corrected})
	}
	if len(s.Rows) == 0 {
		return nil
	}
	s.Notes = []string{
		fmt.Sprintf("The longest burst that loses nothing, sent as fast as the generator goes after idle time; N searches each, by doubling and then bisection with loss verification: a length fails when it loses frames %s running. The least step is %s, the longest burst tried %s. What limits a burst is the buffer before the device's bottleneck.",
			counted(d.Run.Plan.BackToBack.Verifications+1, "time"), counted(d.Run.Plan.BackToBack.StepFrames, "frame"), counted(d.Run.Plan.BackToBack.MaxFrames, "frame")),
		"Implied buffer is the mean burst at the burst rate. Corrected buffer leaves out what the device forwarded while the burst arrived: implied - implied x throughput / burst rate (RFC 9004 section 6.4). The burst rate is measured: a veth has no theoretical rate.",
	}
	if uncorrected > 0 {
		s.Notes = append(s.Notes, "\"-\": the throughput was not measured, so there is nothing to correct with.")
	}
	if unbounded > 0 {
		s.Notes = append(s.Notes, "\">=\": no burst that was tried lost frames (back_to_back.max_frames).")
	}
	return s
}

func counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return Thousands(uint64(n)) + " " + noun + "s"
}

// recoverySection is the table of RFC 2544 section 26.5.
func recoverySection(d digest) *section {
	s := &section{Anchor: "rfc-recovery", Heading: "System recovery (RFC 2544 section 26.5)",
		Columns: []column{{"Cell", false}, {"Throughput,\nMpps", true}, {"Overload,\nMpps", true}, {"Then,\nMpps", true}, {"N", true}, {"Mean", true}, {"Min", true}, {"Max", true}}}
	var unrecovered int
	var resolution float64
	var overload result.SystemRecovery
	for _, c := range d.Cells {
		r := c.SystemRecovery
		if r == nil {
			continue
		}
		overload = *r
		unrecovered += r.Unrecovered
		resolution = max(resolution, r.ResolutionNS)
		s.Rows = append(s.Rows, []string{cellLines(c), fmt.Sprintf("%s (%s)", Mpps(r.ThroughputPPS), r.Goal), Mpps(r.OverloadPPS), Mpps(r.RecoveryPPS), fmt.Sprint(len(r.TimesNS)),
			recoveryTime(r.MeanNS), recoveryTime(r.MinNS), recoveryTime(r.MaxNS)})
	}
	if len(s.Rows) == 0 {
		return nil
	}
	s.Notes = []string{fmt.Sprintf("110 %% of the throughput (or the maximum load, if that is less) is offered for %s, then half of that without a pause: the time is from this step to the departure "+
		"of the last frame that was lost, known to %s. \"none\" means that no frame was lost after the step.", seconds(overload.OverloadDurationS), timeNS(uint64(resolution)))}
	if unrecovered > 0 {
		s.Notes = append(s.Notes, fmt.Sprintf("In %s frames were lost until the end: the device did not recover within the time.", counted(unrecovered, "measurement")))
	}
	return s
}

func recoveryTime(ns float64) string {
	if ns <= 0 {
		return "none"
	}
	return timeNS(uint64(math.Round(ns)))
}
