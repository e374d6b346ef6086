package report

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/linerate/linerate/result"
)

// Markdown writes a report for an issue, a wiki or a pull request.
type Markdown struct{}

// Write writes tables in the form that GitHub and most renderers know.
func (Markdown) Write(w io.Writer, run *result.Run, trials []result.Trial) error {
	d := digestOf(run, trials)
	var b bytes.Buffer
	fmt.Fprintf(&b, "# linerate: %s\n\n%s\n\n", markdownText(title(run)), markdownText(runLine(run)))
	if run.Outcome != result.Measured {
		fmt.Fprintf(&b, "**%s**\n\n", markdownText(outcomeSentence(run)))
	}
	for _, s := range d.Headline {
		fmt.Fprintf(&b, "%s\n", markdownText(s))
	}
	markdownAB(&b, run)
	markdownSweep(&b, run)
	if ofKernels(run) {
		markdownSections(&b, d)
	} else {
		markdownSummary(&b, d)
		markdownCores(&b, d)
		markdownFigureTables(&b, d)
		markdownSections(&b, d)
		markdownCells(&b, d)
	}
	markdownWarnings(&b, d)
	b.WriteString("\n## Environment\n\n")
	var rows [][]string
	for _, r := range environmentRows(run) {
		rows = append(rows, []string{r.Name, r.Value})
	}
	markdownTable(&b, []column{{"What", false}, {"Value", false}}, rows)
	if err := markdownRepeat(&b, run); err != nil {
		return err
	}
	if _, err := w.Write(b.Bytes()); err != nil {
		return fmt.Errorf("writing the Markdown report: %w", err)
	}
	return nil
}

func markdownSummary(b *bytes.Buffer, d digest) {
	if s := streamsSection(d); s != nil {
		markdownSection(b, *s)
	}
	if s := unpacedSection(d); s != nil {
		markdownSection(b, *s)
	}
	if len(d.Cells) > 0 {
		if d = d.searched(); len(d.Cells) == 0 {
			return
		}
	}
	columns, shared := summaryColumns(d)
	for i := range columns {
		columns[i].Heading = strings.TrimSpace(strings.ReplaceAll(columns[i].Heading, "\n", " "))
	}
	var rows [][]string
	for _, c := range d.Cells {
		rows = append(rows, summaryRow(c, false, shared))
		if c.measured() && c.Ways > 1 {
			rows = append(rows, summaryRow(c, true, shared))
		}
	}
	b.WriteString("\n## Throughput\n\n")
	markdownTable(b, columns, rows)
	b.WriteString("\nMpps and Gbit/s are per direction; a line \"sum\" is both directions together. \\>= is a lower bound. " +
		"d is the trial duration and S the trial time that decides a load.\n")
}

func markdownCores(b *bytes.Buffer, d digest) {
	columns := []column{{"Cell", false}, {"ns per packet", true}}
	for _, r := range wantedRates {
		columns = append(columns, column{r.Name, true})
	}
	var rows [][]string
	for _, c := range d.Cells {
		if len(c.Cores) == 0 {
			continue
		}
		row := []string{c.Label, c.nsPerPacket()}
		for _, n := range c.Cores {
			row = append(row, coreCount(n.Cores))
		}
		rows = append(rows, row)
	}
	if len(rows) == 0 {
		return
	}
	b.WriteString("\n## DUT cores needed for a rate, one direction at that frame size\n\n")
	markdownTable(b, columns, rows)
	fmt.Fprintf(b, "\n%s\n", extrapolation)
}

func markdownCells(b *bytes.Buffer, d digest) {
	b.WriteString("\n## Cells\n")
	for _, c := range d.Cells {
		fmt.Fprintf(b, "\n### %s: %s\n\n", markdownText(c.Label), markdownText(c.verdict()))
		if !c.measured() {
			fmt.Fprintf(b, "- %s\n", markdownText(sentence("Not measured: "+c.Skipped)))
			continue
		}
		for _, f := range c.Figures {
			fmt.Fprintf(b, "- %s\n", markdownText(figureSentence(c, f)))
		}
		for _, e := range c.Evidence {
			fmt.Fprintf(b, "- %s\n", markdownText(e))
		}
		for _, s := range []string{latencyLine(c.Latency), conntrackLine(c.Conntrack), queueLine(c.Cell), fairnessLine(c.Cell), streamsLine(c.Cell), effort(c)} {
			if s != "" {
				fmt.Fprintf(b, "- %s\n", markdownText(s))
			}
		}
		for _, w := range c.Warnings {
			fmt.Fprintf(b, "- Warning: %s\n", markdownText(warningLine(w)))
		}
		markdownLedger(b, c.Ledger)
	}
}

func markdownWarnings(b *bytes.Buffer, d digest) {
	b.WriteString("\n## Warnings\n\n")
	if len(d.Warnings) == 0 {
		b.WriteString("none\n")
		return
	}
	var rows [][]string
	for _, w := range d.Warnings {
		rows = append(rows, []string{fmt.Sprint(w.Count), w.Code, w.where(), strings.Join(w.Texts, " / ")})
	}
	markdownTable(b, []column{{"Count", true}, {"Code", false}, {"Where", false}, {"What", false}}, rows)
}

func markdownRepeat(b *bytes.Buffer, run *result.Run) error {
	plan, err := planYAML(run.Plan)
	if err != nil {
		return err
	}
	b.WriteString("\n## Repeat it\n\n")
	codeBlock(b, "sh", commandLine(run.Command)+"\n")
	b.WriteString("\n" + trustText + "\n\nThe plan:\n\n")
	codeBlock(b, "yaml", plan)
	for _, c := range run.Cells {
		if len(c.Setup) > 0 {
			fmt.Fprintf(b, "\nThe device of `%s`:\n\n", c.ID)
			codeBlock(b, "sh", strings.Join(c.Setup, "\n")+"\n")
		}
	}
	return nil
}

// codeBlock uses a fence that the text does not hold.
func codeBlock(b *bytes.Buffer, language, text string) {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	fmt.Fprintf(b, "%s%s\n%s%s\n", fence, language, text, fence)
}

func markdownTable(b *bytes.Buffer, columns []column, rows [][]string) {
	line := func(cells []string) {
		b.WriteString("|")
		for _, c := range cells {
			fmt.Fprintf(b, " %s |", strings.ReplaceAll(markdownText(c), "|", "\\|"))
		}
		b.WriteString("\n")
	}
	var headings, rules []string
	for _, c := range columns {
		headings = append(headings, c.Heading)
		rule := "---"
		if c.Right {
			rule = "---:"
		}
		rules = append(rules, rule)
	}
	line(headings)
	b.WriteString("| " + strings.Join(rules, " | ") + " |\n")
	for _, r := range rows {
		if isLabel(columns, r) {
			fmt.Fprintf(b, "| **%s** |%s\n", strings.ReplaceAll(markdownText(r[0]), "|", "\\|"), strings.Repeat(" |", len(columns)-1))
			continue
		}
		line(r)
	}
}

// markdownText keeps text from being read as HTML, emphasis, a link or a second line.
func markdownText(s string) string {
	return strings.NewReplacer("\n", " ", "\\", "\\\\", "<", "&lt;", ">", "&gt;", "&", "&amp;", "*", "\\*", "`", "\\`", "[", "\\[", "_", "\\_").Replace(s)
}
