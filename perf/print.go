package main

import (
	"encoding/json"
	"fmt"
	"io"
	"runtime"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/linerate/linerate/internal/kernel"
)

// schema names the JSON that --json prints.
const schema = "linerate.perf/v1"

const textWidth = 100

// writeText prints one table: heading, aligned columns, notes, targets.
func writeText(w io.Writer, t *table) {
	fmt.Fprintf(w, "\n%s\n", strings.ToUpper(t.Name))
	for _, part := range [][2]string{{"compared: ", t.Compared}, {"wanted:   ", t.Wanted}} {
		writeWrapped(w, "  "+part[0], part[1])
	}
	fmt.Fprintln(w)
	writeRows(w, t)
	for _, n := range t.Notes {
		writeWrapped(w, "  note: ", n)
	}
	if t.Error != "" {
		writeWrapped(w, "  broken off: ", t.Error)
	}
	for _, g := range t.Targets {
		writeWrapped(w, "  => ", g.String())
	}
}

// writeRows aligns text to the left and figures to the right.
func writeRows(w io.Writer, t *table) {
	cells := make([][]string, 0, len(t.rows)+1)
	head := make([]string, len(t.columns))
	left := make([]bool, len(t.columns))
	for i, c := range t.columns {
		head[i] = c.title
		left[i] = strings.HasSuffix(c.format, "s")
	}
	cells = append(cells, head)
	for _, r := range t.rows {
		line := make([]string, len(r))
		for i, v := range r {
			line[i] = "-"
			if v != nil {
				line[i] = fmt.Sprintf(t.columns[i].format, v)
			}
		}
		cells = append(cells, line)
	}
	widths := make([]int, len(t.columns))
	for _, r := range cells {
		for i, c := range r {
			widths[i] = max(widths[i], utf8.RuneCountInString(c))
		}
	}
	for _, r := range cells {
		var b strings.Builder
		for i, c := range r {
			pad := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(c))
			if left[i] {
				b.WriteString("  " + c + pad)
			} else {
				b.WriteString("  " + pad + c)
			}
		}
		fmt.Fprintln(w, strings.TrimRight(b.String(), " "))
	}
}

// writeWrapped prints text behind a label, later lines below its beginning.
func writeWrapped(w io.Writer, label, text string) {
	line := label
	indent := strings.Repeat(" ", utf8.RuneCountInString(label))
	for i, word := range strings.Fields(text) {
		if i > 0 && utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > textWidth {
			fmt.Fprintln(w, line)
			line = indent + word
			continue
		}
		if i > 0 {
			line += " "
		}
		line += word
	}
	fmt.Fprintln(w, line)
}

// document is what --json prints.
type document struct {
	Schema  string    `json:"schema"`
	Started time.Time `json:"started"`
	Kernel  string    `json:"kernel"`
	CPUs    int       `json:"cpus"`
	Seed    uint64    `json:"seed"`
	Short   bool      `json:"short"`
	Lines   []*table  `json:"lines"`
}

func newDocument(seed uint64, short bool) document {
	return document{Schema: schema, Started: time.Now().UTC(), Kernel: kernel.Release(), CPUs: runtime.NumCPU(), Seed: seed, Short: short, Lines: []*table{}}
}

func (d document) write(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(d)
}
