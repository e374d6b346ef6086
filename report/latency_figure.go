package report

import "github.com/linerate/linerate/result"

// Time prints nanoseconds in the unit that leaves three digits: "12.3 µs".
func Time(ns uint64) string { return timeNS(ns) }

// signedTime prints a difference of times with its sign.
func signedTime(ns int64) string {
	switch {
	case ns < 0:
		return "-" + timeNS(uint64(-ns))
	case ns > 0:
		return "+" + timeNS(uint64(ns))
	}
	return "0"
}

var _ = result.LatencyAt{}
