package main

import (
	"fmt"
	"math"
	"strconv"
	"time"

	"github.com/linerate/linerate/report"
)

// mpps prints a rate with its unit.
func mpps(pps float64) string { return report.Mpps(pps) + " Mpps" }

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
