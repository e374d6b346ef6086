// Package device tells what the kernel knows of a network device: whether it is up, its
// peer if it is a veth, whether frames sent to it by XDP arrive, and who is next.
package device

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"

	"github.com/safchain/ethtool"
	"github.com/vishvananda/netlink"
	"github.com/vishvananda/netlink/nl"
	vnetns "github.com/vishvananda/netns"
	"golang.org/x/sys/unix"

	"github.com/linerate/linerate/internal/netns"
	"github.com/linerate/linerate/internal/sched"
)

// Device is a network device of some namespace of this machine.
type Device struct {
	Name string
	// Where is the device's namespace in words. Netns is its name if it has one.
	Where, Netns string
	MAC          net.HardwareAddr
	Up           bool
	// XDPProgram (in native mode) and GRO: a veth takes frames that its peer sends by
	// XDP if it has either (drivers/net/veth.c).
	XDPProgram, GRO bool
}

// Command is a command line that runs another one in the device's namespace.
func (d *Device) Command(line string) string {
	switch {
	case d.Netns != "":
		return "ip netns exec " + d.Netns + " " + line
	case strings.HasPrefix(d.Where, processPrefix):
		return "nsenter --net --target " + strings.TrimPrefix(d.Where, processPrefix) + " " + line
	}
	return line
}

// Find looks a device up in a named namespace, and requires that it is up.
func Find(ns, name string) (*net.Interface, error) {
	var device *net.Interface
	err := netns.Do(ns, func() (err error) {
		if device, err = net.InterfaceByName(name); err != nil {
			return fmt.Errorf("find interface %s: %w; `ip link` lists what there is", name, err)
		}
		if device.Flags&net.FlagUp == 0 {
			return fmt.Errorf("use interface %s: it is down; set it up with `ip link set %s up`", name, name)
		}
		return nil
	})
	return device, err
}

const processPrefix = "the namespace of process "

// Peer finds the other end of a veth, in whatever namespace of this machine it
// is. It returns nil for a device of another kind.
func Peer(ns string, ifindex int) (*Device, error) {
	var found *Device
	err := netns.Do(ns, func() error {
		link, err := netlink.LinkByIndex(ifindex)
		if err != nil || link.Type() != "veth" {
			return err
		}
		own := link.Attrs()
		if own.NetNsID < 0 {
			found, err = look(own.ParentIndex)
			if err == nil {
				found.Where, found.Netns = "the same namespace", ns
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
					found, err = look(own.ParentIndex)
					return err
				})
				_ = h.Close()
				if err == nil {
					found.Where, found.Netns = c.where, c.named
				}
				return err
			}
			_ = h.Close()
		}
		return fmt.Errorf("its namespace (number %d) has neither a name nor a process", own.NetNsID)
	})
	return found, err
}

// Look describes a device of a named namespace.
func Look(ns string, ifindex int) (d *Device, err error) {
	err = netns.Do(ns, func() (err error) {
		d, err = look(ifindex)
		return err
	})
	if err == nil {
		d.Where, d.Netns = "namespace "+ns, ns
	}
	return d, err
}

// look describes a device of the calling thread's namespace.
func look(ifindex int) (*Device, error) {
	link, err := netlink.LinkByIndex(ifindex)
	if err != nil {
		return nil, fmt.Errorf("find the device with index %d: %w", ifindex, err)
	}
	a := link.Attrs()
	d := &Device{Name: a.Name, MAC: a.HardwareAddr, Up: a.Flags&net.FlagUp != 0}
	d.XDPProgram = a.Xdp != nil && a.Xdp.Attached && a.Xdp.AttachMode != nl.XDP_ATTACHED_SKB
	e, err := ethtool.NewEthtool()
	if err != nil {
		return nil, fmt.Errorf("open ethtool socket: %w", err)
	}
	defer e.Close()
	features, err := e.Features(a.Name)
	if err != nil {
		return nil, fmt.Errorf("read the features of %s: %w", a.Name, err)
	}
	d.GRO = features["rx-gro"]
	return d, nil
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

// insideHandle runs f inside a namespace that may have no name.
func insideHandle(h vnetns.NsHandle, f func() error) error {
	return sched.OnOwnThread(func() error {
		if err := vnetns.Set(h); err != nil {
			return fmt.Errorf("enter network namespace: %w", err)
		}
		return f()
	})
}
