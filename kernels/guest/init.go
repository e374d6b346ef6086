package guest

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"slices"
	"time"

	"golang.org/x/sys/unix"
)

// reportDevice is the second serial port; the first is the kernel's console.
const reportDevice = "/dev/ttyS1"

// Asked tells whether this process is the first of a guest. The kernel hands init what
// stands behind "--" on its command line, and what it does not know itself; a container's
// first process has other arguments.
func Asked() bool { return os.Getpid() == 1 && slices.Contains(os.Args, Argument) }

// Main does what the request says and powers the machine off. It does not return.
func Main() {
	// A collection in the middle of a measurement would be counted.
	debug.SetGCPercent(-1)
	reports, err := prepare()
	if err != nil {
		fmt.Fprintf(os.Stderr, "linerate guest: %v\n", err)
		powerOff()
	}
	encoder := json.NewEncoder(reports)
	report := func(r Report) {
		if err := encoder.Encode(r); err != nil {
			fmt.Fprintf(os.Stderr, "linerate guest: report: %v\n", err)
		}
	}
	if err := serve(report); err != nil {
		report(Report{Error: err.Error()})
	} else {
		report(Report{Done: true})
	}
	unix.Sync()
	// The port sends on after the last write has returned.
	_ = unix.IoctlSetInt(int(reports.Fd()), unix.TCSBRK, 1)
	powerOff()
}

// prepare mounts what a Linux system has and opens the port for reports.
func prepare() (*os.File, error) {
	for _, m := range [][2]string{{"proc", "/proc"}, {"sysfs", "/sys"}, {"devtmpfs", "/dev"}} {
		if err := unix.Mount(m[0], m[1], m[0], 0, ""); err != nil && !errors.Is(err, unix.EBUSY) {
			return nil, fmt.Errorf("mount %s: %w", m[1], err)
		}
	}
	return os.OpenFile(reportDevice, os.O_WRONLY|unix.O_NOCTTY, 0)
}

// serve loads the modules and measures the cells.
func serve(report func(Report)) error {
	text, err := os.ReadFile(RequestFile)
	if err != nil {
		return fmt.Errorf("read the request: %w", err)
	}
	var q Request
	if err := json.Unmarshal(text, &q); err != nil {
		return fmt.Errorf("read the request %s: %w", RequestFile, err)
	}
	if err := seed(q.Seed); err != nil {
		return err
	}
	booted, err := describe()
	if err != nil {
		return err
	}
	if err := load(q.Modules, booted); err != nil {
		return err
	}
	if q.Rate != nil {
		return q.answer(booted, report)
	}
	report(Report{Booted: booted})
	if err := enlargeConntrack(); err != nil {
		return err
	}
	if q.WindowPackets > 0 {
		markArm()
	}
	for _, c := range q.Cells {
		m := Measured{Cell: c}
		if err := measure(q, &m); err != nil {
			m.Failure = err.Error()
		}
		report(Report{Cell: &m})
		// What tears down a namespace works on for some seconds.
		time.Sleep(settleAfterCell)
	}
	if q.WindowPackets == 0 {
		return nil
	}
	list, err := readSymbols()
	if err != nil {
		return err
	}
	symbols, err := packSymbols(list)
	if err != nil {
		return err
	}
	return writeRaw(q.SymbolPort, symbols)
}

// describe reads what booted.
func describe() (*Booted, error) {
	var u unix.Utsname
	if err := unix.Uname(&u); err != nil {
		return nil, fmt.Errorf("read the kernel's name: %w", err)
	}
	cmdline, err := os.ReadFile("/proc/cmdline")
	if err != nil {
		return nil, fmt.Errorf("read the kernel's command line: %w", err)
	}
	return &Booted{
		Release: unix.ByteSliceToString(u.Release[:]), Version: unix.ByteSliceToString(u.Version[:]),
		Cmdline: string(cmdline[:max(0, len(cmdline)-1)]), Modules: []string{}, Refused: []string{},
	}, nil
}

// load loads modules in their order.
func load(modules []Module, booted *Booted) error {
	for _, m := range modules {
		err := loadModule(m.Path)
		switch {
		case err == nil || errors.Is(err, unix.EEXIST):
			booted.Modules = append(booted.Modules, m.Name)
		case m.Optional:
			booted.Refused = append(booted.Refused, fmt.Sprintf("%s: %v", m.Name, err))
		default:
			return fmt.Errorf("load module %s: %w", m.Name, err)
		}
	}
	return nil
}

func loadModule(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	return unix.FinitModule(int(f.Fd()), "", 0)
}

// powerOff ends the machine, by whatever it knows.
func powerOff() {
	_ = unix.Reboot(unix.LINUX_REBOOT_CMD_POWER_OFF)
	_ = unix.Reboot(unix.LINUX_REBOOT_CMD_RESTART) // the emulator ends at a restart too
	select {}
}
