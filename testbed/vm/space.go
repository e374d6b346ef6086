package vm

import (
	"errors"
	"fmt"
	"strings"

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
	var sizes []string
	if needBytes > 0 {
		sizes = append(sizes, megabytes(uint64(needBytes))+" are needed")
	}
	if free, unknown := freeBytes(folder); unknown == nil {
		sizes = append(sizes, megabytes(free)+" are free")
	}
	text := ""
	if len(sizes) > 0 {
		text = ": " + strings.Join(sizes, ", ")
	}
	return fmt.Errorf("%w in %s%s; free some space, or choose a folder on another disk for the cache", err, folder, text)
}

// hasSpace is an error if a folder has less than is needed, or if that cannot be told.
func hasSpace(folder string, needBytes int64) error {
	if needBytes <= 0 {
		return nil
	}
	free, err := freeBytes(folder)
	if err != nil {
		return err
	}
	if free < uint64(needBytes) {
		return noSpace(unix.ENOSPC, folder, needBytes)
	}
	return nil
}

// freeBytes is what a user other than root may still write.
func freeBytes(folder string) (uint64, error) {
	var s unix.Statfs_t
	if err := unix.Statfs(folder, &s); err != nil {
		return 0, fmt.Errorf("read how much space is free in %s: %w", folder, err)
	}
	return s.Bavail * uint64(s.Bsize), nil
}

func megabytes(n uint64) string { return fmt.Sprintf("%.1f MB", float64(n)/1e6) }
