package testbed

import "os"

// KernelHasIPv6 tells whether this kernel has IPv6 at all: booted with
// ipv6.disable=1 it has none, in no namespace.
func KernelHasIPv6() bool {
	_, err := os.Stat("/proc/sys/net/ipv6/conf")
	return err == nil
}
