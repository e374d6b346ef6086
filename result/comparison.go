package result

// Comparison is side A beside side B of one plan, measured in adjacent pairs: docs/methods.md,
// "Comparing two things on a noisy machine".
type Comparison struct {
	// A and B are what the sides change in the plan; empty for the plan as it stands.
	A []string `json:"a"`
	B []string `json:"b"`
	// Figure is what the ratio is of: "forwarding-rate" (RFC 2285 section 3.6.1) at LoadPPS, or
	// "throughput", the conditional throughput (RFC 9971) of a short search.
	Figure string `json:"figure"`
	// AlphaRatio is the chance of calling a change what is none, over all cells together.
	AlphaRatio float64 `json:"alpha_ratio"`
	// LeastChangeRatio is the smallest change that matters: 0.01 is 1 %.
	LeastChangeRatio float64 `json:"least_change_ratio"`
	// PairsPlanned of each cell were fixed before the start.
	PairsPlanned int            `json:"pairs_planned"`
	Cells        []ComparedCell `json:"cells"`
}

// ComparedCell is the comparison of one cell of A with the same cell of B.
type ComparedCell struct {
	CellA string `json:"cell_a"`
	CellB string `json:"cell_b"`
	// LoadPPS is the load per direction at which both forwarded; 0 where the throughput was searched.
	LoadPPS float64 `json:"load_pps"`
	// Pairs are in the order in which they were measured. None is left out for its value.
	Pairs []Pair `json:"pairs"`
	// AAPairs have A in both halves.
	AAPairs []AAPair `json:"aa_pairs"`
	// EstimateRatio is the median of B/A over the pairs: 1.05 means that B is 5 % faster.
	EstimateRatio float64 `json:"estimate_ratio"`
	// IntervalLowRatio and IntervalHighRatio are the ends of its bootstrap 95 % interval.
	IntervalLowRatio  float64 `json:"interval_low_ratio"`
	IntervalHighRatio float64 `json:"interval_high_ratio"`
	// PValue is that of the sign-flip test that nothing differs, adjusted by Holm over the cells.
	PValue float64 `json:"p_value"`
	// NoiseFloorRatio is what the median of as many pairs of A with itself stays below in 95 %: 0.008 is 0.8 %.
	NoiseFloorRatio float64 `json:"noise_floor_ratio"`
	// MarginRatio is the greater of LeastChangeRatio and NoiseFloorRatio: a change has to be beyond it.
	MarginRatio float64 `json:"margin_ratio"`
	// Verdict is "changed", "equivalent" or "inconclusive"; empty until the last pair.
	Verdict string `json:"verdict"`
	// PairsNeeded is the number of pairs that would probably decide it; 0 if it is decided or none up to 1000 would.
	PairsNeeded int `json:"pairs_needed"`
}

// Pair is one measurement of each side, one right after the other.
type Pair struct {
	// BFirst tells that the coin let B go first.
	BFirst bool `json:"b_first"`
	// APPS and BPPS are the figures per direction.
	APPS float64 `json:"a_pps"`
	BPPS float64 `json:"b_pps"`
	// Disturbed is why a half stayed disturbed after it was repeated; empty if neither did. The pair counts all the same.
	Disturbed string `json:"disturbed,omitempty"`
}

// Ratio is B/A; 0 if A is 0.
func (p Pair) Ratio() float64 {
	if p.APPS == 0 {
		return 0
	}
	return p.BPPS / p.APPS
}

// AAPair is A measured twice, one right after the other.
type AAPair struct {
	FirstPPS  float64 `json:"first_pps"`
	SecondPPS float64 `json:"second_pps"`
	// Disturbed is as in Pair.
	Disturbed string `json:"disturbed,omitempty"`
}

// Sweep is the figure over the values of one field of the plan.
type Sweep struct {
	// Field is the path of the field; Values are in the order of the curve.
	Field  string   `json:"field"`
	Values []string `json:"values"`
	// Figure is as in Comparison.
	Figure string `json:"figure"`
	// RepeatsPlanned of each value were fixed before the start.
	RepeatsPlanned int     `json:"repeats_planned"`
	Curves         []Curve `json:"curves"`
}

// Curve is one cell over the values of a sweep.
type Curve struct {
	// Title names the cell without the value.
	Title string `json:"title"`
	// LoadPPS is as in ComparedCell.
	LoadPPS float64      `json:"load_pps"`
	Points  []CurvePoint `json:"points"`
	// NoiseFloorRatio is by how much the best of as many equal values would seem better than another in 95 %.
	NoiseFloorRatio float64 `json:"noise_floor_ratio"`
	// MarginRatio is the greater of the noise floor and the smallest change that matters.
	MarginRatio float64 `json:"margin_ratio"`
	// BestValue has the highest estimate. EnoughValue is the first one that is as good: nothing is
	// gained beyond it. Both are empty until every value has its repeats.
	BestValue   string `json:"best_value"`
	EnoughValue string `json:"enough_value"`
	// Flat tells that all values are as good as the best.
	Flat bool `json:"flat"`
}

// CurvePoint is one value of a sweep.
type CurvePoint struct {
	Value string `json:"value"`
	Cell  string `json:"cell"`
	// Skipped is why the value has no point on the curve: this machine cannot have it, or no
	// load was found to pass. Empty if it was measured.
	Skipped string `json:"skipped,omitempty"`
	// PPS are the figures per direction, one for each repeat.
	PPS []float64 `json:"pps"`
	// Disturbed counts the repeats that stayed disturbed; they count all the same.
	Disturbed int `json:"disturbed"`
	// EstimatePPS is the median; its 95 % interval comes from the scatter of all values together.
	EstimatePPS     float64 `json:"estimate_pps"`
	IntervalLowPPS  float64 `json:"interval_low_pps"`
	IntervalHighPPS float64 `json:"interval_high_pps"`
	// GainRatio is by how much the best value is better: 0.1 is 10 %.
	GainRatio float64 `json:"gain_ratio"`
	// AsGood tells that GainRatio is not above the margin.
	AsGood bool `json:"as_good"`
}
