// Command linerate measures how many packets per second this machine forwards,
// with which flows, rules and cores, and says what set the limit.
package main

import (
	"os"
	"runtime"

	"github.com/linerate/linerate/kernels/guest"
)

// A goroutine that enters a network namespace for good keeps its thread until it
// ends. On the leader thread it would take the whole process along: /proc/self and
// every thread started from it would show the namespace. So main holds the leader.
func init() { runtime.LockOSThread() }

func main() {
	if guest.Asked() {
		guest.Main()
	}
	os.Exit(execute(os.Args[1:], os.Stdout, os.Stderr))
}
