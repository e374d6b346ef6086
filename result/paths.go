package result

// PathCounts are the frames that took one of several ways through the DUT, by the kernel's
// counters of the device by which the router on side A enters it.
type PathCounts struct {
	// Name is that of the router on the path.
	Name string `json:"name"`
	// TxPackets left side A's router by this path, RxPackets came back to it.
	TxPackets uint64 `json:"tx_packets"`
	RxPackets uint64 `json:"rx_packets"`
	// Share is the path's part of the packets from A to B on all paths, 0 to 1.
	Share float64 `json:"share"`
}

// SumPaths adds up the paths of trials, which have the same ones, or none.
func SumPaths(trials []Trial) []PathCounts {
	var sum []PathCounts
	for _, t := range trials {
		switch {
		case len(t.Paths) == 0:
		case sum == nil:
			sum = append(sum, t.Paths...)
		case len(sum) == len(t.Paths):
			for i, p := range t.Paths {
				sum[i].TxPackets += p.TxPackets
				sum[i].RxPackets += p.RxPackets
			}
		}
	}
	SharePaths(sum)
	return sum
}

// SharePaths sets the shares from the counts.
func SharePaths(paths []PathCounts) {
	var all uint64
	for _, p := range paths {
		all += p.TxPackets
	}
	for i, p := range paths {
		paths[i].Share = 0
		if all > 0 {
			paths[i].Share = float64(p.TxPackets) / float64(all)
		}
	}
}
