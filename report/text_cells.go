package report

import (
	"fmt"
	"sort"
	"strings"

	"github.com/linerate/linerate/result"
)

// cells prints what each verdict rests on.
func (p *page) cells(d digest) {
	p.heading("Cells")
	for i, c := range d.Cells {
		if i > 0 {
			p.line("")
		}
		p.line("%s  %s", p.bold(c.Label), p.with(verdictStyle(c.verdict()), c.verdict()))
		if !c.measured() {
			p.wrapped("  ", sentence("Not measured: "+c.Skipped))
			continue
		}
		for _, f := range c.Figures {
			p.wrapped("  ", figureSentence(c, f))
		}
		for _, e := range c.Evidence {
			p.wrapped(p.dim("  - "), e)
		}
		for _, s := range []string{latencyLine(c.Latency), conntrackLine(c.Conntrack), queueLine(c.Cell), fairnessLine(c.Cell), streamsLine(c.Cell), effort(c)} {
			if s != "" {
				p.wrapped(p.dim("  - "), s)
			}
		}
		p.ledger(c.Ledger)
		for _, w := range c.Warnings {
			p.wrapped(p.with(verdictStyle("unstable"), "  ! "), warningLine(w))
		}
	}
}

// figureSentence is a goal's outcome with everything that it holds under.
func figureSentence(c cell, f Figure) string {
	if f.Relation == Absent && f.Note == "" {
		return f.Goal.Name + ": not searched for."
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s (%s; %s): ", f.Goal.Name, allowedLoss(f), f.terms())
	switch {
	case !f.HasNumber() && f.Relation == UndefinedThroughput:
		b.WriteString("undefined")
	case !f.HasNumber():
		b.WriteString("none")
	case c.Ways > 1:
		fmt.Fprintf(&b, "%s Mpps each way, %s in all", f.amount(perDirection, Mpps), f.amount(total, Mpps))
	default:
		b.WriteString(f.amount(perDirection, Mpps) + " Mpps")
	}
	if f.Note != "" {
		b.WriteString("; " + f.Note)
	}
	if f.Relation == Exact && f.Goal.UpperPPS > 0 {
		fmt.Fprintf(&b, "; bounds %s", bounds(c, f))
	}
	if f.Verdict != c.Verdict && f.Verdict != "" {
		b.WriteString("; " + string(f.Verdict))
	}
	if !f.Goal.Regular {
		b.WriteString("; irregular")
	}
	if f.Goal.Reason != "" {
		b.WriteString("; ended early: " + f.Goal.Reason)
	}
	return sentence(b.String())
}

// allowedLoss is what the goal lets pass.
func allowedLoss(f Figure) string {
	if f.Goal.LossRatio == 0 {
		return "no loss"
	}
	return "loss up to " + Percent(f.Goal.LossRatio)
}

// effort is what the search of a cell took, for all its goals together.
func effort(c cell) string {
	for _, f := range c.Figures {
		if f.Goal.Trials > 0 {
			s := fmt.Sprintf("%d trials, %s of traffic, ceiling %s Mpps.", f.Goal.Trials, seconds(f.Goal.TrialSeconds), Mpps(c.CeilingPPS))
			if n := discarded(c.Trials); n > 0 {
				s += fmt.Sprintf(" %d more repeated, not counted.", n)
			}
			return s
		}
	}
	return ""
}

// discarded counts the trials that were repeated and not given to the search.
func discarded(trials []result.Trial) int {
	n := 0
	for _, t := range trials {
		if t.Discarded != "" {
			n++
		}
	}
	return n
}

// bounds prints the relevant bounds, but none above the ceiling.
func bounds(c cell, f Figure) string {
	upper := "above the ceiling"
	if !aboveCeiling(c.Cell, f.Goal.UpperPPS) {
		upper = Mpps(f.Goal.UpperPPS)
	}
	return Mpps(f.Goal.LowerPPS) + " to " + upper
}

func latencyLine(l *result.Latency) string {
	if l == nil {
		return ""
	}
	return fmt.Sprintf("Latency at the throughput: P50 %s, P90 %s, P99 %s, P99.9 %s, max %s (%s frames).",
		timeNS(l.P50NS), timeNS(l.P90NS), timeNS(l.P99NS), timeNS(l.P999NS), timeNS(l.MaxNS), Thousands(l.Frames))
}

func conntrackLine(c *result.Conntrack) string {
	if c == nil {
		return ""
	}
	return fmt.Sprintf("Conntrack: %s of %s entries, %s inserts failed, %s dropped, %s dropped early, %s invalid.", Thousands(c.Entries), Thousands(c.Max),
		Thousands(c.InsertFailed), Thousands(c.Drop), Thousands(c.EarlyDrop), Thousands(c.Invalid))
}

// warningLine is one code with its count and its first sentence.
func warningLine(w warningCount) string {
	s := fmt.Sprintf("%s (%s)", w.Code, w.where())
	if len(w.Texts) > 0 {
		s += ": " + w.Texts[0]
	}
	return s
}

func (p *page) warnings(d digest) {
	p.heading("Warnings")
	if len(d.Warnings) == 0 {
		p.line("none")
	}
	for _, w := range d.Warnings {
		p.wrapped(p.with(verdictStyle("unstable"), fmt.Sprintf("%4d x ", w.Count)), warningLine(w))
	}
}

// environment is the machine in a few lines; everything is in the other formats.
func (p *page) environment(run *result.Run) {
	p.heading("Environment")
	for _, r := range environmentRows(run) {
		p.wrapped(fmt.Sprintf("%-16s", r.Name), r.Value)
	}
}

func (p *page) repeat(run *result.Run) {
	p.heading("Repeat it")
	p.line("%s", commandLine(run.Command))
	p.wrapped("", "The plan, the commands that set the device up and every count are in run.json and trials.jsonl of this run; the HTML report shows them.")
	p.wrapped("", trustText)
}

// pair is a named value of the environment.
type pair struct{ Name, Value string }

// environmentRows are the facts of the machine that a reader compares first; a fact that is not known is left out.
func environmentRows(run *result.Run) []pair {
	e, t := run.Environment, run.Testbed
	var rows []pair
	add := func(name, value string) {
		if value != "" {
			rows = append(rows, pair{name, value})
		}
	}
	add("Kernel", joinNonEmpty(" ", e.Kernel, e.Architecture))
	add("System", e.OS)
	if e.CPUs > 0 {
		add("CPU", fmt.Sprintf("%s, %d CPUs", e.CPUModel, e.CPUs))
	}
	if e.MemoryBytes > 0 {
		add("Memory", fmt.Sprintf("%.1f GiB", float64(e.MemoryBytes)/(1<<30)))
	}
	add("Virtualisation", e.Virtualisation)
	add("Governor", e.Governor)
	add("Testbed", testbedLine(t))
	if run.Calibration.CeilingPPS > 0 {
		add("Ceiling", Mpps(run.Calibration.CeilingPPS)+" Mpps per direction from generator to sink without a DUT, the lowest of all traffic")
	}
	add("Versions", mapLine(e.Versions))
	return rows
}

func testbedLine(t result.Testbed) string {
	if t.Kind == "" {
		return ""
	}
	s := fmt.Sprintf("%s; DUT on CPU %s, tester on CPU %s; queues per link: %d; IP MTU %d bytes", t.Kind, cpus(t.DUTCPUs), cpus(t.TesterCPUs), t.Queues, t.MTUBytes)
	if t.SharedCPUs {
		s += "; DUT and tester share CPUs"
	}
	return s
}

func cpus(list []int) string {
	if len(list) == 0 {
		return "-"
	}
	return strings.Trim(strings.ReplaceAll(fmt.Sprint(list), " ", ","), "[]")
}

func sortedKeys(m map[string]string) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return keys
}

func mapLine(m map[string]string) string {
	var parts []string
	for _, k := range sortedKeys(m) {
		parts = append(parts, k+" "+m[k])
	}
	return strings.Join(parts, ", ")
}

func joinNonEmpty(sep string, parts ...string) string {
	var kept []string
	for _, p := range parts {
		if p != "" {
			kept = append(kept, p)
		}
	}
	return strings.Join(kept, sep)
}
