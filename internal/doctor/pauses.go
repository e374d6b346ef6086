package doctor

import (
	"slices"
	"time"
)

const (
	// ringFrames is the size of a veth's receive ring (VETH_RING_SIZE of drivers/net/veth.c).
	ringFrames = 256
	// pauseFloor is the shortest interval without the CPU that counts as a pause:
	// a ring outlasts it at any load that a veth carries.
	pauseFloor = 10 * time.Microsecond
	// pauseLimit overflows a ring at 800 kpps, the order of what one core forwards.
	pauseLimit = 320 * time.Microsecond
	// stealLimit is the share of time taken by the hypervisor that is worth a remark.
	stealLimit = 0.001
)

// CPUDisturbance is what a thread that wanted one CPU all the time saw of it.
type CPUDisturbance struct {
	CPU int `json:"cpu"`
	// RealTime tells that the thread ran with SCHED_FIFO, as the lab's threads do,
	// so that other programs of this machine hardly disturbed it.
	RealTime bool `json:"real_time"`
	// WatchedNS is for how long.
	WatchedNS uint64 `json:"watched_ns"`
	// Pauses counts the intervals of at least 10 us in which the thread did not run, and PausedRatio is their share of the time.
	Pauses      int     `json:"pauses"`
	PausedRatio float64 `json:"paused_ratio"`
	// P999NS is how long work that comes at a random moment waits for the CPU at most, in 99.9 % of all moments.
	P999NS uint64 `json:"p999_ns"`
	MaxNS  uint64 `json:"max_ns"`
	// StealRatio is the share of time that /proc/stat says a hypervisor took.
	StealRatio float64 `json:"steal_ratio"`
}

// RingOverflowPPS is the load above which the longest pause overflows the ring
// of a veth, whatever the DUT does; 0 if there was no pause.
func (d CPUDisturbance) RingOverflowPPS() float64 {
	if d.MaxNS == 0 {
		return 0
	}
	return ringFrames * 1e9 / float64(d.MaxNS)
}

// summarise reckons with the pauses of one CPU.
func summarise(cpu int, realTime bool, watched time.Duration, pauses []time.Duration) CPUDisturbance {
	d := CPUDisturbance{CPU: cpu, RealTime: realTime, WatchedNS: uint64(watched), Pauses: len(pauses)}
	if len(pauses) == 0 || watched <= 0 {
		return d
	}
	var sum time.Duration
	for _, p := range pauses {
		sum += p
	}
	d.PausedRatio = float64(sum) / float64(watched)
	d.MaxNS = uint64(slices.Max(pauses))
	d.P999NS = uint64(waitQuantile(pauses, watched, 0.999))
	return d
}

// waitQuantile is the wait that work which comes at a random moment does not
// exceed with probability q. A pause of length p makes moments of total length
// p-w wait longer than w; so it is the least w at which the sum of p-w over all
// pauses longer than w is at most (1-q) of the time watched.
func waitQuantile(pauses []time.Duration, watched time.Duration, q float64) time.Duration {
	falling := slices.Clone(pauses)
	slices.Sort(falling)
	slices.Reverse(falling)
	allowed := (1 - q) * float64(watched)
	sum := 0.0
	for i, p := range falling {
		sum += float64(p)
		wait := (sum - allowed) / float64(i+1)
		if wait < 0 {
			continue
		}
		if i+1 == len(falling) || wait >= float64(falling[i+1]) {
			return time.Duration(wait)
		}
	}
	return 0
}
