package kernel

import (
	"crypto/rand"
	"errors"
	"fmt"
	"os"

	"github.com/linerate/linerate/internal/netns"
	"github.com/vishvananda/netlink"
)

// SandboxPrefix begins the name of every namespace that a probe makes; the ID of
// the process and a random number follow.
const SandboxPrefix = "lr-probe-"

// sandbox runs f with a network namespace of its own, which is removed whatever f does.
func sandbox(f func(namespace string) error) (err error) {
	random := make([]byte, 4)
	rand.Read(random) // never fails (crypto/rand)
	namespace := fmt.Sprintf("%s%d-%x", SandboxPrefix, os.Getpid(), random)
	// Before Create: one that fails half-way leaves the file of the name behind.
	defer func() { err = errors.Join(err, netns.Delete(namespace)) }()
	if err := netns.Create(namespace); err != nil {
		return err
	}
	return f(namespace)
}

// inside is sandbox with f run in the namespace.
func inside(f func() error) error {
	return sandbox(func(namespace string) error { return netns.Do(namespace, f) })
}

// Names of the probe's pair of devices: short, so that the names of their NAPI
// threads are not cut at 15 characters.
const (
	nearEnd = "lrp0"
	farEnd  = "lrp1"
)

// addPair makes a veth pair that is up, in the namespace of the calling thread.
func addPair() error {
	pair := &netlink.Veth{LinkAttrs: netlink.LinkAttrs{Name: nearEnd}, PeerName: farEnd}
	if err := netlink.LinkAdd(pair); err != nil {
		return fmt.Errorf("add a veth pair: %w", err)
	}
	for _, end := range []string{nearEnd, farEnd} {
		link, err := netlink.LinkByName(end)
		if err != nil {
			return fmt.Errorf("find veth %s: %w", end, err)
		}
		if err := netlink.LinkSetUp(link); err != nil {
			return fmt.Errorf("set veth %s up: %w", end, err)
		}
	}
	return nil
}

// tryLink adds one device of a kind.
func tryLink(kind string, link netlink.Link) error {
	return inside(func() error {
		if err := netlink.LinkAdd(link); err != nil {
			return fmt.Errorf("add a %s device: %w", kind, err)
		}
		return nil
	})
}
