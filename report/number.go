package report

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Mpps prints a rate in Mpps with three digits or more: a search is 0.5 % wide.
func Mpps(pps float64) string { return digits3(pps / 1e6) }

// gbit prints bits per second in Gbit/s.
func gbit(bps float64) string { return digits3(bps / 1e9) }

func digits3(v float64) string {
	a := math.Abs(v)
	switch {
	case a == 0:
		return "0"
	case a >= 100:
		return strconv.FormatFloat(v, 'f', 1, 64)
	case a >= 10:
		return strconv.FormatFloat(v, 'f', 2, 64)
	case a >= 0.1:
		return strconv.FormatFloat(v, 'f', 3, 64)
	case a >= 0.01:
		return strconv.FormatFloat(v, 'f', 4, 64)
	}
	return strconv.FormatFloat(v, 'g', 3, 64)
}

// Percent prints a ratio in percent, without an exponent down to 1e-9.
func Percent(ratio float64) string {
	p := ratio * 100
	if p == 0 {
		return "0 %"
	}
	decimals := max(0, min(8, 2-int(math.Floor(math.Log10(math.Abs(p))))))
	s := strconv.FormatFloat(p, 'f', decimals, 64)
	if strings.Contains(s, ".") {
		s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	}
	return s + " %"
}

// seconds prints a duration given in seconds.
func seconds(s float64) string { return strconv.FormatFloat(s, 'g', 4, 64) + " s" }

// timeNS prints nanoseconds in the unit that leaves three digits.
func timeNS(ns uint64) string {
	switch v := float64(ns); {
	case v >= 1e9:
		return digitsTime(v/1e9) + " s"
	case v >= 1e6:
		return digitsTime(v/1e6) + " ms"
	case v >= 1e3:
		return digitsTime(v/1e3) + " µs"
	}
	return fmt.Sprintf("%d ns", ns)
}

func digitsTime(v float64) string {
	switch {
	case v >= 100:
		return strconv.FormatFloat(v, 'f', 0, 64)
	case v >= 10:
		return strconv.FormatFloat(v, 'f', 1, 64)
	}
	return strconv.FormatFloat(v, 'f', 2, 64)
}

// Thousands prints 10000 as 10,000.
func Thousands(n uint64) string {
	s := strconv.FormatUint(n, 10)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// amount prints a figure's rate with its relation; per chooses the rate.
func (f Figure) amount(per func(Figure) float64, print func(float64) string) string {
	switch f.Relation {
	case Exact:
		return print(per(f))
	case AtLeast:
		return ">= " + print(per(f))
	case Below:
		return "< " + print(per(f))
	case UndefinedThroughput:
		return "undefined"
	}
	return "-"
}

func perDirection(f Figure) float64   { return f.PerDirectionPPS }
func total(f Figure) float64          { return f.TotalPPS }
func perDirectionL1(f Figure) float64 { return f.PerDirL1BPS }
func totalL1(f Figure) float64        { return f.TotalL1BPS }

// terms prints the trial duration and the duration sum that a figure holds for.
func (f Figure) terms() string {
	if f.Goal.TrialDurationS == 0 {
		return ""
	}
	return "d " + seconds(f.Goal.TrialDurationS) + ", S " + seconds(f.Goal.DurationSumS)
}

// nsPerPacket is "-" where the DUT's CPU was not observed.
func (c cell) nsPerPacket() string {
	if c.CPU == nil || c.CPU.NSPerPacket <= 0 {
		return "-"
	}
	return Thousands(uint64(math.Round(c.CPU.NSPerPacket)))
}

func (c cell) coresBusy() string {
	if c.CPU == nil {
		return "-"
	}
	return strconv.FormatFloat(c.CPU.DUTCoresBusy, 'f', 2, 64)
}

// verdict is "skipped" for a cell that was not measured.
func (c cell) verdict() string {
	if !c.measured() {
		return "skipped"
	}
	if c.Verdict == "" {
		return "-"
	}
	return string(c.Verdict)
}
