package report

import (
	"fmt"
	"sort"
	"strings"

	"github.com/linerate/linerate/result"
)

// warningCount is all warnings of one code: how many, where, and one of their sentences.
type warningCount struct {
	Code  string `json:"code"`
	Count int    `json:"count"`
	// Runs, Cells and Trials divide Count by the record that holds the warning.
	Runs   int `json:"run"`
	Cells  int `json:"cells"`
	Trials int `json:"trials"`
	// Texts are the different sentences, in the order of the record.
	Texts []string `json:"texts"`
}

// maxTexts bounds the different sentences that are kept of one code: a number in a sentence makes it differ in each trial.
const maxTexts = 3

// where says which records hold the warning.
func (w warningCount) where() string {
	var parts []string
	if w.Runs > 0 {
		parts = append(parts, "the run")
	}
	for _, p := range []struct {
		n    int
		unit string
	}{{w.Cells, "cell"}, {w.Trials, "trial"}} {
		if p.n == 1 {
			parts = append(parts, "1 "+p.unit)
		}
		if p.n > 1 {
			parts = append(parts, fmt.Sprintf("%d %ss", p.n, p.unit))
		}
	}
	return strings.Join(parts, ", ")
}

type warningTally struct {
	byCode map[string]*warningCount
	order  []string
}

func (t *warningTally) add(w result.Warning, count func(*warningCount)) {
	c := t.byCode[w.Code]
	if c == nil {
		c = &warningCount{Code: w.Code}
		if t.byCode == nil {
			t.byCode = map[string]*warningCount{}
		}
		t.byCode[w.Code] = c
		t.order = append(t.order, w.Code)
	}
	c.Count++
	count(c)
	for _, text := range c.Texts {
		if text == w.Text {
			return
		}
	}
	if len(c.Texts) < maxTexts {
		c.Texts = append(c.Texts, w.Text)
	}
}

// counts lists the most frequent code first, equal ones in the order of the record.
func (t *warningTally) counts() []warningCount {
	var all []warningCount
	for _, code := range t.order {
		all = append(all, *t.byCode[code])
	}
	sort.SliceStable(all, func(i, j int) bool { return all[i].Count > all[j].Count })
	return all
}

func ofRun(c *warningCount)   { c.Runs++ }
func ofCell(c *warningCount)  { c.Cells++ }
func ofTrial(c *warningCount) { c.Trials++ }

// countWarnings counts those of one cell and its trials.
func countWarnings(cell []result.Warning, trials []result.Trial) []warningCount {
	var t warningTally
	for _, w := range cell {
		t.add(w, ofCell)
	}
	for _, trial := range trials {
		for _, w := range trial.Warnings {
			t.add(w, ofTrial)
		}
	}
	return t.counts()
}

// allWarnings counts those of the run, its cells and its trials.
func allWarnings(run *result.Run, trials []result.Trial) []warningCount {
	var t warningTally
	for _, w := range run.Warnings {
		t.add(w, ofRun)
	}
	for _, c := range run.Cells {
		for _, w := range c.Warnings {
			t.add(w, ofCell)
		}
	}
	for _, trial := range trials {
		for _, w := range trial.Warnings {
			t.add(w, ofTrial)
		}
	}
	return t.counts()
}
