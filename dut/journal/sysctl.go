package journal

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/linerate/linerate/internal/netns"
	"golang.org/x/sys/unix"
)

// ReadSysctl reads a sysctl inside a namespace. Of a key that this kernel does not
// have the error is fs.ErrNotExist.
func ReadSysctl(ns, key string) (value string, err error) {
	err = netns.Do(ns, func() error {
		b, err := os.ReadFile(sysctlPath(key))
		if err != nil {
			return fmt.Errorf("read sysctl %s: %w", key, err)
		}
		value = strings.TrimSpace(string(b))
		return nil
	})
	return value, err
}

// SysctlWritable tells whether a sysctl can be set inside a namespace. Some that
// every namespace shows belong to the machine and can be set only in the first one.
func SysctlWritable(ns, key string) bool {
	return netns.Do(ns, func() error { return unix.Access(sysctlPath(key), unix.W_OK) }) == nil
}

// writeSysctl never creates a file, so that a missing key is fs.ErrNotExist. A value
// that is there already is no error, even where nothing may be written: so the undo
// of a change that was refused does not fail.
func writeSysctl(key, value string) error {
	f, err := os.OpenFile(sysctlPath(key), os.O_WRONLY|os.O_TRUNC, 0)
	if err == nil {
		_, err = f.WriteString(value)
		err = errors.Join(err, f.Close())
	}
	if err == nil {
		return nil
	}
	if present, readErr := os.ReadFile(sysctlPath(key)); readErr == nil && strings.TrimSpace(string(present)) == value {
		return nil
	}
	return err
}

func sysctlPath(key string) string {
	return filepath.Join("/proc/sys", strings.ReplaceAll(key, ".", "/"))
}
