package report

import (
	"strings"
	"testing"

	"github.com/linerate/linerate/plan"
	"github.com/linerate/linerate/result"
)

// layersOf is a run of scenarios that were all measured at one load.
func layersOf(scenarios ...plan.Scenario) digest {
	run := fixtureRun()
	for i, s := range scenarios {
		c := fixtureCell(s.Name(), s.Backend(), 10000, plan.Uni, result.DUTBound)
		c.LatencyAt = []result.LatencyAt{latencyPoint(0.5, 1e5, 99_000), latencyPoint(0, 1e5, uint64(1000*(i+1)))}
		run.Cells = append(run.Cells, c)
	}
	return digestOf(run, nil)
}

func TestLatencyLayersAreSetAgainstThoseBelow(t *testing.T) {
	for _, tt := range []struct {
		scenarios []plan.Scenario
		over      string
	}{
		{[]plan.Scenario{"none", "route", "conntrack-nft", "snat-nft"}, "- none route conntrack"},
		{[]plan.Scenario{"snat-iptables", "conntrack-nft", "conntrack-iptables", "route"}, "conntrack route route -"},
		{[]plan.Scenario{"none", "snat-nft"}, "- none"},
		{[]plan.Scenario{"route", "limit"}, "- route"},
	} {
		groups := layerGroups(layersOf(tt.scenarios...))
		if len(groups) != 1 || len(groups[0].layers) != len(tt.scenarios) {
			t.Fatalf("%v: %d groups", tt.scenarios, len(groups))
		}
		var over []string
		for _, l := range groups[0].layers {
			name := "-"
			if b := groups[0].base(l); b != nil {
				name = b.scenario
				if l.scenario == "snat" && b.scenario == "conntrack" && b.backend != l.backend {
					t.Errorf("%v: %s %s is set against conntrack %s", tt.scenarios, l.scenario, l.backend, b.backend)
				}
			}
			over = append(over, name)
		}
		if got := strings.Join(over, " "); got != tt.over {
			t.Errorf("%v: set against %q, want %q", tt.scenarios, got, tt.over)
		}
	}
	if groups := layerGroups(layersOf("route")); len(groups) != 0 {
		t.Errorf("a single scenario has nothing to be set against: %d groups", len(groups))
	}
}

// TestLatencyLayerFigures checks the differences in the table: each scenario takes 1 µs
// more than the one before it.
func TestLatencyLayerFigures(t *testing.T) {
	tables := layerTables(layersOf("none", "route", "conntrack-nft"))
	if len(tables) != 1 || len(tables[0].Rows) != 6 || len(tables[0].Charts) != 1 || len(tables[0].Charts[0].Curves) != 3 {
		t.Fatalf("%+v", tables)
	}
	for i, want := range []string{"0.100 Mpps per direction", "none 1.00 µs", "route 2.00 µs", "  over none +1.00 µs", "conntrack nft 3.00 µs", "  over route +1.00 µs"} {
		if got := strings.Join(tables[0].Rows[i][:min(2, len(tables[0].Rows[i]))], " "); got != want {
			t.Errorf("row %d is %q, want %q", i, got, want)
		}
	}
}

func TestLatencyTablesAreWhole(t *testing.T) {
	run, trials := fixture()
	for _, table := range figureTables(digestOf(run, trials)) {
		for _, row := range table.Rows {
			if len(row) != len(table.Columns) && len(row) != 1 {
				t.Errorf("%s: %d cells under %d columns: %q", table.Title, len(row), len(table.Columns), row)
			}
		}
		if len(table.Notes) == 0 {
			t.Errorf("%s has no word of explanation", table.Title)
		}
	}
	old := fixtureRun()
	if tables := figureTables(digestOf(old, nil)); len(tables) != 0 {
		t.Errorf("a run without latency trials has the tables %+v", tables)
	}
}

func TestSignedTime(t *testing.T) {
	for ns, want := range map[int64]string{0: "0", 5: "+5 ns", -1500: "-1.50 µs", 2_000_000: "+2.00 ms"} {
		if got := signedTime(ns); got != want {
			t.Errorf("%d ns: %q, want %q", ns, got, want)
		}
	}
}
