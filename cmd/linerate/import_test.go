package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/linerate/linerate/result"
)

// Outputs of the programs as they printed them.
const (
	iperf3Samples = "../../workload/iperf3/testdata/"
	iperfSamples  = "../../workload/iperf/testdata/"
)

// importing runs `linerate import` into a new folder and returns the run.
func importing(t *testing.T, args ...string) (run *result.Run, folder, out string) {
	t.Helper()
	folder = filepath.Join(t.TempDir(), "run")
	out, errs, code := command(append([]string{"import", "--out", folder}, args...)...)
	if code != exitMeasured || errs != "" {
		t.Fatalf("import %v: exit %d: %s", args, code, errs)
	}
	data, err := os.ReadFile(filepath.Join(folder, "run.json"))
	if err != nil {
		t.Fatal(err)
	}
	run = &result.Run{}
	if err := json.Unmarshal(data, run); err != nil {
		t.Fatal(err)
	}
	return run, folder, out
}

func TestImportOfEveryProgram(t *testing.T) {
	dir := t.TempDir()
	pktgen, trex := filepath.Join(dir, "eth2"), filepath.Join(dir, "trex.json")
	for file, text := range map[string]string{
		pktgen: "Params: count 0\n     flows: 16 flowlen: 1\nResult: OK: 5331004(c5330000+d1004) usec, 17662390 (60byte,0frags)\n  3313141pps 1590Mb/sec (1590307680bps) errors: 0\n",
		trex:   `{"0": {"opackets": 1000000, "obytes": 64000000, "tx_pps": 500000.0}, "1": {"ipackets": 600000}, "total": {}, "global": {}}`,
	} {
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct{ file, id, shows string }{
		{iperf3Samples + "iperf3-tcp-P5-client.json", "route/ipv4/iperf3-tcp/5streams", "17.75"},
		{iperf3Samples + "iperf3-tcp-P5-R-client.json", "route/ipv4/iperf3-tcp-reverse/5streams", "15.91"},
		{iperf3Samples + "iperf3-tcp-P2-bidir-client.json", "route/ipv4/iperf3-tcp-bidir/2streams", "12.72"},
		{iperf3Samples + "iperf3-udp-P8-l36-b0-client.json", "route/ipv4/iperf3-udp/8streams", "0.0915"},
		{iperf3Samples + "iperf3-udp-P1-R-client.json", "route/ipv4/iperf3-udp-reverse/1streams", "9.63 %"},
		{iperfSamples + "iperf2-udp-P8-server.csv", "route/ipv4/iperf-udp/8streams", "0.0829"},
		{iperfSamples + "iperf2-tcp-P4-server.txt", "route/ipv4/iperf-tcp/4streams", "31.25"},
		{pktgen, "route/ipv4/64B/16f/uni", "what arrived of it is not known"},
		{trex, "route/ipv4/64B/1f/uni", "0.300 Mpps arrived of the 0.500 Mpps that trex sent (40 % lost)"},
	} {
		run, folder, out := importing(t, tt.file, "--scenario", "route")
		if len(run.Cells) != 1 || run.Cells[0].ID != tt.id || !run.Cells[0].HasResults() || run.Testbed.Kind != "imported" {
			t.Errorf("%s: cells %+v, testbed %s; want %s", tt.file, run.Cells, run.Testbed.Kind, tt.id)
		}
		for _, want := range []string{tt.shows, "linerate report " + folder} {
			if !strings.Contains(strings.Join(strings.Fields(out), " "), want) {
				t.Errorf("%s: %q is not in what is printed:\n%s", tt.file, want, out)
			}
		}
		if strings.Contains(out, "line rate") || strings.Contains(out, "lower bound: the tester") {
			t.Errorf("%s: the figure of another program is called a throughput:\n%s", tt.file, out)
		}
		stored, err := os.ReadFile(filepath.Join(folder, "imported", "1-"+filepath.Base(tt.file)))
		original, _ := os.ReadFile(tt.file)
		if err != nil || string(stored) != string(original) {
			t.Errorf("%s is not kept as it was: %v", tt.file, err)
		}
	}
}

func TestImportsOfOneIdentity(t *testing.T) {
	file := iperf3Samples + "iperf3-tcp-P5-client.json"
	run, _, _ := importing(t, file, file, file)
	var ids []string
	for _, c := range run.Cells {
		ids = append(ids, c.ID)
	}
	const first = "imported/ipv4/iperf3-tcp/5streams"
	if got, want := strings.Join(ids, " "), first+" "+first+"/no-2 "+first+"/no-3"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestImportRefuses(t *testing.T) {
	dir := t.TempDir()
	notes, empty := filepath.Join(dir, "notes.md"), filepath.Join(dir, "empty")
	os.WriteFile(notes, []byte("# what I saw\nit was fast\n"), 0o644)
	os.WriteFile(empty, nil, 0o644)
	missing := filepath.Join(dir, "none.json")
	out := filepath.Join(dir, "run")
	good := iperf3Samples + "iperf3-tcp-P5-client.json"
	_, errs, code := command("import", good, notes, empty, missing, dir, iperf3Samples+"iperf3-refused.json", iperf3Samples+"iperf3-udp-P1-R-server.json", "--out", out)
	if code != exitBadPlan {
		t.Errorf("exit %d, want %d", code, exitBadPlan)
	}
	for _, want := range []string{
		notes + ": it is none of the outputs that are known", "/proc/net/pktgen/DEVICE", "`linerate import --help`",
		empty + ": it is empty", missing + ": no such file", dir + ": it is a folder", "Connection refused", "take the client's",
	} {
		if !strings.Contains(errs, want) {
			t.Errorf("%q is not in the error:\n%s", want, errs)
		}
	}
	if _, err := os.Stat(out); err == nil {
		t.Error("a run was stored although files could not be read")
	}
	for _, tt := range []struct {
		args []string
		want string
	}{
		{[]string{"import"}, "needs the files of outputs"},
		{[]string{"import", good, "--scenario", "rout"}, "did you mean route"},
		{[]string{"import", good, "--name", "a/b"}, "--name"},
	} {
		if _, errs, code := command(tt.args...); code != exitBadPlan || !strings.Contains(errs, tt.want) {
			t.Errorf("%v: exit %d: %s; want %q", tt.args, code, errs, tt.want)
		}
	}
}

// TestImportBesideARun reports an import in every format and compares it with another one,
// and with a run of linerate's own.
func TestImportBesideARun(t *testing.T) {
	_, a, _ := importing(t, iperf3Samples+"iperf3-tcp-P5-client.json", "--scenario", "route")
	run, b, _ := importing(t, iperf3Samples+"iperf3-tcp-P5-server.json", "--scenario", "route")
	out, errs, code := command("compare", a, b)
	if code != exitMeasured || !strings.Contains(out, "payload, Gbit/s") || !strings.Contains(out, "1.000") {
		t.Errorf("exit %d: %s\n%s", code, errs, out)
	}
	data, _, _ := command("report", b, "--format", "json")
	var r struct {
		Run     result.Run `json:"run"`
		Derived struct {
			Headline []string `json:"headline"`
		} `json:"derived"`
	}
	if err := json.Unmarshal([]byte(data), &r); err != nil || len(r.Run.Cells) != 1 || r.Run.Cells[0].TotalReceiverL4BPS != run.Cells[0].TotalReceiverL4BPS || len(r.Derived.Headline) == 0 {
		t.Errorf("json: %v, %+v", err, r.Derived)
	}
	for format, want := range map[string]string{"markdown": "17.75", "csv": ",iperf3-tcp,5,total,", "html": "17.75"} {
		if text, _, _ := command("report", b, "--format", format, "--output", "-"); !strings.Contains(text, want) {
			t.Errorf("%s lacks %q", format, want)
		}
	}
	own := filepath.Join(t.TempDir(), "own")
	storedRun(t, own, 700_000)
	out, errs, code = command("compare", own, b)
	for _, want := range []string{"no cell in common", "Cells in A only", "Cells in B only", "17.75 Gbit/s"} {
		if code != exitMeasured || !strings.Contains(out, want) {
			t.Errorf("beside a run of its own: exit %d, %q is missing: %s\n%s", code, want, errs, out)
		}
	}
}
