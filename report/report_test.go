package report

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/linerate/linerate/plan"
	"github.com/linerate/linerate/result"
)

func TestForRefusesAnUnknownFormat(t *testing.T) {
	if _, err := For("pdf"); err == nil || !strings.Contains(err.Error(), "markdown") {
		t.Errorf("error %v must list the formats", err)
	}
}

// TestEveryFormatOfAnEmptyRun writes runs that ended before anything was measured.
func TestEveryFormatOfAnEmptyRun(t *testing.T) {
	runs := map[string]*result.Run{
		"empty":      {},
		"no cells":   {ID: "x", Outcome: result.Failed, Error: "no root", Started: fixtureStart},
		"bare cell":  {Outcome: result.Interrupted, Cells: []result.Cell{{ID: "a"}}},
		"empty goal": {Cells: []result.Cell{{ID: "a", Goals: []result.Goal{{}}, CPU: &result.CPU{PerCore: []result.Core{{}}}, Latency: &result.Latency{}}}},
	}
	for name, run := range runs {
		for _, format := range Formats() {
			w, err := For(format)
			if err != nil {
				t.Fatal(err)
			}
			out := string(written(t, w, run, []result.Trial{{Cell: "a"}, {Cell: "elsewhere"}}))
			out, _, _ = strings.Cut(out, "<script>")
			for _, bad := range []string{"NaN", "+Inf", "%!", "<nil>"} {
				if strings.Contains(out, bad) {
					t.Errorf("%s of %s prints %s", format, name, bad)
				}
			}
			if run.Error != "" && format != "csv" && !strings.Contains(out, run.Error) {
				t.Errorf("%s of %s does not say why the run failed", format, name)
			}
		}
	}
}

// TestHostileTextIsEscaped puts markup into every text that comes from outside.
func TestHostileTextIsEscaped(t *testing.T) {
	const evil = `</style></script><script>alert(1)</script>"><img src=http://x.example/a onerror=alert(2)>`
	run, trials := fixture()
	run.Plan.Name, run.Plan.Description, run.ID, run.Command = evil, evil, evil, []string{evil}
	run.Environment.Kernel, run.Environment.KernelCmdline = evil, evil
	run.Environment.Sysctls[evil] = evil
	run.Warnings = append(run.Warnings, result.Warning{Code: evil, Text: evil})
	run.Outcome, run.Error = result.Failed, evil
	run.Testbed.Links = []string{evil}
	for i := range run.Cells {
		c := &run.Cells[i]
		c.Scenario, c.Backend, c.Setup, c.Evidence = evil, evil, []string{evil}, []string{evil}
		c.Verdict, c.Engine = result.Verdict(evil), evil
		if c.Skipped != "" {
			c.Skipped = evil
		}
		for g := range c.Goals {
			c.Goals[g].Name, c.Goals[g].Reason = evil, evil
		}
		if c.CPU != nil {
			c.CPU.PerCore[0].Role = evil
		}
	}
	trials[0].Warnings = []result.Warning{{Code: evil, Text: evil}}
	trials[0].Purpose = result.Purpose(evil)
	page := string(written(t, HTML{}, run, trials))
	if strings.Contains(page, "<script>alert") || strings.Contains(page, "<img") {
		t.Error("markup of the record reached the page")
	}
	if n := strings.Count(page, "<script"); n != 1 {
		t.Errorf("%d scripts in the page, want its own only", n)
	}
	if n := strings.Count(page, "</style>"); n != 1 {
		t.Errorf("%d ends of a style in the page", n)
	}
	if md := string(written(t, Markdown{}, run, trials)); strings.Contains(withoutCode(md), "<script>") {
		t.Error("markup of the record reached the Markdown")
	}
}

// withoutCode takes fenced blocks away: their text is shown as it is.
func withoutCode(md string) string {
	var kept []string
	fenced := false
	for _, l := range strings.Split(md, "\n") {
		if strings.HasPrefix(l, "```") {
			fenced = !fenced
		} else if !fenced {
			kept = append(kept, l)
		}
	}
	return strings.Join(kept, "\n")
}

func TestMarkdownCodeBlockCannotBeLeft(t *testing.T) {
	var b bytes.Buffer
	codeBlock(&b, "sh", "echo\n```\n# out\n")
	if !strings.HasPrefix(b.String(), "````sh\n") || !strings.HasSuffix(b.String(), "\n````\n") {
		t.Errorf("block %q", b.String())
	}
}

func TestTextIsPlainUnlessColourIsAskedFor(t *testing.T) {
	run, trials := fixture()
	plain, colour := written(t, Text{}, run, trials), written(t, Text{Colour: true}, run, trials)
	if bytes.Contains(plain, []byte("\x1b")) || !bytes.Contains(colour, []byte("\x1b[")) {
		t.Error("colour does not follow the option")
	}
	for i, l := range strings.Split(string(plain), "\n") {
		if n := len([]rune(l)); n > defaultWidthColumns {
			t.Errorf("line %d has %d columns: %s", i+1, n, l)
		}
	}
}

func TestSummaryIsTheStartOfTheText(t *testing.T) {
	run, trials := fixture()
	for _, colour := range []bool{false, true} {
		whole := string(written(t, Text{Colour: colour}, run, trials))
		summary := string(written(t, Text{Colour: colour, SummaryOnly: true}, run, trials))
		rest, found := strings.CutPrefix(whole, summary)
		if !found || !strings.Contains(summary, "Throughput") || !strings.Contains(summary, "was skipped: ") || !strings.Contains(rest, "DUT cores needed") || !strings.Contains(rest, "Cells") {
			t.Errorf("colour %v: the summary is\n%s", colour, summary)
		}
	}
}

// TestRepeatedTrialIsToldApart has a trial that the search never saw.
func TestRepeatedTrialIsToldApart(t *testing.T) {
	run, trials := fixture()
	with := string(written(t, HTML{}, run, trials))
	var counted []result.Trial
	for _, trial := range trials {
		if trial.Discarded == "" {
			counted = append(counted, trial)
		}
	}
	without := string(written(t, HTML{}, run, counted))
	for _, mark := range []string{`class="mark trial discarded"`, "repeated, not counted: 12.9 % of the frames were not sent</small>"} {
		if strings.Count(with, mark) != 1 || strings.Contains(without, mark) {
			t.Errorf("%s: %d times with such a trial, %d without", mark, strings.Count(with, mark), strings.Count(without, mark))
		}
	}
	if !strings.Contains(with, "</i>repeated, not counted</span>") {
		t.Error("the legend does not explain the mark")
	}
	d := digestOf(run, trials)
	a, b := lossChartOf(d.Cells[1], 1), lossChartOf(digestOf(run, counted).Cells[1], 1)
	if len(a.Marks) != len(b.Marks)+1 || a.Curve != b.Curve {
		t.Errorf("a repeated trial moved the curve, or has no mark: %d and %d marks", len(a.Marks), len(b.Marks))
	}
}

func TestCSVHasOneRowForEachCellAndGoal(t *testing.T) {
	run, trials := fixture()
	rows, err := csv.NewReader(bytes.NewReader(written(t, CSV{}, run, trials))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	want := 1
	for _, c := range run.Cells {
		want += max(1, len(c.Goals))
	}
	if len(rows) != want {
		t.Errorf("%d rows, want %d", len(rows), want)
	}
}

func TestJSONHoldsTheRunAsItIs(t *testing.T) {
	run, trials := fixture()
	var doc struct {
		Schema string
		Run    result.Run
	}
	if err := json.Unmarshal(written(t, JSON{}, run, trials), &doc); err != nil {
		t.Fatal(err)
	}
	if doc.Schema != JSONSchemaV1 || !reflect.DeepEqual(doc.Run.Cells, run.Cells) || doc.Run.ID != run.ID {
		t.Error("the run read back from the JSON report differs")
	}
}

func TestPlanInTheReportCanBeMeasuredAgain(t *testing.T) {
	run, _ := fixture()
	text, err := planYAML(run.Plan)
	if err != nil {
		t.Fatal(err)
	}
	back, err := plan.Parse("report", []byte(text))
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	run.Plan.Complete()
	if !reflect.DeepEqual(back, run.Plan) {
		t.Errorf("read back:\n%+v\nwant:\n%+v\n%s", back, run.Plan, text)
	}
}

type fullDisk struct{}

var errFull = errors.New("no space")

func (fullDisk) Write([]byte) (int, error) { return 0, errFull }

func TestWriteErrorsAreReturned(t *testing.T) {
	run, trials := fixture()
	for _, format := range Formats() {
		w, _ := For(format)
		if err := w.Write(fullDisk{}, run, trials); !errors.Is(err, errFull) {
			t.Errorf("%s: error %v", format, err)
		}
	}
	if _, err := Compare(fullDisk{}, []StoredRun{{Run: run}}, []StoredRun{{Run: run}}, CompareOptions{}); !errors.Is(err, errFull) {
		t.Errorf("compare: error %v", err)
	}
}
