package main

import (
	"fmt"
	"io"
	"time"

	"github.com/linerate/linerate/frame"
	"github.com/linerate/linerate/generator"
	"github.com/linerate/linerate/plan"
	"github.com/linerate/linerate/report"
)

// sendSummary is what `linerate send` prints at its end.
type sendSummary struct {
	Interface      string         `json:"interface"`
	Netns          string         `json:"netns,omitempty"`
	Engine         string         `json:"engine"`
	DestinationMAC string         `json:"destination_mac"`
	FrameSize      plan.FrameSize `json:"frame_size_bytes"`
	IPVersion      int            `json:"ip_version"`
	Flows          int            `json:"flows"`
	Epoch          uint16         `json:"epoch"`
	Intended       uint64         `json:"intended"`
	Sent           uint64         `json:"sent"`
	Unsent         uint64         `json:"unsent"`
	SentBytes      uint64         `json:"sent_bytes_without_fcs"`
	Seconds        float64        `json:"duration_s"`
	SentPPS        float64        `json:"sent_pps"`
	SentL1BPS      float64        `json:"sent_l1_bps"`
	// GapP50NS and GapP99NS are of the times between departures on one thread; 0 for an unbounded load.
	GapP50NS    uint64   `json:"gap_p50_ns"`
	GapP99NS    uint64   `json:"gap_p99_ns"`
	Interrupted bool     `json:"interrupted"`
	Notes       []string `json:"notes,omitempty"`
}

func (s *sendSummary) take(c generator.Counts, sizes frame.Sizes, interrupted bool) {
	n := c.Streams[0]
	s.Intended, s.Sent, s.Unsent, s.SentBytes = n.Intended, n.Sent, n.Unsent, n.SentBytes
	s.Seconds, s.Interrupted = c.Duration.Seconds(), interrupted
	if n.Sent > 1 && s.Seconds > 0 {
		s.SentPPS = float64(n.Sent-1) / s.Seconds // the time is from the first departure to the last
		s.SentL1BPS = frame.L1BPS(s.SentPPS, float64(n.SentBytes)/float64(n.Sent)+frame.FCSBytes)
	}
	s.GapP50NS, s.GapP99NS = c.Gaps.QuantileNS(0.5), c.Gaps.QuantileNS(0.99)
}

func (s *sendSummary) print(w io.Writer, asJSON bool) error {
	if asJSON {
		return writeJSON(w, s)
	}
	text := fmt.Sprintf("sent      %s frames in %s\nrate      %s pps, %s Gbit/s L1\n",
		report.Thousands(s.Sent), spoken(s.Seconds), report.Thousands(uint64(s.SentPPS+0.5)), gigabits(s.SentL1BPS))
	if s.Intended > 0 {
		text += fmt.Sprintf("unsent    %s of %s intended (%s)\n", report.Thousands(s.Unsent), report.Thousands(s.Intended), report.Percent(float64(s.Unsent)/float64(s.Intended)))
		text += fmt.Sprintf("gaps      P50 %v, P99 %v between departures\n", time.Duration(s.GapP50NS), time.Duration(s.GapP99NS))
	}
	_, err := io.WriteString(w, text)
	return err
}
