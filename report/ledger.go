package report

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/linerate/linerate/result"
)

// ledgerNote tells a reader who is new to it what a ledger is.
const ledgerNote = "Every frame that was sent is received, or under the name of what dropped it, or unexplained: a loss with a name can be acted upon."

// ledgerRow is a named loss, or the unexplained rest, as a table shows it.
type ledgerRow struct {
	Frames string
	// OfLost and OfSent are shares of the missing and of the sent frames.
	OfLost, OfSent string
	Reason         string
	Where          string
	Side           string
	Place          string
	Meaning        string
	// Class is that of the row's colour.
	Class string
	share float64
}

const unexplainedMeaning = "no counter and no drop of the kernel tells of them"

// ledgerRows are the drops, the largest first, and what is unexplained, if anything.
func ledgerRows(l *result.Ledger) []ledgerRow {
	missing, sent := float64(max(1, l.Missing())), float64(max(1, l.Sent))
	var rows []ledgerRow
	for _, d := range l.Drops {
		n := float64(d.Frames)
		rows = append(rows, ledgerRow{
			Frames: Thousands(d.Frames), OfLost: Percent(n / missing), OfSent: Percent(n / sent), Reason: d.Reason, Where: d.Device,
			Side: strings.ToUpper(string(d.Side)), Place: d.Place, Meaning: d.Meaning(), Class: "cause-" + string(d.Cause()), share: n / missing,
		})
		if d.Side == result.TesterSide {
			rows[len(rows)-1].Side = "tester"
		}
	}
	if u := float64(l.Unexplained); u != 0 {
		r := ledgerRow{Frames: Thousands(uint64(max(u, -u))), OfLost: Percent(u / missing), OfSent: Percent(u / sent), Reason: "unexplained", Meaning: unexplainedMeaning, Class: "cause-unexplained", share: max(0, u/missing)}
		if u < 0 {
			r.Frames, r.Meaning = "-"+r.Frames, "more drops were counted than frames are missing: some were counted twice, or were foreign"
		}
		rows = append(rows, r)
	}
	return rows
}

// name is the reason with its device.
func (r ledgerRow) name() string {
	if r.Where == "" {
		return r.Reason
	}
	return r.Reason + " on " + r.Where
}

// ledgerLine is the balance in a sentence.
func ledgerLine(l *result.Ledger) string {
	if l == nil {
		return ""
	}
	where := "Where the frames went"
	if l.LoadPPS > 0 {
		where += " at the upper bound of " + Mpps(l.LoadPPS) + " Mpps"
	}
	unexplained := "nothing is unexplained"
	if l.Unexplained != 0 {
		unexplained = fmt.Sprintf("%d unexplained (%s)", l.Unexplained, Percent(l.UnexplainedRatio()))
	}
	how := fmt.Sprintf("%d trials", l.Trials)
	if l.Trials == 1 {
		how = "1 trial"
	}
	if l.Traced {
		how += " with the kernel's drops traced, which costs the device some throughput: read the shares"
	}
	return fmt.Sprintf("%s (%s): %s sent, %s received, %s lost (%s); %s.", where, how, Thousands(l.Sent), Thousands(l.Received), Thousands(l.Missing()), Percent(float64(l.Missing())/float64(max(1, l.Sent))), unexplained)
}

// maxLedgerLines bounds the reasons of a cell in a text report.
const maxLedgerLines = 3

// ledger prints the balance and the largest losses.
func (p *page) ledger(l *result.Ledger) {
	if l == nil {
		return
	}
	p.wrapped(p.dim("  - "), ledgerLine(l))
	rows := ledgerRows(l)
	for i, r := range rows {
		if i == maxLedgerLines && len(rows) > maxLedgerLines+1 {
			p.line("      and %d smaller ones, in the other formats", len(rows)-i)
			return
		}
		p.wrapped(fmt.Sprintf("    %8s of the lost  ", r.OfLost), r.name()+": "+r.Meaning)
	}
}

func markdownLedger(b *bytes.Buffer, l *result.Ledger) {
	if l == nil {
		return
	}
	fmt.Fprintf(b, "\n%s %s\n\n", markdownText(ledgerLine(l)), markdownText(ledgerNote))
	var rows [][]string
	for _, r := range ledgerRows(l) {
		rows = append(rows, []string{r.Frames, r.OfLost, r.Reason, r.Where, r.Side, r.Place, r.Meaning})
	}
	markdownTable(b, []column{{"Frames", true}, {"Of the lost", true}, {"Reason", false}, {"Device", false}, {"Whose", false}, {"Place", false}, {"Meaning", false}}, rows)
	rows = nil
	for _, c := range l.Counters {
		rows = append(rows, []string{Thousands(c.Frames), c.Name, c.Device, strings.Join(c.Explains, ", ")})
	}
	if len(rows) > 0 {
		b.WriteString("\nCounters of the kernel that grew meanwhile. They tell of the same frames in other words and are not added up:\n\n")
		markdownTable(b, []column{{"Growth", true}, {"Counter", false}, {"Device", false}, {"Explains", false}}, rows)
	}
}
