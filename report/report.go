// Package report turns a stored run into text, Markdown, CSV, JSON and a
// self-contained HTML page, and sets two runs side by side. It reads nothing but
// the run and its trials. Rates are scaled (Mpps, Gbit/s) here and nowhere else.
package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/linerate/linerate/result"
)

// Writer writes one report of a run. The trials are those of the run's
// trials.jsonl; a run is still reported without them, but without its curves.
type Writer interface {
	Write(w io.Writer, run *result.Run, trials []result.Trial) error
}

// Formats are the names that For knows.
func Formats() []string {
	return []string{"text", "markdown", "csv", "json", "html"}
}

// For gives the writer of a format. Text has options of its own: use Text{} to set them.
func For(format string) (Writer, error) {
	switch format {
	case "text":
		return Text{}, nil
	case "markdown":
		return Markdown{}, nil
	case "csv":
		return CSV{}, nil
	case "json":
		return JSON{}, nil
	case "html":
		return HTML{}, nil
	}
	return nil, fmt.Errorf("report format %q is not known: use one of %s", format, strings.Join(Formats(), ", "))
}
