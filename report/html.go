package report

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"io"
	"io/fs"
	"regexp"
	"strings"

	"github.com/linerate/linerate/plan"
	"github.com/linerate/linerate/result"
)

//go:embed html/*
var htmlFiles embed.FS

// HTML writes one file that needs nothing else: it opens without a network, and
// reads without JavaScript, in light and in dark, on paper and on a phone.
type HTML struct{}

var htmlTemplates = template.Must(template.New("page.gohtml").Funcs(template.FuncMap{
	"mpps": Mpps, "gbit": gbit, "percent": Percent, "seconds": seconds, "timeNS": timeNS, "cores": coreCount,
	"thousands": func(n any) string { return Thousands(asUint(n)) },
	"px":        func(v float64) string { return fmt.Sprintf("%.1f", v) },
	"pct":       func(v float64) string { return fmt.Sprintf("%.2f%%", v) },
	"each":      func(f Figure) string { return pretty(f.amount(perDirection, Mpps)) },
	"sum":       func(f Figure) string { return pretty(f.amount(total, Mpps)) },
	"eachL1":    func(f Figure) string { return pretty(f.amount(perDirectionL1, gbit)) },
	"sumL1":     func(f Figure) string { return pretty(f.amount(totalL1, gbit)) },
	"frameSize": frameSize, "terms": Figure.terms, "lines": func(s []string) string { return strings.Join(s, "\n") },
	"sortedKeys": sortedKeys, "cpus": cpus, "figureSentence": func(c cell, f Figure) string { return pretty(figureSentence(c, f)) }, "allowed": allowedLoss,
	"units": keepUnits, "pretty": pretty, "queues": queueLine, "fairness": fairnessLine, "streams": streamsLine,
	"ledgerNote": func() string { return ledgerNote },
	"ratio":      func(r plan.Ratio) string { return Percent(float64(r)) },
}).ParseFS(htmlFiles, "html/*.gohtml"))

// htmlPage is what the template sees.
type htmlPage struct {
	digest
	Sections []section
	CSS      template.CSS
	Script   template.JS
	Name     string
	RunLine  string
	// Problem is set when the run did not end as measured.
	Problem     string
	AB          []htmlAB
	Sweeps      []htmlSweep
	Gauges      []gauge
	Bars        barChart
	Cards       []htmlCell
	Calibration *lossChart
	Environment []pair
	Maps        []htmlMap
	WantedRates []wantedRate
	Terms       []term
	// GoalTerms are the d and S of each goal where all cells agree.
	GoalTerms     []string
	Command       string
	Trust         string
	PlanYAML      string
	Setups        []htmlSetup
	Extrapolation string
	WarningTotal  int
	FigureTables  []figureTable
	// Streams and StreamChart are of a workload of streams; nil for frames.
	Streams *section
	// Unpaced are the cells whose engine cannot be paced; nil where there are none.
	Unpaced     *section
	StreamChart *streamChart
}

// htmlCell is a cell with its charts; a chart is nil when its data is missing.
type htmlCell struct {
	cell
	Anchor       string
	LossChart    *lossChart
	ZoomChart    *lossChart
	CPUChart     *cpuChart
	LatencyChart *latencyChart
	LedgerChart  *ledgerChart
	Effort       string
}

type htmlMap struct {
	Title  string
	Values map[string]string
}

// htmlSetup is the commands that made one device, with the cells that share them.
type htmlSetup struct {
	Cells    []string
	Commands string
}

// Write writes the page.
func (HTML) Write(w io.Writer, run *result.Run, trials []result.Trial) error {
	page, err := htmlPageOf(run, trials)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := htmlTemplates.ExecuteTemplate(&b, "page.gohtml", page); err != nil {
		return fmt.Errorf("filling the HTML report: %w", err)
	}
	if _, err := w.Write(b.Bytes()); err != nil {
		return fmt.Errorf("writing the HTML report: %w", err)
	}
	return nil
}

func htmlPageOf(run *result.Run, trials []result.Trial) (*htmlPage, error) {
	css, err := joined("html/*.css")
	if err != nil {
		return nil, err
	}
	script, err := joined("html/*.js")
	if err != nil {
		return nil, err
	}
	yaml, err := planYAML(run.Plan)
	if err != nil {
		return nil, err
	}
	d := digestOf(run, trials)
	p := &htmlPage{digest: d, Sections: sectionsOf(d), CSS: template.CSS(css), Script: template.JS(script), Name: title(run), RunLine: runLine(run),
		AB: htmlABOf(run), Sweeps: htmlSweepOf(run), Gauges: gaugesOf(d), Bars: barChartOf(d), Environment: environmentRows(run), WantedRates: wantedRates, Terms: methodTerms,
		Command: commandLine(run.Command), Trust: trustText, PlanYAML: yaml, Setups: setupsOf(run), Extrapolation: extrapolation,
		FigureTables: figureTables(d), Streams: streamsSection(d), Unpaced: unpacedSection(d), StreamChart: streamChartOf(d)}
	if run.Outcome != result.Measured {
		p.Problem = outcomeSentence(run)
	}
	if simulated(run) { // stands out more than the first sentence of an answer does
		p.Problem = strings.TrimSpace(d.Headline[0] + " " + p.Problem)
		p.Headline = d.Headline[1:]
	}
	for i := range d.Goals {
		p.GoalTerms = append(p.GoalTerms, sharedTerms(d.searched().Cells, i))
	}
	for i, c := range d.Cells {
		p.Cards = append(p.Cards, htmlCellOf(c, i))
	}
	if len(d.OtherTrials) > 0 {
		ch := calibrationChartOf(d.OtherTrials)
		p.Calibration = &ch
	}
	for _, w := range d.Warnings {
		p.WarningTotal += w.Count
	}
	e := run.Environment
	for _, m := range []htmlMap{{"Offloads", e.Offloads}, {"Kernel settings (sysctl)", e.Sysctls}, {"Versions", e.Versions}} {
		if len(m.Values) > 0 {
			p.Maps = append(p.Maps, m)
		}
	}
	return p, nil
}

func htmlCellOf(c cell, index int) htmlCell {
	h := htmlCell{cell: c, Anchor: fmt.Sprintf("cell-%d", index), CPUChart: cpuChartOf(c, index), LatencyChart: latencyChartOf(c, index), LedgerChart: ledgerChartOf(c, index), Effort: effort(c)}
	if len(c.Trials) > 0 {
		ch := lossChartOf(c, index)
		h.LossChart, h.ZoomChart = &ch, zoomChartOf(c, index, ch)
	}
	return h
}

// setupsOf joins the cells whose devices were made by the same commands.
func setupsOf(run *result.Run) []htmlSetup {
	var setups []htmlSetup
	index := map[string]int{}
	for _, c := range run.Cells {
		if len(c.Setup) == 0 {
			continue
		}
		commands := strings.Join(c.Setup, "\n")
		i, ok := index[commands]
		if !ok {
			i = len(setups)
			index[commands] = i
			setups = append(setups, htmlSetup{Commands: commands})
		}
		setups[i].Cells = append(setups[i].Cells, c.ID)
	}
	return setups
}

var numberAndUnit = regexp.MustCompile(`(\d) (Gbit/s|Mpps|ns|µs|ms|s)\b|(\d) (%)`)

// keepUnits keeps a number and its unit on one line.
func keepUnits(s string) string { return numberAndUnit.ReplaceAllString(s, "$1$3\u00a0$2$4") }

// pretty uses the signs that HTML can show.
func pretty(s string) string {
	return strings.ReplaceAll(s, ">= ", "≥ ")
}

// HasFrames tells whether any cell is of test frames whose load was searched, or there is none at all.
func (p *htmlPage) HasFrames() bool {
	return (len(p.Cells) == 0 || len(p.searched().Cells) > 0) && p.Run.Kernels == nil
}

// ReasonColumns are the columns that the reason of a skipped cell takes: the goals, L1, cores and ns/packet.
func (p *htmlPage) ReasonColumns() int { return len(p.Goals) + 3 }

// The methods below have exported names because a template sees no others.

// VerdictName is "skipped" for a cell that was not measured; it is also the class of its colour.
func (c cell) VerdictName() string { return c.verdict() }

// Plain is the cell without its charts.
func (c cell) Plain() cell { return c }

// Measured tells whether the cell was measured at all.
func (c cell) Measured() bool { return c.measured() }

// CoresBusy is "-" where it is not known.
func (c cell) CoresBusy() string { return c.coresBusy() }

// NSPerPacket is "-" where it is not known.
func (c cell) NSPerPacket() string { return c.nsPerPacket() }

// Main is the figure that Gbit/s is taken from.
func (c cell) Main() Figure { return c.main() }

// Bi tells whether traffic ran both ways at once.
func (c cell) Bi() bool { return c.Directions == plan.Bi }

// Where says which records hold the warning.
func (w warningCount) Where() string { return w.where() }

// Sort is the number that a column is sorted by; a figure without one is last.
func (f Figure) Sort() float64 {
	if !f.HasNumber() {
		return -1
	}
	return f.PerDirectionPPS
}

func asUint(n any) uint64 {
	switch v := n.(type) {
	case int:
		return uint64(v)
	case uint64:
		return v
	}
	return 0
}

// joined are all files of a kind. The style sheet of the page comes last in the alphabet:
// the others have selectors of their own.
func joined(pattern string) (string, error) {
	names, err := fs.Glob(htmlFiles, pattern)
	if err != nil {
		return "", err
	}
	var all strings.Builder
	for _, name := range names {
		text, err := htmlFiles.ReadFile(name)
		if err != nil {
			return "", err
		}
		all.Write(text)
	}
	return all.String(), nil
}
