package kernel

import (
	"fmt"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// Release is the release of the running kernel as `uname -r` prints it.
func Release() string { return uname().release }

// Machine is the hardware name of the running kernel as `uname -m` prints it.
func Machine() string { return uname().machine }

type name struct{ system, release, machine string }

func uname() name {
	var u unix.Utsname
	if err := unix.Uname(&u); err != nil {
		return name{}
	}
	return name{
		system:  unix.ByteSliceToString(u.Sysname[:]),
		release: unix.ByteSliceToString(u.Release[:]),
		machine: unix.ByteSliceToString(u.Machine[:]),
	}
}

// version reads the first two numbers of a release: "6.1.0-47-amd64" is 6, 1.
func version(release string) (major, minor int, err error) {
	numbers := strings.FieldsFunc(release, func(r rune) bool { return r < '0' || r > '9' })
	if len(numbers) < 2 || !strings.HasPrefix(release, numbers[0]+"."+numbers[1]) {
		return 0, 0, fmt.Errorf("read the kernel release %q: it does not begin with two numbers", release)
	}
	if major, err = strconv.Atoi(numbers[0]); err != nil {
		return 0, 0, fmt.Errorf("read the kernel release %q: %w", release, err)
	}
	if minor, err = strconv.Atoi(numbers[1]); err != nil {
		return 0, 0, fmt.Errorf("read the kernel release %q: %w", release, err)
	}
	return major, minor, nil
}
