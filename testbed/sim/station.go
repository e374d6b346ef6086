package sim

import (
	"context"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"time"

	"github.com/linerate/linerate/frame"
	"github.com/linerate/linerate/plan"
	"github.com/linerate/linerate/result"
)

// began is where virtual time starts: the same in each run, so that two runs with
// one seed have the same trials to the byte.
var began = time.Date(2000, time.January, 1, 0, 0, 0, 0, time.UTC)

// HandlingTime is what a trial takes besides its traffic, its drain and its
// settling, as seen in the lab: arming both ends and reading the counters.
const HandlingTime = 150 * time.Millisecond

// Testbed is a simulated device between the two ends of a simulated tester.
type Testbed struct {
	Model Model
	seed  uint64
	now   time.Time
}

// New is the testbed of a plan. An error says what is wrong with the plan.
func New(p plan.Sim) (*Testbed, error) {
	m, err := FromPlan(p)
	if err != nil {
		return nil, err
	}
	return &Testbed{Model: m, seed: uint64(p.Seed), now: began}, nil
}

// Elapsed is the virtual time since the testbed was made.
func (t *Testbed) Elapsed() time.Duration { return t.now.Sub(began) }

// Station is the tester set up for one cell.
type Station struct {
	testbed *Testbed
	model   Model
	direct  bool
	cell    plan.Cell
	sizes   frame.Sizes
	timing  plan.Trial
	chance  *rand.Rand
	epoch   uint16
}

// Station sets the tester up for a cell. In scenario none there is no device: all
// that the tester can offer arrives. What the other scenarios make of a device is
// not simulated. Cells draw their noise apart from each other, so that a cell has
// the same trials in any plan.
func (t *Testbed) Station(cell plan.Cell, timing plan.Trial) *Station {
	s := &Station{testbed: t, model: t.Model, cell: cell, timing: timing, direct: cell.Direct()}
	s.sizes = frame.Sizes{int(cell.FrameSize)}
	if cell.FrameSize == plan.IMIX {
		s.sizes = frame.SimpleIMIX(cell.IPVersion)
	}
	if s.direct {
		s.model = Model{CapacityPPS: math.Inf(1), MaxLoadPPS: t.Model.MaxLoadPPS}
	}
	name := fnv.New64a()
	name.Write([]byte(cell.ID()))
	s.chance = rand.New(rand.NewPCG(t.seed, name.Sum64()))
	return s
}

// Measure makes a trial of a load per direction, 0 for as much as the tester can
// offer, in virtual time. Once ctx has ended it returns ctx's error.
func (s *Station) Measure(ctx context.Context, loadPPS float64, d time.Duration) (result.Trial, error) {
	t, err := s.begin(ctx, loadPPS, d)
	if err != nil {
		return t, err
	}
	s.offer(&t, loadPPS, d)
	s.pass(t, d)
	return t, nil
}

// begin is a trial before its traffic.
func (s *Station) begin(ctx context.Context, loadPPS float64, d time.Duration) (result.Trial, error) {
	s.epoch++
	seconds := d.Seconds()
	t := result.Trial{
		Started: s.testbed.now, Epoch: s.epoch, IntendedLoadPPS: loadPPS, IntendedDurationS: seconds, ActualDurationS: seconds,
		Directions: s.cell.Directions.Count(),
	}
	if err := ctx.Err(); err != nil {
		return t, err
	}
	t.Ports = make([]result.PortCounts, 2)
	for i := range t.Ports {
		t.Ports[i].Port = []string{"a", "b"}[i]
	}
	return t, nil
}

// offer adds the traffic of a load to a trial, and returns how many of its frames were lost.
func (s *Station) offer(t *result.Trial, loadPPS float64, d time.Duration) (lost uint64) {
	seconds := d.Seconds()
	if loadPPS == 0 {
		loadPPS = s.model.MaxLoadPPS
	}
	for i, o := range s.model.Trial(s.chance, loadPPS, seconds, t.Directions) {
		s.count(t, i, o)
		lost += o.Lost
	}
	base, wait := float64(testerLatencyNS), waiting{}
	if !s.direct {
		base, wait = deviceLatencyNS, s.model.waitingAt(s.model.offered(loadPPS), seconds)
	}
	t.Latency = latencyOf(wait, base, t.Received)
	return lost
}

// count adds what became of the frames of one direction.
func (s *Station) count(t *result.Trial, direction int, o Outcome) {
	unsent, received := o.Intended-o.Sent, o.Sent-o.Lost
	t.Intended += o.Intended
	t.Sent += o.Sent
	t.Unsent += unsent
	t.Lost += o.Lost
	t.Received += received
	t.DUTInputDrops += o.Overflow
	sentBytes := s.bytes(o.Sent)
	t.SentBytes += sentBytes
	if o.Sent > 0 {
		// Loss does not look at the size.
		t.ReceivedBytes += uint64(math.Round(float64(sentBytes) * float64(received) / float64(o.Sent)))
	}
	from, to := &t.Ports[direction], &t.Ports[1-direction]
	from.Sent += o.Sent
	from.Unsent += unsent
	from.InterfaceTx += o.Sent
	from.InterfaceTxErrors += o.Overflow
	to.Received += received
	to.InterfaceRx += received
}

// fcsBytes is what a frame size counts and the frames of a record do not have.
const fcsBytes = 4

// bytes are those of the first n frames, without their FCS.
func (s *Station) bytes(n uint64) uint64 {
	var pattern, rest uint64
	for i, size := range s.sizes {
		pattern += uint64(size - fcsBytes)
		if uint64(i) < n%uint64(len(s.sizes)) {
			rest += uint64(size - fcsBytes)
		}
	}
	return n/uint64(len(s.sizes))*pattern + rest
}

// pass lets virtual time go on by what a trial takes. A drain waits for frames that
// are missing.
func (s *Station) pass(t result.Trial, d time.Duration) {
	took := d + HandlingTime + time.Duration(s.timing.Settle)
	if t.Lost > 0 {
		took += time.Duration(s.timing.DrainQuiet)
	}
	s.testbed.now = s.testbed.now.Add(took)
}

// MaxLoadPPS is the load per direction that the tester can offer.
func (s *Station) MaxLoadPPS() float64 { return s.model.MaxLoadPPS }
