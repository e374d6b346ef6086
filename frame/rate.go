package frame

// FCSBytes is the frame check sequence, part of the frame size (RFC 2544 section
// 9.1) but not of what AF_PACKET and XDP see.
const FCSBytes = 4

// OverheadL1Bytes is what a frame costs on an Ethernet wire besides itself:
// preamble 7, start-of-frame delimiter 1, inter-frame gap 12.
const OverheadL1Bytes = 20

// LineRatePPS is the most frames of the given size, FCS included, that fit into
// an Ethernet of so many bits per second.
func LineRatePPS(linkBPS, frameSizeBytes float64) float64 {
	return linkBPS / (8 * (frameSizeBytes + OverheadL1Bytes))
}

// L1BPS is the load in bits per second on the wire, preamble and gap included.
func L1BPS(pps, frameSizeBytes float64) float64 {
	return pps * 8 * (frameSizeBytes + OverheadL1Bytes)
}

// L2BPS is the load in bits per second of the frames themselves, FCS included.
func L2BPS(pps, frameSizeBytes float64) float64 {
	return pps * 8 * frameSizeBytes
}
