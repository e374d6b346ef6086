package report

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/linerate/linerate/result"
)

// sweepSentence names the value beyond which nothing is gained.
func sweepSentence(s result.Sweep, c result.Curve) string {
	where := ""
	if len(s.Curves) > 1 {
		where = c.Title + ": "
	}
	margin := Percent(c.MarginRatio)
	figure := figureWords(s.Figure, c.LoadPPS)
	switch best, ok := pointOf(c, c.BestValue); {
	case !ok:
		return where + fmt.Sprintf("The sweep of %s was not finished: what is shown has fewer repeats than planned, and no value is called the best.", s.Field)
	case c.Flat:
		return where + fmt.Sprintf("%s makes no difference here: no value is better than another by more than %s (the %s is %s Mpps at %s).", s.Field, margin, figure, Mpps(best.EstimatePPS), best.Value)
	case !numbers(s.Values):
		return where + fmt.Sprintf("The highest %s is that of %s=%s, with %s Mpps.", figure, s.Field, best.Value, Mpps(best.EstimatePPS))
	case c.EnoughValue == s.Values[len(s.Values)-1]:
		return where + fmt.Sprintf("The %s still rises at the last value, %s=%s, with %s Mpps: try values beyond it.", figure, s.Field, best.Value, Mpps(best.EstimatePPS))
	default:
		enough, _ := pointOf(c, c.EnoughValue)
		beyond := "Beyond %s=%s nothing is gained"
		if c.EnoughValue == s.Values[0] {
			beyond = "Nothing is gained over %s=%s"
		}
		text := where + fmt.Sprintf(beyond+": the %s is %s Mpps there, and no later value is better by more than %s", s.Field, enough.Value, figure, Mpps(enough.EstimatePPS), margin)
		if lost := losing(s, c); len(lost) > 0 {
			text += "; " + strings.Join(lost, " and ") + " " + map[bool]string{true: "is", false: "are"}[len(lost) == 1] + " worse again"
		}
		return text + "."
	}
}

// numbers tells whether all values are numbers, with or without a unit: only then one
// lies beyond another.
func numbers(values []string) bool {
	return !slices.ContainsFunc(values, func(v string) bool { return v == "" || v[0] < '0' || v[0] > '9' })
}

// losing are the values behind the one that is enough that are not as good.
func losing(s result.Sweep, c result.Curve) []string {
	var list []string
	behind := false
	for _, p := range c.Points {
		if behind && !p.AsGood {
			list = append(list, fmt.Sprintf("%s (%s Mpps)", p.Value, Mpps(p.EstimatePPS)))
		}
		behind = behind || p.Value == c.EnoughValue
	}
	return list
}

func pointOf(c result.Curve, value string) (result.CurvePoint, bool) {
	for _, p := range c.Points {
		if p.Value == value && value != "" {
			return p, true
		}
	}
	return result.CurvePoint{}, false
}

// sweepBarColumns is the width of a bar in text.
const sweepBarColumns = 20

// sweepRows are the values with their intervals and a bar from zero.
func sweepRows(s result.Sweep, c result.Curve) (columns []column, rows [][]string) {
	columns = []column{{s.Field, numbers(s.Values)}, {"Mpps", true}, {"95 % interval", false}, {"to the best", true}, {"", false}, {"repeats, Mpps", false}}
	highest := 0.0
	for _, p := range c.Points {
		highest = max(highest, p.EstimatePPS)
	}
	for _, p := range c.Points {
		row := []string{p.Value, "-", "-", "-", "", ""}
		var repeats []string
		for _, v := range p.PPS {
			repeats = append(repeats, Mpps(v))
		}
		row[5] = strings.Join(repeats, " ")
		if p.Skipped != "" {
			row[5] = "no figure: see the note"
		}
		if p.Disturbed > 0 {
			row[5] += fmt.Sprintf(" (%d disturbed)", p.Disturbed)
		}
		if p.EstimatePPS > 0 {
			row[1] = Mpps(p.EstimatePPS)
			row[4] = strings.Repeat("█", max(1, int(p.EstimatePPS/highest*sweepBarColumns+0.5)))
		}
		if p.IntervalHighPPS > 0 {
			row[2] = Mpps(p.IntervalLowPPS) + " to " + Mpps(p.IntervalHighPPS)
			row[3] = "best"
			if p.Value != c.BestValue && p.GainRatio >= 1e-6 {
				row[3] = "-" + Percent(1-1/(1+p.GainRatio))
			}
		}
		rows = append(rows, row)
	}
	return columns, rows
}

func sweepNote(s result.Sweep, c result.Curve) string {
	measured, without := 0, ""
	for _, p := range c.Points {
		if p.Skipped == "" {
			measured++
			continue
		}
		without += " " + sentence(fmt.Sprintf("%s = %s has no figure: %s", s.Field, p.Value, p.Skipped))
	}
	return fmt.Sprintf("Each value %s times, in an order drawn anew for each repeat. The intervals come from the scatter of all values together; by chance alone the best of %d equal values would seem better than another by up to %s.",
		strconv.Itoa(s.RepeatsPlanned), measured, Percent(c.NoiseFloorRatio)) + without
}

// sweepCurves prints the curves; nothing for a run without a sweep.
func (p *page) sweepCurves(run *result.Run) {
	if run.Sweep == nil {
		return
	}
	for _, c := range run.Sweep.Curves {
		p.heading(fmt.Sprintf("%s, Mpps per direction: %s", run.Sweep.Field, c.Title))
		columns, rows := sweepRows(*run.Sweep, c)
		p.table(columns, rows, nil)
		p.wrapped(p.dim("* "), sweepNote(*run.Sweep, c))
	}
}

func markdownSweep(b *bytes.Buffer, run *result.Run) {
	if run.Sweep == nil {
		return
	}
	for _, c := range run.Sweep.Curves {
		fmt.Fprintf(b, "\n## %s: %s\n\n", markdownText(run.Sweep.Field), markdownText(c.Title))
		columns, rows := sweepRows(*run.Sweep, c)
		markdownTable(b, columns, rows)
		fmt.Fprintf(b, "\n%s\n", markdownText(sweepNote(*run.Sweep, c)))
	}
}
