// Package kernel finds out what the running kernel, its privileges and the
// installed tools allow, by trying each thing and never by comparing versions
// where a try is possible. What a probe makes (namespaces, devices, rules) is
// gone when it returns.
package kernel

import (
	"errors"
	"io/fs"
	"os"
	"slices"

	"golang.org/x/sys/unix"
)

// Need says what becomes impossible without a feature.
type Need string

// The values of Need.
const (
	// ForLab features are needed by every measurement.
	ForLab Need = "lab"
	// ForScenario features are needed by some scenarios; their cells are skipped without them.
	ForScenario Need = "scenario"
	// ForQuality features make figures more trustworthy; without them the record says so.
	ForQuality Need = "quality"
	// ForComparison features are other tools to compare with, or parts that no shipped plan uses.
	ForComparison Need = "comparison"
)

// Feature is one thing that a kernel or an installed tool may offer.
type Feature struct {
	Name string
	Need Need
	// Cost says what cannot be done without the feature.
	Cost string
	// Fix says how to get it.
	Fix string
	try func() (string, error)
}

// Try uses the feature once, for real. The text says what was seen; the error
// says why the feature is not to be had. Most features need root to be tried.
func (f Feature) Try() (string, error) {
	seen, err := f.try()
	if err != nil {
		return "", err
	}
	return seen, nil
}

// NotTried tells whether a feature could not be had only because this process is not
// root, which says nothing about the machine. err is what Try gave.
func (f Feature) NotTried(err error) bool {
	return os.Geteuid() != 0 && f.Name != Root.Name &&
		(f.Name == Capabilities.Name || errors.Is(err, unix.EPERM) || errors.Is(err, fs.ErrPermission))
}

// Features are the kernel's, in the order in which a reader should look at them.
func Features() []Feature {
	return []Feature{
		Root, Capabilities, LiveFrames, BTF, Namespaces, Veth, ThreadedNAPI, RealTime,
		NFTables, Conntrack, NAT, IPTablesRules, Bridge, Flowtable, Tun, VLAN, Netem, Pktgen, PerfEvents,
	}
}

// ForLabFeatures are those of Features that every measurement needs.
func ForLabFeatures() []Feature {
	return slices.DeleteFunc(Features(), func(f Feature) bool { return f.Need != ForLab })
}
