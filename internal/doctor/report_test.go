package doctor

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/linerate/linerate/internal/kernel"
	"github.com/linerate/linerate/internal/netns"
	"github.com/linerate/linerate/internal/testenv"
	"github.com/linerate/linerate/result"
	"golang.org/x/sys/unix"
)

var update = flag.Bool("update", false, "write the golden files anew")

// The leader thread must not be the one that a probe takes into a namespace.
func init() { runtime.LockOSThread() }

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("differs from %s (go test -update writes it anew):\n%s", path, got)
	}
}

// fixture is an examination of a machine that does not exist.
func fixture() Report {
	disturbance := []CPUDisturbance{
		summarise(0, true, 900*time.Millisecond, nil),
		summarise(1, true, 900*time.Millisecond, []time.Duration{12 * time.Microsecond, 2345 * time.Microsecond}),
	}
	disturbance[1].StealRatio = 0.034
	environment := result.Environment{OS: "Debian GNU/Linux 12 (bookworm)", Kernel: "6.18.0", Architecture: "x86_64",
		CPUModel: "AMD EPYC 7402P 24-Core Processor", CPUs: 2, MemoryBytes: 8 << 30, Virtualisation: "kvm", Governor: "powersave"}
	warnings := []result.Warning{{Code: "governor", Text: "g"}, {Code: "few-cpus", Text: "f"}, {Code: "virtual-machine", Text: "v"},
		{Code: "mitigations", Text: "the kernel works against CPU vulnerabilities: spectre_v2 (Retpolines)"}}
	r := Report{Schema: SchemaV1, Disturbance: disturbance, Groups: []Group{
		{"kernel", []Row{
			{Name: "root", Status: OK, Need: kernel.ForLab, Detail: "the effective user ID is 0"},
			{Name: "XDP live frames", Status: Missing, Need: kernel.ForLab, Detail: "run an XDP program on one live frame: invalid argument",
				Cost: "nothing can be measured", Fix: "boot Linux 5.18 or later with CONFIG_BPF_SYSCALL and CONFIG_NET, which every large distribution has had for years"},
		}},
		{"machine", append(machineRows(environment, warnings), disturbanceRows(disturbance, nil)...)},
	}}
	r.conclude()
	return r
}

func TestWriteText(t *testing.T) {
	for _, tt := range []struct {
		width  int
		colour bool
	}{{60, false}, {100, false}, {100, true}} {
		var b bytes.Buffer
		if err := fixture().WriteText(&b, tt.colour, tt.width); err != nil {
			t.Fatal(err)
		}
		name := fmt.Sprintf("report_%d.txt", tt.width)
		if tt.colour {
			name = "report_colour.txt"
		} else {
			for line := range strings.Lines(b.String()) {
				if n := utf8.RuneCountInString(strings.TrimRight(line, "\n")); n > tt.width {
					t.Errorf("a line of %d columns on a page of %d: %s", n, tt.width, line)
				}
			}
		}
		golden(t, name, b.Bytes())
	}
}

func TestWriteTextReportsAFullDisk(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	testenv.Need(t, "/dev/full", err)
	defer full.Close()
	if err := fixture().WriteText(full, false, 80); !errors.Is(err, unix.ENOSPC) {
		t.Errorf("error is %v", err)
	}
}

func TestJSONKeys(t *testing.T) {
	b, err := json.MarshalIndent(fixture(), "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "report.json", append(b, '\n'))
}

func TestVerdict(t *testing.T) {
	row := func(s Status, n kernel.Need) Row {
		return Row{Name: "thing", Status: s, Need: n, Detail: "why", Cost: "c", Fix: "f"}
	}
	tests := []struct {
		name string
		rows []Row
		want Verdict
	}{
		{"all there", []Row{row(OK, kernel.ForLab), row(OK, kernel.ForScenario)}, Ready},
		{"nothing to compare with", []Row{row(OK, kernel.ForLab), row(Missing, kernel.ForComparison)}, Ready},
		{"a scenario less", []Row{row(OK, kernel.ForLab), row(Missing, kernel.ForScenario)}, ReadyWithLimits},
		{"doubt", []Row{row(Limited, kernel.ForQuality)}, ReadyWithLimits},
		{"not tried", []Row{row(Limited, kernel.ForLab)}, ReadyWithLimits},
		{"no lab", []Row{row(Missing, kernel.ForLab), row(Missing, kernel.ForScenario)}, NotPossible},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := Report{Groups: []Group{{"all", tt.rows}}}
			r.conclude()
			if r.Verdict != tt.want || r.Summary == "" {
				t.Errorf("%s: %s", r.Verdict, r.Summary)
			}
			var missing *kernel.MissingError
			if errors.As(r.Err(), &missing) != (tt.want == NotPossible) {
				t.Errorf("error is %v", r.Err())
			}
		})
	}
}

const askRows = "LINERATE_TEST_ASK_ROWS"

// TestMain lets the test program be its own child without root.
func TestMain(m *testing.M) {
	if os.Getenv(askRows) == "1" {
		if err := json.NewEncoder(os.Stdout).Encode(kernelRows(kernel.Features())); err != nil {
			panic(err)
		}
		return
	}
	os.Exit(m.Run())
}

func TestWithoutRootNothingElseOfTheLabIsBlamed(t *testing.T) {
	testenv.NeedRoot(t)
	const nobody = 65534
	child := exec.Command("/proc/self/exe")
	child.Env = append(os.Environ(), askRows+"=1")
	child.Dir = "/"
	child.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	out, err := child.Output()
	if err != nil {
		t.Fatal(err)
	}
	var rows []Row
	if err := json.Unmarshal(out, &rows); err != nil {
		t.Fatal(err)
	}
	if len(rows) != len(kernel.Features()) {
		t.Fatalf("%d rows of %d features", len(rows), len(kernel.Features()))
	}
	asRoot := map[string]Status{}
	for _, row := range kernelRows(kernel.Features()) {
		asRoot[row.Name] = row.Status
	}
	for _, row := range rows {
		if row.Name == kernel.Root.Name {
			if row.Status != Missing {
				t.Errorf("root is %s", row.Status)
			}
		} else if row.Status == Missing && asRoot[row.Name] == OK {
			t.Errorf("%s is said to be missing, but only root may try it: %s", row.Name, row.Detail)
		}
	}
}

func TestDisturbanceRows(t *testing.T) {
	rows := disturbanceRows(nil, errors.New("no clock"))
	for _, row := range rows {
		if row.Status != Limited || !strings.Contains(row.Detail, "no clock") {
			t.Errorf("%+v", row)
		}
	}
	calm := []CPUDisturbance{summarise(0, true, time.Second, []time.Duration{15 * time.Microsecond})}
	for _, row := range disturbanceRows(calm, nil) {
		if row.Status != OK || row.Cost != "" {
			t.Errorf("%+v", row)
		}
	}
	limit := []CPUDisturbance{summarise(0, false, time.Second, []time.Duration{pauseLimit}), summarise(1, false, time.Second, []time.Duration{2 * pauseLimit})}
	pauses := disturbanceRows(limit, nil)[1]
	if pauses.Status != Limited || !strings.Contains(pauses.Cost, "400 kpps") || !strings.Contains(pauses.Detail, "CPU 1") || !strings.Contains(pauses.Detail, "without real-time") {
		t.Errorf("%+v", pauses)
	}
}

func TestExamineThisMachine(t *testing.T) {
	testenv.NeedRoot(t)
	r := Examine()
	names := map[string]bool{}
	for _, g := range r.Groups {
		for _, row := range g.Rows {
			names[row.Name] = true
			if row.Detail == "" || strings.Contains(row.Detail, "%!") {
				t.Errorf("row without a detail: %+v", row)
			}
			if (row.Status == OK) != (row.Cost == "" && row.Fix == "") {
				t.Errorf("%s is %s, with cost %q and cure %q", row.Name, row.Status, row.Cost, row.Fix)
			}
		}
	}
	for _, want := range []string{"root", "XDP live frames", "nft", "CPU", "steal", "pauses"} {
		if !names[want] {
			t.Errorf("there is no row %q", want)
		}
	}
	// bench begins with the same question: the two must not contradict each other.
	if err := kernel.Require(); err != nil && r.Verdict != NotPossible {
		t.Errorf("the verdict is %q, but measuring is refused: %v", r.Verdict, err)
	}
	if left, err := filepath.Glob(netns.Path(fmt.Sprintf("%s%d-*", kernel.SandboxPrefix, os.Getpid()))); err != nil || len(left) > 0 {
		t.Errorf("namespaces are left: %v, %v", left, err)
	}
}

func TestWrap(t *testing.T) {
	tests := []struct {
		text  string
		width int
		want  []string
	}{
		{"", 10, []string{""}},
		{"one two three", 7, []string{"one two", "three"}},
		{"one two three", 6, []string{"one", "two", "three"}},
		{"a /very/long/path b", 5, []string{"a", "/very/long/path", "b"}},
		{"größe fünf", 10, []string{"größe fünf"}},
		{"  spaces\nand lines ", 20, []string{"spaces and lines"}},
	}
	for _, tt := range tests {
		if got := wrap(tt.text, tt.width); strings.Join(got, "|") != strings.Join(tt.want, "|") {
			t.Errorf("%q in %d: %q", tt.text, tt.width, got)
		}
	}
}
