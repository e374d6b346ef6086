package vm

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"
)

// full is the error if it says that a disk is full, or else nil.
func full(err error) error {
	if errors.Is(err, unix.ENOSPC) || errors.Is(err, unix.EDQUOT) {
		return err
	}
	return nil
}

// noSpace says of a full disk what is needed, 0 if that is not known, and what is there; another error it passes on.
func noSpace(err error, folder string, needBytes int64) error {
	if full(err) == nil {
		return err
	}
	text := ""
	if needBytes > 0 {
		text = fmt.Sprintf(" %s are needed,", megabytes(uint64(needBytes)))
	}
	return fmt.Errorf("%w in %s:%s %s are free; free some space, or choose a folder on another disk for the cache", err, folder, text, megabytes(freeBytes(folder)))
}

// hasSpace is an error if a folder has less than is needed.
func hasSpace(folder string, needBytes int64) error {
	if needBytes > 0 && freeBytes(folder) < uint64(needBytes) {
		return noSpace(unix.ENOSPC, folder, needBytes)
	}
	return nil
}

// freeBytes is what a user other than root may still write.
func freeBytes(folder string) uint64 {
	var s unix.Statfs_t
	if unix.Statfs(folder, &s) != nil {
		return 0
	}
	return s.Bavail * uint64(s.Bsize)
}

func megabytes(n uint64) string { return fmt.Sprintf("%.1f MB", float64(n)/1e6) }
