package lab

// RealTime is nil if the lab's threads have real-time priorities (SCHED_FIFO), and
// otherwise says why they cannot: in a control group without real-time budget, or where
// a container's seccomp profile forbids it. The lab works without, with figures that
// vary more. Without CAP_SYS_NICE it does not: the kernel then refuses to move its NAPI
// threads too (cap_safe_nice, security/commoncap.c).
func (l *Lab) RealTime() error { return l.noRealTime }

// GeneratorPriority is what sending threads ask for, below that of sinks that share
// their CPU. What else waits for the CPU gets at most 50 ms of each second (the fair
// server, Linux 6.12); from a thread without real-time priority it would take half.
func (l *Lab) GeneratorPriority() int { return l.priority(generatorPriority) }

// priority is what a thread of the lab asks for instead of a SCHED_FIFO priority where
// there are none: a nice value, the further below 0 the higher the priority is.
func (l *Lab) priority(fifo int) int {
	if l.noRealTime == nil {
		return fifo
	}
	return max(-20, -fifo*20/sinkPriority)
}
