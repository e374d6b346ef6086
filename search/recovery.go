package search

// RecoveryLoads are the two loads of the system recovery test in frames per second
// and direction: 110 % of the throughput, or the maximum load if that is less, and
// half of that (RFC 2544 section 26.5).
func RecoveryLoads(throughputPPS, maxLoadPPS float64) (overloadPPS, recoveryPPS float64) {
	overloadPPS = min(1.1*throughputPPS, maxLoadPPS)
	return overloadPPS, overloadPPS / 2
}
