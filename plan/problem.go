package plan

import (
	"fmt"
	"sort"
	"strings"
)

// Problem is one thing wrong with a plan, and where.
type Problem struct {
	// Source is the plan's file, or the flag: "--set traffic.flows=0". Empty for a plan made in Go.
	Source string
	// Line and Column count from 1; both are 0 when the problem has no place in a file.
	Line, Column int
	// Path is the field's, as --set takes it: "traffic.flows[0]".
	Path string
	// Text says what is wrong; Hint, when there is one, says what to do.
	Text, Hint string
	// related is the path of another field that takes part in the problem.
	related string
}

// String is the problem on one line:
// "baseline.yaml:12:5: traffic.flows[0]: 0 flows: a cell needs 1 to 1,000,000 flows".
func (p Problem) String() string {
	place := p.Source
	if p.Line > 0 {
		place = strings.TrimPrefix(fmt.Sprintf("%s:%d:%d", p.Source, p.Line, p.Column), ":")
	}
	text := p.Text
	if p.Hint != "" {
		text += "; " + p.Hint
	}
	for _, before := range []string{p.Path, place} {
		if before != "" {
			text = before + ": " + text
		}
	}
	return text
}

// Problems is everything wrong with a plan. As an error it is returned as
// *Problems: take it with errors.As.
type Problems []Problem

// Error holds one line for each of the first hundred problems, and how many are left.
func (ps Problems) Error() string {
	const most = 100
	lines := make([]string, 0, min(len(ps), most+1))
	for i, p := range ps {
		if i == most {
			lines = append(lines, fmt.Sprintf("and %s more problems", grouped(int64(len(ps)-most))))
			break
		}
		lines = append(lines, p.String())
	}
	return strings.Join(lines, "\n")
}

// err is nil when there is no problem.
func (ps Problems) err() error {
	if len(ps) == 0 {
		return nil
	}
	return &ps
}

// sortByPlace puts the problems in the order of the file; those without a line come last.
func (ps Problems) sortByPlace() {
	sort.SliceStable(ps, func(i, j int) bool {
		a, b := ps[i], ps[j]
		if (a.Line == 0) != (b.Line == 0) {
			return b.Line == 0
		}
		if a.Line != b.Line {
			return a.Line < b.Line
		}
		return a.Column < b.Column
	})
}

// valueError is why a text is not a value of its type. Parse and Set turn it into a Problem.
type valueError struct{ text, hint string }

func (e *valueError) Error() string { return Problem{Text: e.text, Hint: e.hint}.String() }

func badValue(hint, format string, args ...any) error {
	return &valueError{text: fmt.Sprintf(format, args...), hint: hint}
}

// shown is text from a user, quoted and cut to a length that fits into a message.
func shown(text string) string {
	const most = 60
	if r := []rune(text); len(r) > most {
		text = string(r[:most-1]) + "…"
	}
	return fmt.Sprintf("%q", text)
}
