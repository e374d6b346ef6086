package journal

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/linerate/linerate/internal/netns"
)

// SetDevice writes Value to an attribute of a network device; Key is "DEVICE/ATTRIBUTE",
// below /sys/class/net of the namespace.
const SetDevice Kind = "set-device"

// ReadDevice reads an attribute of a network device inside a namespace.
func ReadDevice(ns, key string) (value string, err error) {
	err = netns.DoWithSysfs(ns, func() error {
		b, err := os.ReadFile(devicePath(key))
		if err != nil {
			return fmt.Errorf("read device attribute %s: %w", key, err)
		}
		value = strings.TrimSpace(string(b))
		return nil
	})
	return value, err
}

func (a Action) setDevice() error {
	return netns.DoWithSysfs(a.Netns, func() error {
		f, err := os.OpenFile(devicePath(a.Key), os.O_WRONLY|os.O_TRUNC, 0)
		if err == nil {
			_, err = f.WriteString(a.Value)
			if closed := f.Close(); err == nil {
				err = closed
			}
		}
		if err != nil {
			return fmt.Errorf("set device attribute %s to %q: %w", a.Key, a.Value, err)
		}
		return nil
	})
}

func devicePath(key string) string { return filepath.Join("/sys/class/net", key) }
