package userspace

import (
	"sync/atomic"

	"github.com/linerate/linerate/frame"
	"github.com/linerate/linerate/generator"
)

// stream is one worker's share of a stream.
type stream struct {
	output  Output
	share   generator.Share
	sizes   frame.Sizes
	ipBytes int
	// flows are those of the whole stream; sums and sequences those of the share.
	flows     []frame.Flow
	sums      []sums
	sequences []uint32

	epoch           uint16
	schedule        schedule
	flow, size      int // of the next frame
	firstNS, lastNS uint64
	gaps            frame.Histogram
	sent, sentBytes atomic.Uint64
}

func newStream(s generator.Stream, sizes frame.Sizes, part generator.Share, open Open) (*stream, error) {
	output, err := open(s, sizes, part.Index)
	if err != nil {
		return nil, err
	}
	n := part.Flows(len(s.Flows))
	v := &stream{output: output, share: part, sizes: sizes, ipBytes: ipBytes(&s.Flows[0]), flows: s.Flows, sums: make([]sums, n), sequences: make([]uint32, n)}
	for i := range v.sums {
		number := part.Number(i)
		v.sums[i].ip, v.sums[i].udp = s.Flows[number].BaseSums(uint32(number))
	}
	return v, nil
}

// arm sets the stream up for a load.
func (v *stream) arm(load generator.Load) {
	clear(v.sequences)
	v.epoch = load.Epoch
	v.schedule = newSchedule(load.Pace(v.share, len(v.flows)))
	v.flow, v.size = 0, 0
	v.firstNS, v.lastNS = 0, 0
	v.gaps = frame.Histogram{}
	v.sent.Store(0)
	v.sentBytes.Store(0)
}

// fill writes the frames that are due.
func (v *stream) fill(elapsedNS uint64) {
	for v.schedule.ready(elapsedNS) {
		slot := v.output.Slot()
		if slot == nil {
			return
		}
		v.schedule.due(elapsedNS)
		number := v.share.Number(v.flow)
		slot.write(&v.flows[number], v.sums[v.flow], frame.Payload{Epoch: v.epoch, Flow: uint32(number), Sequence: v.sequences[v.flow]}, v.sizes[v.size]-frame.FCSBytes)
		v.sequences[v.flow]++
		if v.flow++; v.flow == len(v.sums) {
			v.flow = 0
		}
		if v.size++; v.size == len(v.sizes) {
			v.size = 0
		}
	}
}

// flush stamps and sends what waits.
func (v *stream) flush(now uint64) error {
	fresh := v.output.Fresh()
	for i := range fresh {
		fresh[i].stamp(v.ipBytes, uint32(now))
	}
	n, bytes, err := v.output.Flush()
	v.left(n, bytes, now)
	return err
}

// finish ends a load.
func (v *stream) finish(now uint64) error {
	n, bytes, err := v.output.Finish()
	v.left(n, bytes, now)
	return err
}

func (v *stream) left(n int, bytes, now uint64) {
	if n == 0 {
		return
	}
	if v.schedule.pace.Interval > 0 {
		if v.lastNS > 0 {
			v.gaps[frame.BucketOf(now-v.lastNS)]++
		}
		v.gaps[0] += uint64(n - 1)
	}
	if v.firstNS == 0 {
		v.firstNS = now
	}
	v.lastNS = now
	v.sentBytes.Add(bytes)
	v.sent.Add(uint64(n))
}

// over tells whether all frames of the load have left.
func (v *stream) over() bool { return v.schedule.left == 0 && !v.output.Waiting() }
