package vm

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// Machine is a guest that runs and is spoken to.
type Machine struct {
	running *emulator
	port    *os.File
	console *tail
	living  context.Context
	stop    context.CancelFunc
	kernel  string
	// ended is closed when the emulator is gone and all it said was read; outcome and read are its errors.
	ended         chan struct{}
	outcome, read error
}

// Start boots the guest, with a serial port 2 that goes both ways: each line that the
// program reports is handed to line, and Say sends it one. The guest lives until the
// program powers it off, Stop is called or ctx ends; TimeLimit is the caller's to keep.
// Wait has to be called in the end.
func (g Guest) Start(ctx context.Context, line func([]byte)) (*Machine, error) {
	if err := Available(); err != nil {
		return nil, fmt.Errorf("boot kernel %s: %w", g.Kernel.Name, err)
	}
	archive, err := g.Initramfs()
	if err != nil {
		return nil, err
	}
	initrd, err := memoryFile("initramfs", archive)
	if err != nil {
		return nil, fmt.Errorf("boot kernel %s: hold the initramfs in memory: %w", g.Kernel.Name, err)
	}
	defer initrd.Close()
	ends, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err == nil {
		err = unix.SetNonblock(ends[0], true) // reading it has to have a deadline
	}
	if err != nil {
		return nil, fmt.Errorf("boot kernel %s: make its port: %w", g.Kernel.Name, err)
	}
	ours, theirs := os.NewFile(uintptr(ends[0]), "guest's port"), os.NewFile(uintptr(ends[1]), "guest's port")
	defer theirs.Close()
	living, stop := context.WithCancel(ctx)
	m := &Machine{port: ours, console: &tail{alarm: stop}, living: living, stop: stop, ended: make(chan struct{}), kernel: g.Kernel.Name}
	if m.running, err = startEmulator(living, g.LiveCommand("/dev/fd/4"), m.console, theirs, initrd); err != nil {
		stop()
		ours.Close()
		return nil, fmt.Errorf("boot kernel %s: %w", g.Kernel.Name, err)
	}
	go m.follow(line)
	return m, nil
}

// follow hands on what the program reports until the emulator is gone. One that stays holds
// its end of the port, so that there is no end to wait for.
func (m *Machine) follow(line func([]byte)) {
	read := make(chan error, 1)
	go func() { read <- readLines(m.port, line) }()
	m.outcome = m.running.wait(m.living)
	if errors.Is(m.outcome, ErrLeft) {
		m.outcome = errors.Join(m.outcome, m.port.SetReadDeadline(time.Now()))
	}
	m.read = <-read
	close(m.ended)
}

// LiveCommand is the emulator's command line of Start.
func (g Guest) LiveCommand(initrd string) []string {
	return g.command(initrd, "-chardev", "socket,id=port,fd=3", "-serial", "chardev:port")
}

// Say sends the program a line.
func (m *Machine) Say(text string) error {
	if _, err := m.port.WriteString(text + "\n"); err != nil {
		return fmt.Errorf("speak to the guest of kernel %s: %w", m.kernel, err)
	}
	return nil
}

// Stop kills the emulator.
func (m *Machine) Stop() { m.stop() }

// Wait waits for the guest's end and returns the last lines of its console. An error is of
// type *Error; of a guest that was stopped there is none, unless its CPU could not go on.
// An emulator that does not end is ErrLeft.
func (m *Machine) Wait() ([]string, error) {
	<-m.ended
	read, err := m.read, m.outcome
	stopped := m.living.Err() != nil
	m.stop()
	m.port.Close()
	lines := m.console.last()
	switch {
	case errors.Is(err, ErrLeft):
		return lines, fmt.Errorf("end the guest of kernel %s: %w", m.kernel, err)
	case m.console.broken() != "":
		return lines, &Error{m.kernel, "its virtual CPU cannot go on: " + m.console.broken(), lines}
	case m.console.panicked() != "":
		return lines, &Error{m.kernel, "it panicked: " + m.console.panicked(), lines}
	case err != nil && !stopped:
		return lines, &Error{m.kernel, fmt.Sprintf("%s: %v", Emulator, err), lines}
	case read != nil && !stopped && !errors.Is(read, unix.ECONNRESET):
		return lines, &Error{m.kernel, read.Error(), lines}
	}
	return lines, nil
}

// Ended is closed when the guest has ended.
func (m *Machine) Ended() <-chan struct{} { return m.ended }

// Console are the last lines that the guest's kernel printed.
func (m *Machine) Console() []string { return m.console.last() }

// CPUTime is what the emulator has used of this machine's CPUs, to 10 ms.
func (m *Machine) CPUTime() (time.Duration, error) {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(m.running.pid) + "/stat")
	if err != nil {
		return 0, fmt.Errorf("read the emulator's CPU time: %w", err)
	}
	// utime and stime are fields 14 and 15 (proc_pid_stat(5)), in ticks of 1/100 s; the name in brackets may hold blanks.
	_, rest, _ := strings.Cut(string(text), ") ")
	fields := strings.Fields(rest)
	if len(fields) < 13 {
		return 0, fmt.Errorf("read the emulator's CPU time: %q is not understood", rest)
	}
	user, _ := strconv.ParseInt(fields[11], 10, 64)
	system, _ := strconv.ParseInt(fields[12], 10, 64)
	return time.Duration(user+system) * 10 * time.Millisecond, nil
}
