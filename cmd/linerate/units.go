package main

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// mpps prints a rate with three digits or more: a search is 0.5 % wide.
func mpps(pps float64) string { return mppsNumber(pps) + " Mpps" }

// mppsNumber is mpps without the unit.
func mppsNumber(pps float64) string {
	switch v := pps / 1e6; {
	case v == 0:
		return "0"
	case v < 0.01:
		return strconv.FormatFloat(v, 'g', 3, 64)
	case v < 0.1:
		return strconv.FormatFloat(v, 'f', 4, 64)
	default:
		return strconv.FormatFloat(v, 'f', 3, 64)
	}
}

// percent prints a ratio with two digits or more: "0 %", "0.012 %", "14 %".
func percent(ratio float64) string {
	p := 100 * ratio
	if p == 0 {
		return "0 %"
	}
	decimals := max(0, min(6, 1-int(math.Floor(math.Log10(math.Abs(p))))))
	text := strconv.FormatFloat(p, 'f', decimals, 64)
	if strings.Contains(text, ".") {
		text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
	}
	return text + " %"
}

// grouped prints 10000 as 10,000.
func grouped(n uint64) string {
	s := strconv.FormatUint(n, 10)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// spoken is a duration for a sentence: "0.25 s", "52 s", "2 min 5 s", "1 h 20 min".
func spoken(seconds float64) string {
	switch {
	case seconds < 1:
		return strconv.FormatFloat(math.Round(seconds*100)/100, 'g', -1, 64) + " s"
	case seconds < 10:
		return strconv.FormatFloat(math.Round(seconds*10)/10, 'g', -1, 64) + " s"
	}
	s := int(math.Round(seconds))
	switch {
	case s < 60:
		return fmt.Sprintf("%d s", s)
	case s < 600 && s%60 != 0:
		return fmt.Sprintf("%d min %d s", s/60, s%60)
	case s < 3600:
		return fmt.Sprintf("%d min", int(math.Round(seconds/60)))
	case s%3600 < 60:
		return fmt.Sprintf("%d h", s/3600)
	}
	return fmt.Sprintf("%d h %d min", s/3600, s%3600/60)
}

// clock is a duration on a clock: "0:42", "12:05", "1:02:03".
func clock(d time.Duration) string {
	s := int(d / time.Second)
	if s >= 3600 {
		return fmt.Sprintf("%d:%02d:%02d", s/3600, s/60%60, s%60)
	}
	return fmt.Sprintf("%d:%02d", s/60, s%60)
}
