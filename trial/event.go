package trial

import (
	"context"
	"time"

	"github.com/linerate/linerate/result"
	"github.com/linerate/linerate/sink"
	"golang.org/x/sys/unix"
)

// Event is something that is done to the DUT while traffic flows.
type Event struct {
	Name string
	// After is when, counted from the start of the trial.
	After time.Duration
	// Do makes it happen. It calls begin when it has prepared everything.
	Do func(begin func()) error
}

// timelineBin is the width of the bins in which frames are counted around an event.
const timelineBin = 10 * time.Millisecond

// happening is an event as it was: when it began and ended, on CLOCK_MONOTONIC, and the
// frames that were known to be lost before.
type happening struct {
	beganNS, endedNS uint64
	lostBefore       uint64
	err              error
}

// armTimelines makes the sinks count frames by the time of their arrival in trials with an event.
func (b *Bed) armTimelines(r Request) error {
	bin := time.Duration(0)
	if r.Event != nil {
		bin, b.binsFromNS = timelineBin, monotonicNS()
	}
	for _, d := range b.Directions {
		if err := d.Sink.WatchTimeline(bin, b.binsFromNS); err != nil {
			return err
		}
	}
	return nil
}

func monotonicNS() uint64 {
	var now unix.Timespec
	_ = unix.ClockGettime(unix.CLOCK_MONOTONIC, &now) // never fails for this clock
	return uint64(now.Nano())
}

// awaitEvent lets the event happen in its time; the function that it returns waits for that.
func (b *Bed) awaitEvent(ctx context.Context, e *Event) func() *happening {
	if e == nil {
		return func() *happening { return nil }
	}
	done := make(chan *happening, 1)
	go func() {
		h := &happening{}
		defer func() { done <- h }()
		if h.err = sleep(ctx, e.After); h.err != nil {
			return
		}
		h.err = e.Do(func() {
			for _, d := range b.Directions {
				if c, err := d.Sink.Collect(); err == nil {
					h.lostBefore += c.GapFrames
				}
			}
			h.beganNS = monotonicNS()
		})
		h.endedNS = monotonicNS()
	}()
	return func() *happening { return <-done }
}

// eventOf tells what the event did to the traffic.
func (b *Bed) eventOf(r Request, t result.Trial, h *happening, arrived []sink.Counts) (*result.Event, error) {
	if h == nil {
		return nil, nil
	}
	e := &result.Event{
		Name: r.Event.Name, LoadPPS: r.LoadPPS, DurationS: t.ActualDurationS, TookNS: h.endedNS - h.beganNS, BinNS: uint64(timelineBin),
		Sent: t.Sent, Received: t.Received, Lost: t.Lost, LostBefore: min(h.lostBefore, t.Lost),
	}
	e.LossDerivedNS = 1e9 * float64(e.Lost-e.LostBefore) / (r.LoadPPS * float64(len(b.Directions)))
	var shown uint64
	for i, d := range b.Directions {
		c := arrived[i]
		e.LastLossNS = max(e.LastLossNS, lastLossNS(c, h.beganNS, r.LoadPPS, d.Sink.FlowCount()))
		shown += c.GapFrames
		bins, err := d.Sink.Timeline()
		if err != nil {
			return nil, err
		}
		e.ReceivedPerBin = append(e.ReceivedPerBin, make([]uint64, max(0, len(bins)-len(e.ReceivedPerBin)))...)
		for at, n := range bins {
			e.ReceivedPerBin[at] += n
		}
	}
	if e.LossToTheEnd = t.Sent > t.Received+shown; e.LossToTheEnd {
		e.LastLossNS = max(0, float64(r.Duration-r.Event.After))
	}
	fromNS := b.binsFromNS // the bins begin with the first that has a frame
	for len(e.ReceivedPerBin) > 0 && e.ReceivedPerBin[0] == 0 {
		e.ReceivedPerBin = e.ReceivedPerBin[1:]
		fromNS += e.BinNS
	}
	e.AtS = float64(int64(h.beganNS-fromNS)) / 1e9
	return e, nil
}

// lastLossNS is the time from a moment to the departure of the last frame that was lost
// after it; 0 if none was. A lost frame is noticed when the next frame of its flow arrives,
// and left one round of the flows before that one: the sink knows when that one left, and
// every flow has one frame in each round.
func lastLossNS(c sink.Counts, sinceNS uint64, loadPPS float64, flows int) float64 {
	if c.GapNS <= sinceNS {
		return 0
	}
	return max(0, float64(c.GapNS-sinceNS)-1e9*float64(flows)/loadPPS)
}
