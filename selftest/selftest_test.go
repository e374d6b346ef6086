package selftest

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/linerate/linerate/dut/journal"
	"github.com/linerate/linerate/internal/netns"
	"github.com/linerate/linerate/internal/testenv"
)

func init() { runtime.LockOSThread() } // internal/netns asks for it

// TestMain lets the test's own program be the hog of the checks.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "hog" {
		var o HogOptions
		flags := flag.NewFlagSet("hog", flag.ExitOnError)
		flags.IntVar(&o.CPU, "cpu", 0, "")
		flags.IntVar(&o.Priority, "priority", 0, "")
		flags.DurationVar(&o.Busy, "busy", 0, "")
		flags.DurationVar(&o.Idle, "idle", 0, "")
		_ = flags.Parse(os.Args[2:])
		fmt.Fprintln(os.Stderr, Hog(o))
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// one makes a single check.
func one(t *testing.T, name string, amiss bool) Result {
	t.Helper()
	testenv.NeedRoot(t)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("TMPDIR", t.TempDir())
	before, journals := namespaces(t), filepath.Join(t.TempDir(), "journals")
	report, err := Run(context.Background(), Options{Only: []string{name}, JournalDir: journals, Hog: []string{self, "hog"}, amiss: amiss})
	if err != nil {
		t.Fatal(err)
	}
	if after := namespaces(t); after != before {
		t.Errorf("namespaces were %q and are %q", before, after)
	}
	if left, err := os.ReadDir(os.TempDir()); err != nil || len(left) > 0 {
		t.Errorf("folders %v are left, %v", left, err)
	}
	r := report.Checks[0]
	if r.Status == Skipped {
		testenv.Need(t, "what check "+name+" needs", errors.New(r.Reason))
	}
	t.Logf("%s: %s: planted %s, found %s, %s %s %q (%.0f s)", r.Name, r.Status, r.PlantedText(), r.FoundText(), r.Verdict, r.Reason, r.Evidence, r.DurationS)
	return r
}

func namespaces(t *testing.T) string {
	t.Helper()
	entries, err := os.ReadDir(netns.Dir)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return strings.Join(names, " ")
}

// TestFindsWhatIsPlanted makes every check, and then tells it a wrong truth: each
// number, verdict and disturbance on its own has to turn the check off.
func TestFindsWhatIsPlanted(t *testing.T) {
	for _, c := range Checks() {
		t.Run(c.Name, func(t *testing.T) {
			r := one(t, c.Name, false)
			if r.Status != OK {
				t.Fatalf("%s: %s", r.Status, r.Reason)
			}
			for name, lie := range lies(r) {
				wrong := r
				wrong.Quantities = append([]Quantity{}, r.Quantities...)
				lie(&wrong)
				if wrong.judge(); wrong.Status != Off || wrong.Reason == "" {
					t.Errorf("with a wrong truth about %s the check is %s (%q)", name, wrong.Status, wrong.Reason)
				}
			}
		})
	}
}

// lies are all ways to tell a check a wrong truth.
func lies(r Result) map[string]func(*Result) {
	all := map[string]func(*Result){}
	for i, q := range r.Quantities {
		off := max(1, 2.1*q.ToleranceRatio*q.Found)
		all[q.Name+", more"] = func(r *Result) { r.Quantities[i].Truth = q.Found + off }
		all[q.Name+", less"] = func(r *Result) { r.Quantities[i].Truth = q.Found - off }
	}
	if r.ExpectedVerdict != "" {
		all["the verdict"] = func(r *Result) { r.ExpectedVerdict = "link-bound" }
	}
	if r.ExpectedDisturbance != "" {
		all["the disturbance"] = func(r *Result) { r.ExpectedDisturbance = "suspended" }
		all["a disturbance that was not seen"] = func(r *Result) { r.Disturbance = "" }
		all["the number"] = func(r *Result) { r.CleanNumber = true }
	} else {
		all["a disturbance"] = func(r *Result) { r.ExpectedDisturbance = "steal" }
	}
	return all
}

// TestFindsWhatIsAmiss plants something else than each check says.
func TestFindsWhatIsAmiss(t *testing.T) {
	for _, c := range Checks() {
		t.Run(c.Name, func(t *testing.T) {
			if r := one(t, c.Name, true); r.Status != Off || r.Reason == "" {
				t.Errorf("%s (%q), want off with a reason", r.Status, r.Reason)
			}
		})
	}
}

func TestSelect(t *testing.T) {
	all, err := Select(nil)
	if err != nil || len(all) != len(Checks()) {
		t.Fatalf("%d checks, %v; want all %d", len(all), err, len(Checks()))
	}
	some, err := Select([]string{"loss", "clean"})
	if err != nil || len(some) != 2 || some[0].Name != "clean" || some[1].Name != "loss" {
		t.Errorf("selected %v, %v; want clean and loss in their own order", some, err)
	}
	if _, err := Select([]string{"loss", "los"}); err == nil || !strings.Contains(err.Error(), "no check los;") || !strings.Contains(err.Error(), "reordering") {
		t.Errorf("an unknown name: %v", err)
	}
}

// TestInterrupted ends the context before the first check.
func TestInterrupted(t *testing.T) {
	testenv.NeedRoot(t)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	dir := t.TempDir()
	report, err := Run(ctx, Options{Only: []string{"loss"}, JournalDir: dir})
	if !errors.Is(err, context.Canceled) || len(report.Checks) != 0 {
		t.Errorf("%d checks, %v; want none and the context's error", len(report.Checks), err)
	}
	if restored, alive, err := journal.Restore(dir); err != nil || len(restored)+len(alive) != 0 {
		t.Errorf("the journal holds %v, %v, %v", restored, alive, err)
	}
}
