// Package guard keeps test traffic off networks in use: RFC 6815 allows benchmarks
// in an isolated test environment only. It looks at what an interface carries and
// says why frames must not be sent there, and which flag lifts each refusal.
package guard

import (
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"

	"github.com/linerate/linerate/internal/netns"
	"github.com/vishvananda/netlink"
)

// labPrefix begins the names of the namespaces that the lab testbed makes.
const labPrefix = "lr-"

// Reason is one thing that speaks against sending.
type Reason struct {
	// Text is a whole clause: "eth0 carries the IPv4 default route via 192.0.2.1".
	Text string
	// Override is the flag, with its value, that lifts the refusal.
	Override string
}

// Check lists what speaks against sending on an interface of a namespace; an
// empty name is the namespace of the process. No reasons means that it is free.
// The error is one of looking, such as an interface that does not exist.
func Check(ns, ifname string) ([]Reason, error) {
	var texts []string
	err := netns.Do(ns, func() error {
		v, err := look()
		if err != nil {
			return err
		}
		link, err := netlink.LinkByName(ifname)
		if err != nil {
			return fmt.Errorf("find interface %s: %w; `ip link` lists what there is", ifname, err)
		}
		if link.Attrs().Flags&net.FlagLoopback != 0 && !strings.HasPrefix(ns, labPrefix) {
			texts = append(texts, ifname+" is the loopback device")
		}
		texts = append(texts, v.against(link)...)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("check whether %s is free for test traffic: %w", ifname, err)
	}
	var reasons []Reason
	for _, text := range texts {
		reasons = append(reasons, Reason{Text: text, Override: "--allow-interface " + ifname})
	}
	return reasons, nil
}

// Permit sorts reasons by the overrides that were given, each as its flag with its
// value. It returns the overridden ones, which a report has to print, and an error
// that holds all others.
func Permit(reasons []Reason, overrides []string) (overridden []Reason, err error) {
	var texts, flags []string
	for _, r := range reasons {
		if slices.Contains(overrides, r.Override) {
			overridden = append(overridden, r)
			continue
		}
		texts = append(texts, r.Text)
		if !slices.Contains(flags, r.Override) {
			flags = append(flags, r.Override)
		}
	}
	if len(texts) == 0 {
		return overridden, nil
	}
	return overridden, errors.New("refuse to send, for RFC 6815 keeps benchmarks off networks in use: " + strings.Join(texts, "; ") +
		"; use an isolated interface and the benchmarking addresses, or give " + strings.Join(flags, " ") + " if no one can be harmed")
}
