// Package netns runs functions inside named network namespaces and makes and
// removes such namespaces. The main package must lock the leader thread in its
// init function, or a namespace may be entered on it for good.
package netns

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/linerate/linerate/internal/sched"
	"github.com/vishvananda/netlink"
	"github.com/vishvananda/netns"
	"golang.org/x/sys/unix"
)

// Dir is where iproute2 keeps named namespaces.
const Dir = "/run/netns"

// Path is the file of a named namespace.
func Path(name string) string { return filepath.Join(Dir, name) }

// Exists tells whether a namespace of that name is there.
func Exists(name string) bool {
	_, err := os.Stat(Path(name))
	return err == nil
}

// Create makes a named namespace, as `ip netns add` does, with its loopback
// device still down. It fails if the name is taken.
func Create(name string) error {
	if Exists(name) {
		return fmt.Errorf("create network namespace %s: the name is taken; choose another or run `linerate restore`", name)
	}
	return sched.OnOwnThread(func() error {
		if _, err := netns.NewNamed(name); err != nil {
			return fmt.Errorf("create network namespace %s: %w", name, err)
		}
		return nil
	})
}

// Delete removes a named namespace and with it every device and rule inside. A
// name that does not exist is no error.
func Delete(name string) error {
	if !Exists(name) {
		return nil
	}
	// The kernel keeps a namespace, and its devices, for as long as anything refers to it.
	_ = Do(name, deleteDevices)
	_ = unix.Unmount(Path(name), unix.MNT_DETACH)
	if err := os.Remove(Path(name)); err != nil && !os.IsNotExist(err) {
		return fmt.Errorf("delete network namespace %s: %w", name, err)
	}
	return nil
}

// deleteDevices removes the virtual devices of the namespace of the thread.
func deleteDevices() error {
	links, err := netlink.LinkList()
	if err != nil {
		return err
	}
	for _, l := range links {
		_ = netlink.LinkDel(l) // the loopback device and hardware cannot be removed
	}
	return nil
}

// Do runs f inside the named namespace on a thread that ends with it. An empty
// name is the namespace of the process. Goroutines that f starts are not inside;
// processes that it starts are.
func Do(name string, f func() error) error {
	if name == "" {
		return f()
	}
	return sched.OnOwnThread(func() error {
		if err := Enter(name); err != nil {
			return err
		}
		return f()
	})
}

// Enter moves the calling thread into the namespace for good; the caller has
// locked it and lets it end.
func Enter(name string) error {
	h, err := netns.GetFromPath(Path(name))
	if err != nil {
		return fmt.Errorf("enter network namespace %s: %w; `ip netns` lists what there is", name, err)
	}
	defer h.Close()
	if err := netns.Set(h); err != nil {
		return fmt.Errorf("enter network namespace %s: %w", name, err)
	}
	return nil
}

// DoWithSysfs is Do with a /sys that shows the devices of the namespace, private to f.
func DoWithSysfs(name string, f func() error) error {
	return sched.OnOwnThread(func() error {
		if name != "" {
			if err := Enter(name); err != nil {
				return err
			}
		}
		if err := unix.Unshare(unix.CLONE_NEWNS); err != nil {
			return fmt.Errorf("unshare mount namespace: %w", err)
		}
		if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
			return fmt.Errorf("make mounts private: %w", err)
		}
		if err := unix.Mount("sysfs", "/sys", "sysfs", 0, ""); err != nil {
			return fmt.Errorf("mount sysfs for namespace %s: %w", name, err)
		}
		return f()
	})
}
