// Package kernels compares kernels by what the forwarding of a packet costs them: it
// boots each in a virtual machine that counts instructions, as often as the plan says, and
// stores the counts and the verdict of each pair of kernels as a run.
//
// It is a loop of its own beside bench, because nothing of a search is in it: there is no
// load to look for, and a count needs no second look.
package kernels

import (
	"os"
	"path/filepath"
	"time"

	"github.com/linerate/linerate/plan"
	"github.com/linerate/linerate/result"
)

// Options are what a run needs besides its plan.
type Options struct {
	// Plan is of testbed vm.
	Plan plan.Plan
	// Out is the folder of the run; it must not hold a run yet.
	Out string
	// Name names the run.
	Name string
	// Command is how the run was started, for a reader to repeat.
	Command []string
	// Versions are recorded with the environment: linerate's own.
	Versions map[string]string
	// Init is the path of the static program that guests run: linerate itself.
	Init string
	// Cache is the folder in which packages are kept.
	Cache  string
	Events Events
}

// Events are told what happens, in the order in which it does.
type Events interface {
	// Opened tells that a kernel was found and will be booted so many times.
	Opened(k result.Kernel, boots int)
	// Booted tells how a boot ended, the n-th of the kernel.
	Booted(k result.Kernel, n int, b result.KernelBoot)
	// Round tells that a round of the rates came to its end, the n-th of so many.
	Round(n, rounds int)
	// Counted tells that one boot more of a kernel counted each instruction, and how long it took.
	Counted(kernel string, wall time.Duration)
	// Doubt tells of a warning about the rates, as it arises.
	Doubt(w result.Warning)
	// Failed tells why a kernel is not measured any further.
	Failed(k result.Kernel)
}

// DefaultCache is the folder of kernels in the user's cache.
func DefaultCache() (string, error) {
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	return filepath.Join(dir, "linerate", "kernels"), nil
}
