package result

import "math"

// LatencyAt is what the latency trial of a cell at one load says. Ratios are of the
// frames of that trial.
type LatencyAt struct {
	// LoadRatio is the load as a share of the cell's throughput; 0 for a load that the plan gives in packets per second.
	LoadRatio float64 `json:"load_ratio"`
	// LoadPPS is the intended load per direction.
	LoadPPS        float64 `json:"load_pps"`
	TrialDurationS float64 `json:"trial_duration_s"`
	// Trial is the number of the trial in trials.jsonl.
	Trial  int `json:"trial"` // Trials is how many there were at this load: Trial is the one with the median P99.
	Trials int `json:"trials"`
	// Latency is null if no frame arrived.
	Latency *Latency `json:"latency" jsonschema:"nullable"`
	// PDVNS is the packet delay variation, P99.9 less the least latency (RFC 8219 section 7.3.1).
	PDVNS uint64 `json:"pdv_ns"`
	// IPDVMinNS to IPDVMaxNS are the differences of the latencies of two frames that follow each other in their flow, below 0 if
	// the later one was faster (IPDV, RFC 5481 section 4.1, reported as in RFC 8219 section 7.3.2). All are 0 if IPDVPairs is.
	IPDVMinNS    int64 `json:"ipdv_min_ns"`
	IPDVMedianNS int64 `json:"ipdv_median_ns"`
	IPDVMaxNS    int64 `json:"ipdv_max_ns"`
	// IPDVAmountP50NS and IPDVAmountP99NS are percentiles of the same differences without their sign: what is called jitter.
	IPDVAmountP50NS uint64 `json:"ipdv_amount_p50_ns"`
	IPDVAmountP99NS uint64 `json:"ipdv_amount_p99_ns"`
	// IPDVPairs is how many differences there were: fewer than frames, because the first frame of a flow and those behind a lost one have none.
	IPDVPairs uint64 `json:"ipdv_pairs"`
	// ReorderedRatio is the share of the received frames whose sequence was below the one expected next in their flow (RFC 4737 section 3).
	ReorderedRatio float64 `json:"reordered_ratio"`
	// DuplicatedRatio is the frames that arrived again, as a share of the received ones, each of which counts once.
	DuplicatedRatio float64 `json:"duplicated_ratio"`
	// LossRatio is that of the trial: percentiles are of the frames that arrived.
	LossRatio float64 `json:"loss_ratio"`
	// Disturbed says why the trial is doubted although it was repeated; empty if it is not.
	Disturbed string `json:"disturbed,omitempty"`
}

// Variation are the differences of a trial between the latencies of frames that
// follow each other in their flow (IPDV, RFC 5481 section 4.1).
type Variation struct {
	Pairs    uint64 `json:"pairs"`
	MinNS    int64  `json:"min_ns"`
	MedianNS int64  `json:"median_ns"`
	MaxNS    int64  `json:"max_ns"`
	// AmountP50NS and AmountP99NS are percentiles of the differences without their sign, as Amounts counts them.
	AmountP50NS uint64   `json:"amount_p50_ns"`
	AmountP99NS uint64   `json:"amount_p99_ns"`
	Amounts     []Bucket `json:"amounts"`
}

// LatencyAt is the trial as a point of the latency over load.
func (t Trial) LatencyAt() LatencyAt {
	l := LatencyAt{LoadPPS: t.IntendedLoadPPS, TrialDurationS: t.IntendedDurationS, Trial: t.Number, Trials: 1, Latency: t.Latency, LossRatio: t.LossRatio()}
	if t.Latency != nil {
		l.PDVNS = t.Latency.P999NS - min(t.Latency.MinNS, t.Latency.P999NS)
	}
	if v := t.Variation; v != nil {
		l.IPDVMinNS, l.IPDVMedianNS, l.IPDVMaxNS, l.IPDVPairs = v.MinNS, v.MedianNS, v.MaxNS, v.Pairs
		l.IPDVAmountP50NS, l.IPDVAmountP99NS = v.AmountP50NS, v.AmountP99NS
	}
	if t.Received > 0 {
		l.ReorderedRatio = float64(t.Reordered) / float64(t.Received)
		l.DuplicatedRatio = float64(t.Duplicated) / float64(t.Received)
	}
	return l
}

// LatencyFloor is the latency of the tester alone, for the cell's shape of traffic, at
// the load nearest to loadPPS; false if it was not measured.
func (r *Run) LatencyFloor(c Cell, loadPPS float64) (LatencyAt, bool) {
	var nearest LatencyAt
	found, least := false, math.Inf(1)
	for _, s := range r.Calibration.Ceilings {
		if s.IPVersion != c.IPVersion || s.FrameSize != c.FrameSize || s.Flows != c.Flows || s.Directions != c.Directions {
			continue
		}
		for _, f := range s.LatencyFloor {
			if d := math.Abs(math.Log(f.LoadPPS / loadPPS)); d < least {
				nearest, found, least = f, true, d
			}
		}
	}
	return nearest, found
}
