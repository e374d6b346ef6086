package report

import (
	"math"
	"strconv"

	"github.com/linerate/linerate/frame"
)

// extrapolation is printed beside every number of cores that was not measured.
const extrapolation = "An extrapolation from CPU time per packet: it assumes that throughput grows linearly with the cores, " +
	"which one flow, a shared lock or a full cache prevents."

// wantedRate is a packet rate that a reader asks the cores for.
type wantedRate struct {
	Name string
	// LinkBPS is the Ethernet rate to fill, or 0 when PPS is given.
	LinkBPS, PPS float64
}

var wantedRates = []wantedRate{
	{Name: "1 Mpps", PPS: 1e6},
	{Name: "1 Gbit/s", LinkBPS: 1e9},
	{Name: "10 Gbit/s", LinkBPS: 10e9},
	{Name: "25 Gbit/s", LinkBPS: 25e9},
}

// coresNeeded is the DUT cores that a rate would take.
type coresNeeded struct {
	Rate  string  `json:"rate"`
	PPS   float64 `json:"pps"`
	Cores float64 `json:"cores"`
}

// coresNeededBy is empty when the CPU time per packet is not known. Rates are of one direction.
func coresNeededBy(c cell) []coresNeeded {
	if !c.measured() || c.CPU == nil || c.CPU.NSPerPacket <= 0 {
		return nil
	}
	var needed []coresNeeded
	for _, r := range wantedRates {
		pps := r.PPS
		if r.LinkBPS > 0 {
			pps = frame.LineRatePPS(r.LinkBPS, c.MeanBytes)
		}
		needed = append(needed, coresNeeded{Rate: r.Name, PPS: pps, Cores: pps * c.CPU.NSPerPacket * 1e-9})
	}
	return needed
}

// coreCount prints a number of cores with one decimal, two below ten.
func coreCount(cores float64) string {
	if math.Abs(cores) < 10 {
		return strconv.FormatFloat(cores, 'f', 2, 64)
	}
	return strconv.FormatFloat(cores, 'f', 1, 64)
}
