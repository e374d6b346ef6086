package bench

import (
	"context"
	"fmt"

	"github.com/linerate/linerate/frame"
	"github.com/linerate/linerate/generator/engine"
	"github.com/linerate/linerate/plan"
)

// learn sends one frame of every flow, checks that the DUT rewrote it as the
// scenario says, makes the replies of what arrived the flows from B to A, and
// opens the generator for the trials.
func (s *station) learn(ctx context.Context) error {
	arrived, err := s.learnDirection(ctx, 0, s.flows)
	if err != nil {
		return err
	}
	if err := s.checkRewrite(arrived); err != nil {
		return err
	}
	if err := s.sinks[0].ExpectFlows(arrived); err != nil {
		return err
	}
	directions, flows := []int{0}, [][]frame.Flow{s.flows}
	if s.learnedDirections() == 2 {
		replies := reversed(arrived)
		if err := s.learnReplies(ctx, replies); err != nil {
			return err
		}
		if s.scenario.Cell.Directions == plan.Bi {
			directions, flows = []int{0, 1}, append(flows, replies)
		} else if err := s.dropReplies(); err != nil {
			return err
		}
	}
	s.streams = flows
	if s.bed.Generator, err = s.open(s.engine, directions, flows); err != nil {
		return err
	}
	return s.markGenerator()
}

// learnedDirections is 2 if replies are sent at all: by traffic in both
// directions, and where the DUT tracks connections, because an entry is
// established only when it has seen a reply.
func (s *station) learnedDirections() int {
	if s.scenario.Tracked() {
		return 2
	}
	return s.scenario.Cell.Directions.Count()
}

// learnReplies sends one reply of every flow and checks that it arrives at A with
// the addresses that A sent to.
func (s *station) learnReplies(ctx context.Context, replies []frame.Flow) error {
	back := reversed(s.flows)
	got, err := s.learnDirection(ctx, 1, replies)
	if err != nil {
		return err
	}
	for i, f := range got {
		if f != back[i] {
			return fmt.Errorf("learn flows from %s: the reply of flow %d arrived as %v and should be %v: the DUT does not undo its translation", s.ports[1].Name, i, f, back[i])
		}
	}
	return s.sinks[1].ExpectFlows(back)
}

// dropReplies closes the sink at A, which only learning needed.
func (s *station) dropReplies() error {
	err := s.sinks[1].Close()
	s.sinks, s.bed.Directions = s.sinks[:1], s.bed.Directions[:1]
	return err
}

// blockedError says that the DUT, as its scenario made it, does not let the flows of a cell
// pass. Other cells have other DUTs.
type blockedError struct{ text string }

func (e *blockedError) Error() string { return e.text }

// Learning is repeated, each time slower, until a frame of every flow has come.
const learnAttempts = 4

func (s *station) learnDirection(ctx context.Context, direction int, flows []frame.Flow) ([]frame.Flow, error) {
	g, err := s.open(engine.Learner(s.engine, s.config.Sizes), []int{direction}, [][]frame.Flow{flows})
	if err != nil {
		return nil, err
	}
	defer g.Close()
	one := *s.bed
	one.Generator, one.Directions = g, s.bed.Directions[direction:direction+1]
	pps := min(200_000, s.scenario.MostPPS()/2)
	all := make([]frame.Flow, len(flows))
	missing := len(flows)
	for attempt := 0; attempt < learnAttempts && missing > 0; attempt++ {
		got, err := one.Learn(ctx, 0, pps)
		if err != nil {
			return nil, fmt.Errorf("learn flows from %s: %w", s.ports[direction].Name, err)
		}
		missing = 0
		for i, f := range got {
			if f.Source.IsValid() {
				all[i] = f
			}
			if !all[i].Source.IsValid() {
				missing++
			}
		}
		pps /= 3
	}
	s.bed.ContinueAfter(&one)
	if missing > 0 {
		return nil, &blockedError{fmt.Sprintf("learn flows from %s: no frame of %d of the %d flows came through the DUT in %d attempts; is it forwarding, and do its rules let the flows pass?",
			s.ports[direction].Name, missing, len(flows), learnAttempts)}
	}
	return all, nil
}

// checkRewrite compares the flows that arrived at B with what the scenario makes
// of them: another source behind source NAT, else the same.
func (s *station) checkRewrite(arrived []frame.Flow) error {
	if s.scenario.AnyRewrite() {
		return nil
	}
	translated := s.scenario.Translated()
	for i, got := range arrived {
		want := s.flows[i]
		if translated.IsValid() {
			want.Source, want.SourcePort = translated, got.SourcePort // the DUT is free to choose the port
		}
		if got != want {
			return fmt.Errorf("learn flows: flow %d arrived as %v and should be %v: the scenario's rules are not in force", i, got, want)
		}
	}
	return nil
}

func reversed(flows []frame.Flow) []frame.Flow {
	back := make([]frame.Flow, len(flows))
	for i, f := range flows {
		back[i] = f.Reverse()
	}
	return back
}
