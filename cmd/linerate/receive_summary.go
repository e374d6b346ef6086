package main

import (
	"fmt"
	"io"
	"time"

	"github.com/linerate/linerate/frame"
	"github.com/linerate/linerate/report"
	"github.com/linerate/linerate/sink"
)

// receiveSummary is what `linerate receive` prints at its end.
type receiveSummary struct {
	Interface     string `json:"interface"`
	Netns         string `json:"netns,omitempty"`
	Epoch         uint16 `json:"epoch"`
	Flows         int    `json:"flows"`
	Received      uint64 `json:"received"`
	ReceivedBytes uint64 `json:"received_bytes_without_fcs"`
	// Lost are gaps in the sequences; nil if the sink does not tell.
	Lost       *uint64 `json:"lost"`
	Duplicated uint64  `json:"duplicated"`
	Reordered  uint64  `json:"reordered"`
	Late       uint64  `json:"late"`
	Foreign    uint64  `json:"foreign"`
	WrongFlow  uint64  `json:"wrong_flow"`
	WrongSize  uint64  `json:"wrong_size"`
	// Seconds are from the first frame to the last.
	Seconds     float64 `json:"duration_s"`
	PPS         float64 `json:"received_pps"`
	L1BPS       float64 `json:"received_l1_bps"`
	P50NS       uint64  `json:"latency_p50_ns"`
	P99NS       uint64  `json:"latency_p99_ns"`
	MaxNS       uint32  `json:"latency_max_ns"`
	Interrupted bool    `json:"interrupted"`
}

// gapCounter is a sink that tells how many sequence numbers its flows have passed over.
type gapCounter interface {
	Missing(epoch uint16) (uint64, error)
}

// missing are the frames lost by gaps; nil if the sink does not tell.
func missing(s any, epoch uint16) *uint64 {
	g, ok := s.(gapCounter)
	if !ok {
		return nil
	}
	n, err := g.Missing(epoch)
	if err != nil {
		return nil
	}
	return &n
}

func (r *receiveSummary) take(s *sink.Sink) error {
	c, err := s.Collect()
	if err != nil {
		return err
	}
	h, err := s.Latency()
	if err != nil {
		return err
	}
	r.Received, r.ReceivedBytes, r.Duplicated, r.Reordered = c.Received, c.ReceivedBytes, c.Duplicated, c.Reordered
	r.Late, r.Foreign, r.WrongFlow, r.WrongSize = c.Late, c.Foreign, c.WrongFlow, c.WrongSize
	r.Lost = missing(s, r.Epoch)
	r.P50NS, r.P99NS, r.MaxNS = h.QuantileNS(0.5), h.QuantileNS(0.99), c.LatencyMaxNS
	r.Seconds = float64(c.LastNS-c.FirstNS) / 1e9
	if c.Received > 1 && r.Seconds > 0 {
		r.PPS = float64(c.Received-1) / r.Seconds
		r.L1BPS = frame.L1BPS(r.PPS, float64(c.ReceivedBytes)/float64(c.Received)+frame.FCSBytes)
	}
	return nil
}

func (r *receiveSummary) print(w io.Writer, asJSON bool) error {
	if asJSON {
		return writeJSON(w, r)
	}
	text := fmt.Sprintf("received    %s frames in %s\nrate        %s pps, %s Gbit/s L1\n", report.Thousands(r.Received), spoken(r.Seconds), report.Thousands(uint64(r.PPS+0.5)), gigabits(r.L1BPS))
	text += fmt.Sprintf("lost        %s\nduplicated  %s\nreordered   %s\nforeign     %s\n", lostText(r.Lost), report.Thousands(r.Duplicated), report.Thousands(r.Reordered), report.Thousands(r.Foreign))
	if r.Received > 0 {
		text += fmt.Sprintf("latency     P50 %v, P99 %v, maximum %v\n", time.Duration(r.P50NS), time.Duration(r.P99NS), time.Duration(r.MaxNS))
	}
	if r.WrongSize > 0 {
		text += fmt.Sprintf("wrong size  %s frames are longer or shorter than their IP header says\n", report.Thousands(r.WrongSize))
	}
	if r.Late > 0 {
		text += fmt.Sprintf("late        %s test frames carry another epoch than %d; give --epoch as the sender has it\n", report.Thousands(r.Late), r.Epoch)
	}
	if r.WrongFlow > 0 {
		text += fmt.Sprintf("wrong flow  %s test frames belong to flows beyond the %s counted; give --flows as the sender has it\n", report.Thousands(r.WrongFlow), report.Thousands(uint64(r.Flows)))
	}
	_, err := io.WriteString(w, text)
	return err
}

func lostText(lost *uint64) string {
	if lost == nil {
		return "not known"
	}
	return report.Thousands(*lost)
}

// receiveLine is the live line of a receiver.
func receiveLine(elapsed time.Duration, pps float64, c sink.Counts, lost *uint64, h *frame.Histogram) string {
	text := fmt.Sprintf("%4.0f s  received %s  %s pps  lost %s  duplicated %s  reordered %s  foreign %s", elapsed.Seconds(), report.Thousands(c.Received), report.Thousands(uint64(pps+0.5)),
		lostText(lost), report.Thousands(c.Duplicated), report.Thousands(c.Reordered), report.Thousands(c.Foreign))
	if c.Received > 0 {
		text += fmt.Sprintf("  latency P50 %v P99 %v", time.Duration(h.QuantileNS(0.5)), time.Duration(h.QuantileNS(0.99)))
	}
	return text
}
