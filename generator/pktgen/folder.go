package pktgen

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/linerate/linerate/internal/kernel"
	"github.com/linerate/linerate/internal/netns"
	"golang.org/x/sys/unix"
)

// controlFolder is that of the namespace of the calling thread.
const controlFolder = "/proc/thread-self/net/pktgen"

// errNotSupported is the kernel's ENOTSUPP, which is not in errno.h.
const errNotSupported = unix.Errno(524)

// folder is the control folder of one namespace.
type folder struct{ netns, path string }

// check tells whether pktgen is there.
func (d folder) check() error {
	return netns.Do(d.netns, func() error {
		_, err := os.Stat(filepath.Join(d.path, "pgctrl"))
		if errors.Is(err, fs.ErrNotExist) {
			_, reason := kernel.Pktgen.Try()
			if reason == nil {
				reason = errors.New("its module is not loaded")
			}
			return &kernel.MissingError{Missing: []kernel.Missing{{Name: "pktgen", Reason: reason.Error(), Cost: "engine pktgen cannot send", Fix: kernel.Pktgen.Fix}}}
		}
		return err
	})
}

// write gives one command to a control file. What is refused leaves the old value.
func (d folder) write(file, command string) error {
	return netns.Do(d.netns, func() error {
		f, err := os.OpenFile(filepath.Join(d.path, file), os.O_WRONLY|os.O_APPEND, 0)
		if err == nil {
			_, err = f.WriteString(command + "\n") // pgctrl takes the last byte off
			err = errors.Join(err, f.Close())
		}
		if err == nil {
			return nil
		}
		hint := ""
		switch {
		case errors.Is(err, errNotSupported):
			hint = "; the device's driver does not take one frame several times (IFF_TX_SKB_SHARING): a veth does not; leave clone_skb at 0 and burst at 1"
		case errors.Is(err, unix.ENODEV), errors.Is(err, unix.EINVAL):
			hint = "; is the device there and up, and does this kernel's pktgen know the command?"
		case errors.Is(err, unix.EBUSY):
			hint = "; another pktgen thread has the device"
		}
		return fmt.Errorf("tell pktgen %q in %s: %w%s", command, file, err, hint)
	})
}

func (d folder) read(file string) (text string, err error) {
	err = netns.Do(d.netns, func() error {
		b, err := os.ReadFile(filepath.Join(d.path, file))
		if err != nil {
			return fmt.Errorf("read pktgen's %s: %w", file, err)
		}
		text = string(b)
		return nil
	})
	return text, err
}

// report reads the control file of a device.
func (d folder) report(device string) (Report, error) {
	text, err := d.read(device)
	if err != nil {
		return Report{}, err
	}
	r, err := Parse(text)
	if err != nil {
		return r, fmt.Errorf("%s: %w", device, err)
	}
	return r, nil
}
