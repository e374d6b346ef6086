// Package pktgen is the generator that has the kernel's own packet generator send
// (net/core/pktgen.c, module pktgen): it writes the control files in /proc/net/pktgen of
// the device's namespace and reads what came of it. The frames carry pktgen's own mark,
// sequence and time stamp, which the sink counts when it is told to; they have no flow
// numbers and no epoch.
package pktgen
