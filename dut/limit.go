package dut

import "fmt"

// limit drops what exceeds a packet rate: a DUT whose capacity is known.
var limit = kind{
	steps:   limitSteps,
	mostPPS: func(s Scenario) float64 { return float64(s.Plan.Limit.PPS) },
}

func limitSteps(s Scenario) ([]Step, error) {
	if err := requireTools("nft"); err != nil {
		return nil, err
	}
	return s.nft("inet", "linerate", fmt.Sprintf(`table inet linerate {
	chain forward {
		type filter hook forward priority filter; policy accept;
		limit rate over %d/second burst %d packets counter drop
	}
}
`, s.Plan.Limit.PPS, s.Plan.Limit.BurstPackets)), nil
}
