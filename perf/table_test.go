package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the golden files anew")

func sampleTable() *table {
	t := &table{
		Name: "sample", Compared: strings.Repeat("one thing with another ", 6), Wanted: "twice as much",
		columns: []column{{"thing", "thing", "%s"}, {"Mpps", "mpps", "%.2f"}, {"n", "n", "%d"}},
	}
	t.add("a", 1.234, 7)
	t.add("a longer thing", 12.0, nil)
	t.note("the second has no %s", "n")
	t.want(atLeast("a / b", 0.75, 0.8, ""))
	t.want(atMost("|error|", 0.05, 0.1, " %"))
	t.want(unmeasured("c / d", "there is no d"))
	return t
}

func TestTextGolden(t *testing.T) {
	var b bytes.Buffer
	writeText(&b, sampleTable())
	const path = "testdata/table.txt"
	if *update {
		if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if b.String() != string(want) {
		t.Errorf("the table is\n%s\nwant\n%s", b.String(), want)
	}
}

func TestJSON(t *testing.T) {
	d := newDocument(3, true)
	d.Lines = append(d.Lines, sampleTable(), &table{Name: "empty"})
	var b bytes.Buffer
	if err := d.write(&b); err != nil {
		t.Fatal(err)
	}
	var got struct {
		Schema string
		Lines  []struct {
			Name    string
			Rows    []map[string]any
			Notes   []string
			Targets []target
		}
	}
	if err := json.Unmarshal(b.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	if got.Schema != schema || len(got.Lines) != 2 {
		t.Fatalf("read back: %+v", got)
	}
	first, empty := got.Lines[0], got.Lines[1]
	if first.Rows[0]["mpps"] != 1.234 || first.Rows[1]["n"] != nil || len(first.Targets) != 3 {
		t.Errorf("read back: %+v", first)
	}
	if first.Targets[0].Met || !first.Targets[1].Met || first.Targets[2].Met {
		t.Errorf("targets read back: %+v", first.Targets)
	}
	if empty.Rows == nil || empty.Notes == nil || empty.Targets == nil {
		t.Errorf("a program that expects lists finds null: %+v", empty)
	}
}

func TestFigures(t *testing.T) {
	for _, tt := range []struct {
		f      figures
		median float64
	}{{nil, 0}, {figures{3}, 3}, {figures{9, 1}, 5}, {figures{9, 1, 2}, 2}, {figures{4, 1, 3, 2}, 2.5}} {
		if got := tt.f.median(); got != tt.median {
			t.Errorf("median of %v is %g, want %g", tt.f, got, tt.median)
		}
	}
	f := figures{9, -1, 2}
	if f.least() != -1 || f.most() != 9 || f[0] != 9 {
		t.Errorf("%v: least %g, most %g", f, f.least(), f.most())
	}
	if r := (figures{4, 9}).over(figures{2, 3, 5}); len(r) != 2 || r[0] != 2 || r[1] != 3 {
		t.Errorf("ratios are %v", r)
	}
}

func TestChoose(t *testing.T) {
	names := func(list []line) string {
		var b strings.Builder
		for _, l := range list {
			b.WriteString(l.name + " ")
		}
		return b.String()
	}
	for args, want := range map[string]string{
		"":             "sources pacing limit overload search ",
		"cost sources": "sources cost ",
		"all":          "sources pacing limit overload search drawn repeat ledger cost variation ",
	} {
		got, err := choose(strings.Fields(args))
		if err != nil || names(got) != want {
			t.Errorf("%q chooses %q (%v), want %q", args, names(got), err, want)
		}
	}
	if _, err := choose([]string{"speed"}); err == nil || !strings.Contains(err.Error(), "speed") || !strings.Contains(err.Error(), "pacing") {
		t.Errorf("an unknown line gives %v", err)
	}
}

func TestBadArguments(t *testing.T) {
	for _, args := range [][]string{{"speed"}, {"--fast"}} {
		var out, says bytes.Buffer
		if code := execute(args, &out, &says); code != exitBadArgument || says.Len() == 0 || out.Len() > 0 {
			t.Errorf("%v: exit code %d, says %q", args, code, says.String())
		}
	}
}
