package main

import (
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/linerate/linerate/plan"
	"github.com/linerate/linerate/result"
)

func TestPlainLines(t *testing.T) {
	for name, quiet := range map[string]bool{"progress-plain.txt": false, "progress-quiet.txt": true} {
		t.Run(name, func(t *testing.T) {
			s := newScript()
			var b strings.Builder
			d := &plain{w: &b, progress: s.progress(), quiet: quiet}
			wait := func(for_ time.Duration) { s.at = s.at.Add(for_) }
			s.play(d, wait)
			s.finish(d, wait)
			d.Notice("interrupted: ending the trial")
			d.Close()
			golden(t, name, b.String())
		})
	}
}

// viewAt is the block in the middle of the scripted run.
func viewAt(notice string, columns, rows int) []string {
	s := newScript()
	p := s.progress()
	d := &live{progress: p, t: &terminal{}}
	s.play(d, func(for_ time.Duration) { s.at = s.at.Add(for_) })
	return p.view(s.at, paint{}, notice, columns, rows)
}

func TestView(t *testing.T) {
	golden(t, "view-100x30.txt", strings.Join(viewAt("", 100, 30), "\n")+"\n")
	golden(t, "view-80x24-notice.txt", strings.Join(viewAt("interrupted: ending the trial, saving what was measured, undoing the lab; once more kills at once", 80, 24), "\n")+"\n")
}

func TestViewFitsEveryTerminal(t *testing.T) {
	for columns := 1; columns <= 200; columns += 7 {
		for rows := 1; rows <= 30; rows++ {
			block := viewAt("a notice", columns, rows)
			if len(block) > max(1, rows-1) {
				t.Fatalf("%d lines on a terminal of %d rows", len(block), rows)
			}
			for _, line := range block {
				if w := ansi.StringWidth(line); w > max(20, columns-1) {
					t.Fatalf("a line of %d columns on a terminal of %d: %q", w, columns, line)
				}
			}
		}
	}
}

func TestViewBeforeTheFirstTrial(t *testing.T) {
	s := newScript()
	p := s.progress()
	if text := strings.Join(p.view(s.at, paint{}, "", 100, 30), "\n"); !strings.Contains(text, "opening") {
		t.Errorf("before the testbed stands:\n%s", text)
	}
	p.opened(&result.Run{}, s.cells)
	if text := strings.Join(p.view(s.at, paint{}, "", 100, 30), "\n"); !strings.Contains(text, "calibrating") {
		t.Errorf("before the first cell:\n%s", text)
	}
}

func TestTimeLeftFollowsWhatCellsTook(t *testing.T) {
	p := plan.Default()
	cells := append(p.Cells(), p.Cells()...)
	cells = append(cells, p.Cells()...)
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	tm := newTiming(p, cells, start)
	total := tm.before + 3*tm.perCell
	if got := tm.left(start).Seconds(); got < total-0.1 || got > total+0.1 {
		t.Fatalf("at the start %v s are left, the estimate is %v s", got, total)
	}
	if tm.share(start) != 0 {
		t.Errorf("share at the start: %v", tm.share(start))
	}
	// A cell takes twice its estimate: the others are expected to take more than theirs.
	at := start.Add(10 * time.Second)
	tm.cellBegins(at)
	at = at.Add(time.Duration(2 * tm.perCell * float64(time.Second)))
	tm.cellEnds(at, false)
	if got, want := tm.left(at).Seconds(), 2*1.5*tm.perCell; got < want-0.1 || got > want+0.1 {
		t.Errorf("after a slow cell %v s are left, want %v", got, want)
	}
	// A skipped cell is one less and says nothing about the others.
	tm.cellBegins(at)
	tm.cellEnds(at, true)
	if got, want := tm.left(at).Seconds(), 1.5*tm.perCell; got < want-0.1 || got > want+0.1 {
		t.Errorf("after a skipped cell %v s are left, want %v", got, want)
	}
	// A cell that takes longer than expected never makes the rest negative.
	tm.cellBegins(at)
	if got := tm.left(at.Add(time.Hour)); got != time.Second {
		t.Errorf("in an overdue last cell %v are left", got)
	}
}

func TestAxisZoomsInWhenEveryGoalHasAnUpperBound(t *testing.T) {
	s := newScript()
	p := s.progress()
	p.calibrated = 4.412e6
	p.bounds = s.bounds(0.5e6, 0, 0.5e6, 0.8e6)
	if end := p.axisEnd(); end != 4.412e6 {
		t.Errorf("with an open goal the axis ends at %v, not at the ceiling", end)
	}
	p.bounds = s.bounds(0.5e6, 0.7e6, 0.5e6, 0.8e6)
	if end := p.axisEnd(); end != 1e6 {
		t.Errorf("with closed goals up to 0.8 Mpps the axis ends at %v", end)
	}
	p.trial.LoadPPS = 4e6
	if end := p.axisEnd(); end < 4e6 {
		t.Errorf("the axis ends at %v, before the load of the trial", end)
	}
}

func TestUnits(t *testing.T) {
	for want, got := range map[string]string{
		"0.612 Mpps": mpps(612_000), "0.0123 Mpps": mpps(12_300), "0.001 Mpps": mpps(1000), "14.88 Mpps": mpps(14_880_952),
		"0.25 s": spoken(0.25), "6.4 s": spoken(6.41), "52 s": spoken(52.3), "2 min 5 s": spoken(125), "12 min": spoken(720), "1 h 20 min": spoken(4800), "3 min": spoken(180),
		"0:42": clock(42 * time.Second), "1:02:03": clock(time.Hour + 2*time.Minute + 3*time.Second),
	} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
