package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestReportFormats(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	storedRun(t, dir, 700_000)
	text, errs, code := command("report", dir)
	if code != exitMeasured || errs != "" || !strings.Contains(text, "0.700") || strings.Contains(text, "\x1b") {
		t.Errorf("text: exit %d, %q\n%s", code, errs, text)
	}
	csv, _, _ := command("report", dir, "-f", "csv")
	if !strings.HasPrefix(csv, "run_id,") {
		t.Errorf("csv: %.60q", csv)
	}
	data, _, _ := command("report", dir, "--format", "json")
	if !json.Valid([]byte(data)) {
		t.Errorf("json: %.60q", data)
	}
	page, _, _ := command("report", dir, "--format", "html", "--output", "-")
	if !strings.HasPrefix(page, "<!") {
		t.Errorf("html on standard output: %.60q", page)
	}
}

func TestReportFiles(t *testing.T) {
	home := t.TempDir()
	dir := filepath.Join(home, "run")
	storedRun(t, dir, 700_000)
	holds := func(path, start string) {
		t.Helper()
		data, err := os.ReadFile(path)
		if err != nil || !strings.HasPrefix(string(data), start) {
			t.Errorf("%s: %v, begins with %.40q", path, err, data)
		}
	}
	out, errs, code := command("report", dir, "--format", "html")
	if code != exitMeasured || out != "" || !strings.Contains(errs, "report.html") {
		t.Errorf("exit %d, stdout %q, stderr %q", code, out, errs)
	}
	holds(filepath.Join(dir, "report.html"), "<!")

	named := filepath.Join(home, "named.md")
	command("report", dir, "--format", "markdown", "--output", named)
	holds(named, "#")

	folder := filepath.Join(home, "new", "folder")
	if _, errs, code := command("report", dir, "--format", "csv,json", "--format", "html", "--output", folder); code != exitMeasured {
		t.Errorf("exit %d: %s", code, errs)
	}
	holds(filepath.Join(folder, "report.csv"), "run_id,")
	holds(filepath.Join(folder, "report.json"), "{")
	holds(filepath.Join(folder, "report.html"), "<!")

	if _, errs, code := command("report", dir, "--output", filepath.Join(home, "missing", "x.txt")); code != exitCannot || !strings.Contains(errs, "--output") {
		t.Errorf("a folder that is missing: exit %d: %s", code, errs)
	}
	if left, _ := filepath.Glob(filepath.Join(home, ".*")); len(left) > 0 {
		t.Errorf("temporary files are left: %v", left)
	}
}

func TestReportTakesTheNewestRun(t *testing.T) {
	t.Chdir(t.TempDir())
	if _, errs, code := command("report"); code != exitBadPlan || !strings.Contains(errs, "linerate bench") {
		t.Errorf("without a run: exit %d: %s", code, errs)
	}
	storedRun(t, "runs/a-newer", 800_000)
	storedRun(t, "runs/b-older", 300_000)
	old := time.Now().Add(-time.Hour)
	if err := os.Chtimes("runs/b-older/run.json", old, old); err != nil {
		t.Fatal(err)
	}
	out, errs, code := command("report")
	if code != exitMeasured || !strings.Contains(out, "0.800") || strings.Contains(out, "0.300") {
		t.Errorf("exit %d: %s\n%s", code, errs, out)
	}
}

func TestReplaceFileWritesToADevice(t *testing.T) {
	if err := replaceFile("/dev/null", []byte("x")); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat("/dev/null")
	if err != nil || info.Mode().IsRegular() {
		t.Fatalf("/dev/null was replaced: %v %v", info, err)
	}
}

func TestCompare(t *testing.T) {
	home := t.TempDir()
	a, b := filepath.Join(home, "a"), filepath.Join(home, "b")
	storedRun(t, a, 400_000)
	storedRun(t, b, 500_000)
	out, errs, code := command("compare", a, b)
	if code != exitMeasured || !strings.Contains(out, "1.250") {
		t.Errorf("exit %d: %s\n%s", code, errs, out)
	}
}

func TestSummaryIsTheStartOfTheTextReport(t *testing.T) {
	home := t.TempDir()
	dir := filepath.Join(home, "it's a run")
	storedRun(t, dir, 700_000)
	run, _, err := openRun(dir)
	if err != nil {
		t.Fatal(err)
	}
	var out, errs strings.Builder
	f := benchFlags{html: true}
	if err := f.conclude(run, dir, &out, &errs); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"Throughput\n", "0.700", "dut-bound", "saved ", "report.html", `'\''`} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the summary lacks %q:\n%s", want, out.String())
		}
	}
	for _, not := range []string{"\nCells\n", "\nEnvironment\n", "Repeat it"} {
		if strings.Contains(out.String(), not) {
			t.Errorf("the summary goes on to %q:\n%s", not, out.String())
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "report.html")); err != nil {
		t.Error(err)
	}
	full, _, _ := command("report", dir)
	if !strings.Contains(full, "\nCells\n") || !strings.Contains(full, "\nEnvironment\n") {
		t.Errorf("the text report has other headings than the summary looks for:\n%s", full)
	}

	out.Reset()
	f = benchFlags{json: true}
	if err := f.conclude(run, dir, &out, &errs); err != nil {
		t.Fatal(err)
	}
	stored, err := os.ReadFile(filepath.Join(dir, "run.json"))
	if err != nil || out.String() != string(stored) {
		t.Errorf("--json prints %.60q and not run.json (%v)", out.String(), err)
	}
	if !strings.Contains(errs.String(), "saved ") {
		t.Errorf("--json does not say where the run is: %q", errs.String())
	}
}
