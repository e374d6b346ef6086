package result

// ForStreams is a take of a workload of streams.
const ForStreams Purpose = "streams"

// StreamFigures are what a cell of a workload of streams measured: real programs at the
// two ends, whose TCP or UDP streams pass the DUT. All are empty in cells of test frames.
type StreamFigures struct {
	// Workload is the program with its protocol and direction: "iperf3-tcp-reverse".
	Workload string `json:"workload,omitempty"`
	// Streams are those of the measurement that counts, in the order of the program.
	Streams []Stream `json:"streams,omitempty"`
	// TotalReceiverL4BPS is the payload in bits that all receivers took per second.
	TotalReceiverL4BPS float64 `json:"total_receiver_l4_bps,omitempty"`
	// TotalReceiverPPS is the datagrams that they took per second, of UDP.
	TotalReceiverPPS float64 `json:"total_receiver_pps,omitempty"`
	// JainIndex is Jain's index of fairness over the streams' receiver_l4_bps: 1 if all are
	// alike, 1/n if one of n has it all (R. Jain, DEC-TR-301).
	JainIndex float64 `json:"jain_index,omitempty"`
	// BaseRatio is TotalReceiverL4BPS over that of the plan's base scenario with as many
	// streams; 0 without one.
	BaseRatio float64 `json:"base_ratio,omitempty"`
	// DirectL4BPS is the TotalReceiverL4BPS of the same streams over a direct link, without a
	// DUT: what the two ends can do themselves. 0 if it was not measured.
	DirectL4BPS float64 `json:"direct_l4_bps,omitempty"`
	// Ends is the CPU time of the two programs.
	Ends *EndHosts `json:"ends,omitempty"`
	// Takes are all measurements of the cell in their order; the first with the median total
	// of the sound ones counts.
	Takes []StreamTake `json:"takes,omitempty"`
}

// Stream is one TCP or UDP stream. What a program does not tell is null.
type Stream struct {
	// Reverse is true for a stream from B to A.
	Reverse bool `json:"reverse,omitempty"`
	// ReceiverL4BPS is the payload in bits that the receiver took per second.
	ReceiverL4BPS float64 `json:"receiver_l4_bps"`
	// Retransmits are the TCP segments that the sender sent again.
	Retransmits *uint64 `json:"retransmits,omitempty"`
	// Sent and Lost are datagrams of UDP. Lost are those that the receiver missed in the
	// sequence: what is lost behind the last one received is not among them.
	Sent *uint64 `json:"sent,omitempty"`
	Lost *uint64 `json:"lost,omitempty"`
	// MeanRTTNS is the mean round-trip time of TCP as the sender's kernel saw it.
	MeanRTTNS float64 `json:"mean_rtt_ns,omitempty"`
}

// EndHosts is the CPU time of the programs at both ends over the time measured. That of
// the kernel's threads for their devices is in the cell's cpu.
type EndHosts struct {
	// ClientCPUs and ServerCPUs are where they ran.
	ClientCPUs []int `json:"client_cpus"`
	ServerCPUs []int `json:"server_cpus"`
	// ClientCoresBusy and ServerCoresBusy are user and system time of the process (getrusage)
	// over the time that it lived.
	ClientCoresBusy float64 `json:"client_cores_busy"`
	ServerCoresBusy float64 `json:"server_cores_busy"`
	// Threads is how many threads of each process move data.
	Threads int `json:"threads"`
	// Offloads says how the ends' checksum and segmentation offloads were set: on or off.
	Offloads string `json:"offloads"`
	// Congestion is the congestion control of TCP that the program reported.
	Congestion string `json:"congestion,omitempty"`
	// Program is the version of the program.
	Program string `json:"program"`
}

// StreamTake is one measurement of a cell of streams.
type StreamTake struct {
	TotalReceiverL4BPS float64 `json:"total_receiver_l4_bps"`
	// Disturbed is why it does not count; empty if it is sound.
	Disturbed string `json:"disturbed,omitempty"`
	// Files are what the two programs printed, in the run's folder.
	Files []string `json:"files,omitempty"`
}

// Jain is Jain's index of fairness of rates; 0 of none, and 1 if all are 0.
func Jain(rates []float64) float64 {
	if len(rates) == 0 {
		return 0
	}
	sum, squares := 0.0, 0.0
	for _, r := range rates {
		sum += r
		squares += r * r
	}
	if squares == 0 {
		return 1
	}
	return sum * sum / (float64(len(rates)) * squares)
}

// AddUp sets the totals and the index from the streams.
func (f *StreamFigures) AddUp() {
	f.TotalReceiverL4BPS = 0
	rates := make([]float64, len(f.Streams))
	for i, s := range f.Streams {
		rates[i] = s.ReceiverL4BPS
		f.TotalReceiverL4BPS += s.ReceiverL4BPS
	}
	f.JainIndex = Jain(rates)
}

// Retransmits are those of all streams; known is false if no stream tells.
func (f StreamFigures) Retransmits() (sum uint64, known bool) {
	for _, s := range f.Streams {
		if s.Retransmits != nil {
			sum, known = sum+*s.Retransmits, true
		}
	}
	return sum, known
}

// Datagrams are what the streams of UDP sent and lost.
func (f StreamFigures) Datagrams() (sent, lost uint64, known bool) {
	for _, s := range f.Streams {
		if s.Sent != nil && s.Lost != nil {
			sent, lost, known = sent+*s.Sent, lost+*s.Lost, true
		}
	}
	return sent, lost, known
}

// DirectStreams is what the two ends carry over a direct link, without a DUT.
type DirectStreams struct {
	IPVersion int    `json:"ip_version"`
	Workload  string `json:"workload"`
	Streams   int    `json:"streams"`
	// TotalReceiverL4BPS is the payload in bits that all receivers took per second.
	TotalReceiverL4BPS float64 `json:"total_receiver_l4_bps"`
}
