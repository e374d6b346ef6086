package report

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/linerate/linerate/result"
)

var update = flag.Bool("update", false, "write the golden files anew")

// golden compares got with testdata/name.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Equal(got, want) {
		return
	}
	g, w := bytes.Split(got, []byte("\n")), bytes.Split(want, []byte("\n"))
	for i := 0; i < min(len(g), len(w)); i++ {
		if !bytes.Equal(g[i], w[i]) {
			t.Fatalf("%s differs in line %d:\n got %s\nwant %s\nrun 'go test ./report -update' and review the change", path, i+1, g[i], w[i])
		}
	}
	t.Fatalf("%s has %d lines, got %d", path, len(w), len(g))
}

func written(t *testing.T, w Writer, run *result.Run, trials []result.Trial) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := w.Write(&b, run, trials); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestGoldenReports(t *testing.T) {
	run, trials := fixture()
	files := map[string]string{"text": "report.txt", "markdown": "report.md", "csv": "report.csv", "json": "report.json", "html": "report.html"}
	for _, format := range Formats() {
		t.Run(format, func(t *testing.T) {
			w, err := For(format)
			if err != nil {
				t.Fatal(err)
			}
			golden(t, files[format], written(t, w, run, trials))
		})
	}
	t.Run("text in colour", func(t *testing.T) {
		golden(t, "report.ansi", written(t, Text{Colour: true}, run, trials))
	})
}

func TestGoldenComparison(t *testing.T) {
	a, trials := fixture()
	b, _ := fixture()
	b.ID, b.Started = "20260315-101112-c0de", b.Started.Add(24*time.Hour)
	b.Environment.Kernel = "6.19.0-rc1"
	b.Environment.Sysctls["net.core.netdev_budget"] = "600"
	delete(b.Environment.Offloads, "d1 generic-receive-offload")
	b.Cells[1].Goals[1].ConditionalPPS *= 1.062
	b.Cells[1].CPU = busy(0.99, 1322)
	b.Cells[2].Goals[0].TrialDurationS = 60
	b.Cells[3].Verdict = result.Unstable
	b.Cells[len(b.Cells)-1].ID = "route/v4/1518/10000/uni"
	b.Cells[len(b.Cells)-1].FrameSize = 1518
	var out bytes.Buffer
	if _, err := Compare(&out, []StoredRun{{a, trials}}, []StoredRun{{b, trials}}, CompareOptions{}); err != nil {
		t.Fatal(err)
	}
	golden(t, "compare.txt", out.Bytes())
}
