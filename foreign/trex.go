package foreign

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"

	"github.com/linerate/linerate/plan"
	"github.com/linerate/linerate/result"
)

// trexPort are the counters of one port in the statistics of TRex's stateless client
// (STLClient.get_stats, written as JSON). Bytes are those of the frame with its FCS.
type trexPort struct {
	OutPackets float64 `json:"opackets"`
	InPackets  float64 `json:"ipackets"`
	OutBytes   float64 `json:"obytes"`
	TxPPS      float64 `json:"tx_pps"`
	RxPPS      float64 `json:"rx_pps"`
}

// readTRex reads ports that sent and ports that received. What arrived is what all ports
// received of what all sent; the rate is that at which it was sent less the share lost.
func readTRex(keys map[string]json.RawMessage, scenario plan.Scenario) (Output, error) {
	var sum trexPort
	senders := 0
	for _, key := range sortedKeys(keys) {
		if _, err := strconv.Atoi(key); err != nil {
			continue // "total" and "global" add up the ports
		}
		var p trexPort
		if err := json.Unmarshal(keys[key], &p); err != nil {
			return Output{}, fmt.Errorf("port %s of TRex's statistics: %w", key, err)
		}
		sum.OutPackets += p.OutPackets
		sum.InPackets += p.InPackets
		sum.OutBytes += p.OutBytes
		sum.TxPPS += p.TxPPS
		sum.RxPPS += p.RxPPS
		if p.OutPackets > 0 {
			senders++
		}
	}
	if sum.OutPackets == 0 {
		return Output{}, errors.New("it is JSON, but neither iperf3's nor TRex's statistics of ports that have sent anything (STLClient.get_stats)")
	}
	if sum.TxPPS == 0 {
		return Output{}, errors.New("TRex's statistics were taken when nothing was being sent: they have counts (opackets) and no rate (tx_pps); take them while traffic flows")
	}
	directions := plan.Uni
	if senders > 1 {
		directions = plan.Bi
	}
	lost := max(0, 1-sum.InPackets/sum.OutPackets)
	size := plan.FrameSize(math.Round(sum.OutBytes / sum.OutPackets))
	c := newCell(plan.Cell{Scenario: scenario.Name(), Backend: scenario.Backend(), IPVersion: 4, FrameSize: max(plan.MinFrameSize, size), Flows: 1, Directions: directions})
	c.Engine = "trex"
	sent := sum.TxPPS / float64(directions.Count())
	c.Unpaced = &result.Unpaced{Trials: 1, SentPPS: sent, ReceivedPPS: new(sent * (1 - lost)), LossRatio: &lost}
	c.Evidence = append(c.Evidence, fmt.Sprintf("TRex counted %.0f frames sent and %.0f received (%.3f %% lost), at %.0f pps sent; frames still on their way count as lost", sum.OutPackets, sum.InPackets, 100*lost, sum.TxPPS))
	return Output{Kind: "TRex statistics", Cell: c}, nil
}
