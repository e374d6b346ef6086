package dut

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/linerate/linerate/dut/journal"
	"github.com/linerate/linerate/internal/netns"
	"github.com/linerate/linerate/internal/testenv"
)

// routesTo are the routes of a namespace to the blocks that scenario routes uses.
func routesTo(t *testing.T, ns string, version int) string {
	t.Helper()
	if version == 6 {
		return output(t, ns, "ip", "-6", "route", "show", "root", "fd00:6c72::/32")
	}
	return output(t, ns, "ip", "route", "show", "root", "10.0.0.0/8")
}

// TestRoutesAreThere compares the routes that the kernel lists with those that the shell
// line of the record makes, and requires that none is left.
func TestRoutesAreThere(t *testing.T) {
	const n = 2500
	lastOf := map[int]map[int]string{
		4: {28: "10.0.156.48/28", 32: "10.0.9.195", 20: "10.156.48.0/20"},
		6: {64: "fd00:6c72:0:9c3::/64", 128: "fd00:6c72::9c3", 57: "fd00:6c72:4:e180::/57"},
	}
	for _, version := range []int{4, 6} {
		for _, length := range [][2]int{{28, 64}, {32, 128}, {20, 57}} {
			s := scenarioOf("routes", version, 1, namespace(t))
			s.Plan.Routes.Prefixes, s.Plan.Routes.Length, s.Plan.Routes.LengthIPv6 = n, length[0], length[1]
			var made string
			applyOnce(t, s, func() { made = routesTo(t, s.DUT.Netns, version) })
			lines := strings.Split(strings.TrimSpace(made), "\n")
			last := lastOf[version][length[(version-4)/2]]
			if len(lines) != n || !strings.HasPrefix(lines[n-1], last+" via ") || !strings.Contains(lines[n-1], " dev db ") {
				t.Fatalf("%d routes, the last is %q; want %d and %s", len(lines), lines[len(lines)-1], n, last)
			}
			if left := routesTo(t, s.DUT.Netns, version); left != "" {
				t.Errorf("routes are left:\n%.200s", left)
			}
			checkShellLine(t, s, made, version)
		}
	}
}

// checkShellLine makes the routes as a reader of the record would.
func checkShellLine(t *testing.T, s Scenario, want string, version int) {
	t.Helper()
	steps, err := s.Steps()
	if err != nil {
		t.Fatal(err)
	}
	for _, step := range steps {
		if step.Do.Kind != journal.AddRoutes {
			continue
		}
		do, undo := step.Do, step.Undo
		do.Netns, undo.Netns = "", ""
		output(t, s.DUT.Netns, "sh", "-c", do.String())
		plain := func(text string) string { return strings.ReplaceAll(text, " proto static", "") }
		if got := routesTo(t, s.DUT.Netns, version); plain(got) != plain(want) {
			t.Errorf("%s makes other routes:\n%.300s\nwant\n%.300s", do, got, want)
		}
		output(t, s.DUT.Netns, "sh", "-c", undo.String())
		if left := routesTo(t, s.DUT.Netns, version); left != "" {
			t.Errorf("%s leaves routes:\n%.200s", undo, left)
		}
	}
}

// TestRoutesRefused enters routes of which the kernel has one already: the error says so, and
// the undo takes out what was made.
func TestRoutesRefused(t *testing.T) {
	testenv.Need(t, "ip", requireTools("ip"))
	s := scenarioOf("routes", 4, 1, namespace(t))
	s.Plan.Routes.Prefixes = 3000
	taken := "10.0.120.0/28" // route number 1921
	if err := netns.Do(s.DUT.Netns, func() error {
		return exec.Command("ip", "route", "add", taken, "via", "198.19.0.2", "proto", "static").Run()
	}); err != nil {
		t.Fatal(err)
	}
	steps, err := s.Steps()
	if err != nil {
		t.Fatal(err)
	}
	_, err = Apply(steps, openJournal(t))
	checkRefused(t, err, "refuses route 1921: file exists")
	if left := routesTo(t, s.DUT.Netns, 4); left != "" {
		t.Errorf("routes are left:\n%.200s", left)
	}
}
