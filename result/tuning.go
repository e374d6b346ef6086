package result

// Tuning is one setting of the kernel's packet generator, tried in a guest that counts
// instructions, with both accounts of what it sent.
type Tuning struct {
	// Device is what sent: "dummy" drops every frame and has no receiver, "vmxnet3" is an emulated
	// card with another at the other end of its cable.
	Device string `json:"device"`
	// CloneSKB is how many times each packet is sent before the next is built (0 and 1 build each), and Burst how many
	// times it is handed to the driver at once (Documentation/networking/pktgen.rst, Linux 6.18).
	CloneSKB int `json:"clone_skb"`
	Burst    int `json:"burst"`
	// SentFrames are those of pktgen's Result line in one measurement, and ReceivedFrames what the
	// receiving card counted meanwhile; a dummy counts what it took.
	SentFrames     int `json:"sent_frames"`
	ReceivedFrames int `json:"received_frames"`
	// ReceivedIPPackets are those that reached the receiver's IP layer (InReceives of
	// /proc/net/snmp); 0 for a dummy, behind which there is none.
	ReceivedIPPackets int `json:"received_ip_packets"`
	// ResultPPS is the rate on pktgen's Result line, in the guest's time, in which each instruction
	// takes one nanosecond: a rate of instructions, not of any machine. The median of a boot.
	ResultPPS float64 `json:"result_pps"`
}
