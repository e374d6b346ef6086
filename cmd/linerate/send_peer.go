package main

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/safchain/ethtool"
	"github.com/vishvananda/netlink"
	"github.com/vishvananda/netlink/nl"
	vnetns "github.com/vishvananda/netns"
	"golang.org/x/sys/unix"

	"github.com/linerate/linerate/internal/netns"
)

// peer is the other end of a veth.
type peer struct {
	name string
	// where is the peer's namespace in words; named is its name if it has one.
	where, named string
	mac          net.HardwareAddr
	up           bool
	program, gro bool // that take frames from XDP
}

// command is a command line that runs in the peer's namespace.
func (p *peer) command(line string) string {
	switch {
	case p.named != "":
		return "ip netns exec " + p.named + " " + line
	case strings.HasPrefix(p.where, processPrefix):
		return "nsenter --net --target " + strings.TrimPrefix(p.where, processPrefix) + " " + line
	}
	return line
}

func (p *peer) netnsFlag() string {
	if p.named == "" {
		return ""
	}
	return "--netns " + p.named
}

const processPrefix = "the namespace of process "

// findPeer finds the other end of a veth, in whatever namespace of this machine it
// is. It returns nil for a device of another kind.
func findPeer(ns string, ifindex int) (*peer, error) {
	var found *peer
	err := netns.Do(ns, func() error {
		link, err := netlink.LinkByIndex(ifindex)
		if err != nil || link.Type() != "veth" {
			return err
		}
		own := link.Attrs()
		if own.NetNsID < 0 {
			found, err = lookAtPeer(own.ParentIndex)
			if err == nil {
				found.where, found.named = "the same namespace", ns
			}
			return err
		}
		for _, c := range namespaces() {
			h, err := vnetns.GetFromPath(c.path)
			if err != nil {
				continue // its process has ended
			}
			if id, err := netlink.GetNetNsIdByFd(int(h)); err == nil && id == own.NetNsID {
				err := insideHandle(h, func() (err error) {
					found, err = lookAtPeer(own.ParentIndex)
					return err
				})
				_ = h.Close()
				if err == nil {
					found.where, found.named = c.where, c.named
				}
				return err
			}
			_ = h.Close()
		}
		return fmt.Errorf("its namespace (number %d) has neither a name nor a process", own.NetNsID)
	})
	return found, err
}

// lookAtPeer describes a device of the calling thread's namespace.
func lookAtPeer(ifindex int) (*peer, error) {
	link, err := netlink.LinkByIndex(ifindex)
	if err != nil {
		return nil, fmt.Errorf("find the peer with index %d: %w", ifindex, err)
	}
	a := link.Attrs()
	p := &peer{name: a.Name, mac: a.HardwareAddr, up: a.Flags&net.FlagUp != 0}
	p.program = a.Xdp != nil && a.Xdp.Attached && a.Xdp.AttachMode != nl.XDP_ATTACHED_SKB
	e, err := ethtool.NewEthtool()
	if err != nil {
		return nil, fmt.Errorf("open ethtool socket: %w", err)
	}
	defer e.Close()
	features, err := e.Features(a.Name)
	if err != nil {
		return nil, fmt.Errorf("read the features of %s: %w", a.Name, err)
	}
	p.gro = features["rx-gro"]
	return p, nil
}

// candidate is a namespace that a peer may be in.
type candidate struct{ path, where, named string }

// namespaces are those that have a name or a process, each once: the process's own, the named ones, those of others.
func namespaces() (list []candidate) {
	seen := map[[2]uint64]bool{}
	add := func(c candidate) {
		var s unix.Stat_t
		if unix.Stat(c.path, &s) != nil || seen[[2]uint64{s.Dev, s.Ino}] {
			return
		}
		seen[[2]uint64{s.Dev, s.Ino}] = true
		list = append(list, c)
	}
	add(candidate{path: "/proc/self/ns/net", where: "the namespace of this shell"})
	named, _ := os.ReadDir(netns.Dir) // there may be none
	for _, f := range named {
		add(candidate{path: netns.Path(f.Name()), where: "namespace " + f.Name(), named: f.Name()})
	}
	processes, _ := filepath.Glob("/proc/[0-9]*/ns/net")
	for _, path := range processes {
		add(candidate{path: path, where: processPrefix + strings.Split(path, "/")[2]})
	}
	return list
}

// insideHandle runs f inside a namespace on a thread that ends with it.
func insideHandle(h vnetns.NsHandle, f func() error) error {
	done := make(chan error)
	go func() {
		runtime.LockOSThread()
		if err := vnetns.Set(h); err != nil {
			done <- fmt.Errorf("enter network namespace: %w", err)
			return
		}
		done <- f()
	}()
	return <-done
}
