package search

import (
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/linerate/linerate/internal/testenv"
)

// rowsFile also makes the tests of this file search as often as their figures need to be
// quoted; without it they only show that all of it works.
var rowsFile = flag.String("rows", "", "append what the searches came to, as lines of JSON, to this `FILE`")

// Loads as someone who searches with the package sets them: its own default of the
// minimum, and of an example in its manual where that is above the capacity. The maximum
// is what the tester offers.
const (
	mlrsearchMinLoadPPS     = 9001
	mlrsearchSlowMinLoadPPS = 1000
)

// Names of the searches in rows.
const (
	ourSearch   = "linerate, S=5 s"
	reference5  = "MLRsearch, S=5 s"
	reference21 = "MLRsearch, S=21 s"
)

// row is what the searches of one device came to. Seconds are trial seconds, errors those
// of the lower bound, signed, in percent; the worst is the furthest from 0. Null is what is not known.
type row struct {
	DUT        string   `json:"dut"`
	Capacity   string   `json:"capacity,omitempty"`
	Search     string   `json:"search"`
	Searches   int      `json:"searches"`
	Seconds    *float64 `json:"median_trial_seconds"`
	WorstS     *float64 `json:"worst_trial_seconds"`
	NDR        *float64 `json:"ndr_error_percent"`
	WorstNDR   *float64 `json:"worst_ndr_error_percent"`
	PDR        *float64 `json:"pdr_error_percent"`
	WorstPDR   *float64 `json:"worst_pdr_error_percent"`
	Background bool     `json:"background"`
}

func known(x float64) *float64 {
	if math.IsNaN(x) {
		return nil
	}
	return &x
}

func (o outcome) row(d simDUT, search string) row {
	r := row{DUT: d.name, Search: search, Searches: len(o.seconds), Background: d.BackgroundLoss > 0}
	r.Seconds, r.WorstS = known(o.seconds.median()), known(o.seconds.worst())
	r.NDR, r.WorstNDR = known(o.ndr.median()), known(o.ndr.worst())
	r.PDR, r.WorstPDR = known(o.pdr.median()), known(o.pdr.worst())
	return r
}

// rows are what is published, as rows of this device.
func (p published) rows(d simDUT) []row {
	if p.seconds5 == 0 {
		return nil
	}
	of := func(search string, seconds, worst float64) row {
		r := row{DUT: d.name, Search: search, Background: d.BackgroundLoss > 0}
		r.Seconds, r.NDR, r.PDR = known(seconds), known(p.ndr), known(p.pdr)
		r.WorstNDR, r.WorstPDR = known(worst), known(worst)
		return r
	}
	five, csit := of("published, S=5 s", p.seconds5, p.worst5), of("published, S=21 s", p.seconds21, p.worst21)
	if p.other5 {
		five.NDR, five.PDR = nil, nil
	}
	return []row{five, csit}
}

// String is the row as the tests' own tables show it.
func (r row) String() string {
	show := func(x *float64) string {
		if x == nil {
			return "-"
		}
		return fmt.Sprintf("%.2f", *x)
	}
	return fmt.Sprintf("%-16s %-13s %-18s %6s (%6s) s, NDR %6s (%6s) %%, PDR %6s (%6s) %%", r.DUT, r.Capacity, r.Search,
		show(r.Seconds), show(r.WorstS), show(r.NDR), show(r.WorstNDR), show(r.PDR), show(r.WorstPDR))
}

// writeRow appends a row to the file that was asked for.
func writeRow(t *testing.T, r any) {
	t.Helper()
	if *rowsFile == "" {
		return
	}
	f, err := os.OpenFile(*rowsFile, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := json.NewEncoder(f).Encode(r); err != nil {
		t.Fatal(err)
	}
}

// sample is a device and the seed of its chance.
type sample struct {
	simDUT
	seed uint64
}

// grid are the least and the greatest load of a search with the package; its loads lie
// between them in steps of one width.
type grid struct{ minPPS, maxPPS float64 }

// usualGrid is that of someone who searches this device with the package.
func (d simDUT) usualGrid() grid {
	if d.CapacityPPS <= 2*mlrsearchMinLoadPPS {
		return grid{mlrsearchSlowMinLoadPPS, simMaxLoadPPS}
	}
	return grid{mlrsearchMinLoadPPS, simMaxLoadPPS}
}

// searchWith lets the package search the samples, all of one description.
func (r *reference) searchWith(t *testing.T, samples []sample, durationSumS float64, gridOf func(simDUT) grid) (o outcome) {
	t.Helper()
	c := Config{Goals: DefaultGoals()}
	for i := range c.Goals {
		c.Goals[i].DurationSumS = durationSumS
	}
	for _, s := range samples {
		g := gridOf(s.simDUT)
		c.MinLoadPPS, c.MaxLoadPPS = g.minPPS, g.maxPPS
		chance := s.chance()
		log, a := r.search(t, c, func(load Load) countedTrial { return counted(s, chance, load) })
		total := 0.0
		for _, trial := range log {
			total += trial.DurationS
		}
		o.seconds, o.trials = append(o.seconds, total), append(o.trials, float64(len(log)))
		for i, errors := range []*spread{&o.ndr, &o.pdr} {
			lower := math.NaN()
			if pps := a.Results[i].Lower; pps != nil {
				lower = *pps
			}
			*errors = append(*errors, 100*(lower/s.truth(c.Goals[i].LossRatio, 1)-1))
		}
	}
	return o
}

// chance is what a sample's trials are drawn from, in whatever search.
func (s sample) chance() *rand.Rand { return s.simDUT.chance(s.seed) }

// seeded are samples of one device, as many as tell how its searches scatter.
func seeded(d simDUT, seeds int) []sample {
	if !d.Random() {
		seeds = 1
	}
	list := make([]sample, seeds)
	for i := range list {
		list[i] = sample{d, uint64(i)}
	}
	return list
}

// TestAgainstMLRsearch has MLRsearch 1.2.1 search the devices that TestReferenceTable
// searches, with the same seeds: with the goals of ours, and with those of CSIT.
func TestAgainstMLRsearch(t *testing.T) {
	testenv.Need(t, "the PyPI package MLRsearch 1.2.1", missingReference())
	seeds := 50
	if *rowsFile == "" {
		seeds = 2
	}
	p := newReference(t)
	defer p.end(t)
	for _, d := range simDUTs() {
		samples := seeded(d, seeds)
		for _, r := range []row{p.searchWith(t, samples, 5, simDUT.usualGrid).row(d, reference5), p.searchWith(t, samples, 21, simDUT.usualGrid).row(d, reference21)} {
			t.Log(r)
			writeRow(t, r)
		}
	}
}

// TestPublishedGrid has the package search from 1 pps to 29.76 Mpps, on which grid it errs
// on the devices without noise by what is published. It is not published that this was the grid.
func TestPublishedGrid(t *testing.T) {
	testenv.Need(t, "the PyPI package MLRsearch 1.2.1", missingReference())
	p := newReference(t)
	defer p.end(t)
	for _, d := range simDUTs() {
		o := p.searchWith(t, seeded(d, 10), 21, func(simDUT) grid { return grid{1, 2 * simMaxLoadPPS} })
		t.Log(o.row(d, reference21))
		t.Log(d.published.rows(d)[1])
		if d.name != "hard" && d.name != "queue 4096" {
			continue
		}
		for _, e := range [][2]float64{{o.ndr.median(), d.published.ndr}, {o.pdr.median(), d.published.pdr}, {o.seconds.median(), d.published.seconds21}} {
			if math.Abs(e[0]-e[1]) > 0.0051 {
				t.Errorf("%s: %.3f, published is %.2f", d.name, e[0], e[1])
			}
		}
	}
}
