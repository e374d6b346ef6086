package vm

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// Guest is a virtual machine of one CPU. If it counts, that executes one instruction in
// each nanosecond of its own time (QEMU's icount with shift=0), so that what the guest
// measures in nanoseconds is a number of instructions. Two guests that are the same count
// the same, whatever else the machine does.
type Guest struct {
	Kernel *Kernel
	// Init is the path of a static program, the guest's first process.
	Init string
	// Arguments are those of Init.
	Arguments []string
	// Files are more files of the guest by absolute path.
	Files map[string][]byte
	// Modules are put into the folder /modules. The program loads them.
	Modules []Module
	// MemoryBytes is the guest's.
	MemoryBytes uint64
	// Seed is that of everything that QEMU draws by chance, the kernel's random numbers with it.
	Seed int64
	// Cards are the MAC addresses of network cards, all on one cable; nil for none.
	Cards []string
	// Accelerator executes the instructions; empty is Counting.
	Accelerator Accelerator
	// TimeLimit is the real time after which the guest is stopped.
	TimeLimit time.Duration
	// Counts, if not nil, is where Run puts what was executed.
	Counts *Counts
}

// ModulePath is where the guest finds a module.
func ModulePath(name string) string { return "/modules/" + name + ".ko" }

// Emulator is the emulator's program.
const Emulator = "qemu-system-x86_64"

// kernelArguments make the kernel silent, stop at a panic, and lay out memory alike in every boot.
const kernelArguments = "console=ttyS0 quiet panic=-1 nokaslr norandmaps randomize_kstack_offset=off page_alloc.shuffle=0"

// consoleLines are kept of what the guest's kernel printed.
const consoleLines = 45

// memoryFile is a file in no folder, which is gone with the last process that has it. The
// name is for /proc/PID/fd.
func memoryFile(name string, data []byte) (*os.File, error) {
	fd, err := unix.MemfdCreate(name, unix.MFD_CLOEXEC)
	if err != nil {
		return nil, err
	}
	f := os.NewFile(uintptr(fd), name)
	if _, err := f.Write(data); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// Command is the emulator's command line, with the initramfs in the file initrd. Serial
// port 1 is the guest's console on standard output; serial port 2 takes what the program
// reports, to file descriptor 3.
func (g Guest) Command(initrd string) []string {
	return g.command(initrd, "-serial", "file:/dev/fd/3")
}

// command is the command line with the arguments of serial port 2.
func (g Guest) command(initrd string, port ...string) []string {
	arguments := kernelArguments
	if len(g.Arguments) > 0 {
		arguments += " -- " + strings.Join(g.Arguments, " ")
	}
	argv := []string{Emulator, "-m", strconv.FormatUint(g.MemoryBytes>>20, 10), "-nodefaults", "-no-user-config", "-nographic", "-no-reboot"}
	argv = append(argv, g.Accelerator.arguments(g.Seed)...)
	argv = append(append(argv, "-serial", "stdio"), port...)
	argv = append(argv, g.cards()...)
	return append(argv, "-kernel", g.Kernel.Image, "-initrd", initrd, "-append", arguments)
}

// Error is a guest that did not come to its end.
type Error struct {
	Kernel, Reason string
	// Console are the last lines that the guest's kernel printed.
	Console []string
}

// Error is the reason with the console below it.
func (e *Error) Error() string {
	text := fmt.Sprintf("boot kernel %s: %s", e.Kernel, e.Reason)
	if len(e.Console) == 0 {
		return text + "; it printed nothing"
	}
	return text + "; the last lines of its console:\n    " + strings.Join(e.Console, "\n    ")
}

// Available tells whether this machine has the emulator.
func Available() error { return available(Emulator) }

func available(program string) error {
	if _, err := exec.LookPath(program); err != nil {
		return fmt.Errorf("%s is not installed; in Debian it is in qemu-system-x86", program)
	}
	return nil
}

// Initramfs is the archive that the guest boots with.
func (g Guest) Initramfs() ([]byte, error) {
	program, err := readStatic(g.Init)
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{"/init": program}
	for name, data := range g.Files {
		files[name] = data
	}
	for _, m := range g.Modules {
		files[ModulePath(m.Name)] = m.Data
	}
	return initramfs(files), nil
}

// Run boots the guest and hands each line that the program reports to line, until the
// guest powers off; it returns the last lines of the console. An error of type *Error is
// the guest's; when ctx ends, its error is returned. In every case the emulator has ended,
// or the error is ErrLeft as well.
func (g Guest) Run(ctx context.Context, line func([]byte)) ([]string, error) {
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
	limited, stop := context.WithTimeout(ctx, g.TimeLimit)
	defer stop()
	var console tail
	if g.Counts == nil {
		err = g.emulate(limited, initrd, nil, &console, line)
	} else {
		err = g.count(limited, initrd, &console, line)
	}
	switch {
	case errors.Is(err, ErrLeft):
		return console.last(), errors.Join(ctx.Err(), fmt.Errorf("end the guest of kernel %s: %w", g.Kernel.Name, err))
	case ctx.Err() != nil:
		return console.last(), ctx.Err()
	case limited.Err() != nil:
		return console.last(), &Error{g.Kernel.Name, fmt.Sprintf("it did not end within %s", g.TimeLimit), console.last()}
	case err != nil:
		return console.last(), &Error{g.Kernel.Name, err.Error(), console.last()}
	}
	if at := console.panicked(); at != "" {
		return console.last(), &Error{g.Kernel.Name, "it panicked: " + at, console.last()}
	}
	return console.last(), nil
}

// emulate runs the emulator to its end.
func (g Guest) emulate(ctx context.Context, initrd *os.File, counter []*os.File, console *tail, line func([]byte)) error {
	reports, guestEnd, err := os.Pipe()
	if err != nil {
		return err
	}
	defer reports.Close()
	argv := g.Command("/dev/fd/4")
	if len(counter) > 0 {
		argv = append(argv, counterOptions("/dev/fd/5", "/dev/fd/6", "/dev/fd/7")...)
	}
	running, err := startEmulator(ctx, argv, console, append([]*os.File{guestEnd, initrd}, counter...)...)
	guestEnd.Close()
	if err != nil {
		return err
	}
	lines := make(chan error, 1)
	go func() { lines <- readLines(reports, line) }()
	err = running.wait(ctx)
	if errors.Is(err, ErrLeft) { // it holds the pipe open
		return errors.Join(err, reports.SetReadDeadline(time.Now()), <-lines)
	}
	read := <-lines
	if err != nil {
		return fmt.Errorf("%s: %w", Emulator, err)
	}
	return read
}

// readLines hands on each whole line until the end.
func readLines(r io.Reader, line func([]byte)) error {
	b := bufio.NewReader(r)
	for {
		text, err := b.ReadBytes('\n')
		if err != nil {
			if errors.Is(err, io.EOF) {
				return nil
			}
			return fmt.Errorf("read what the guest reports: %w", err)
		}
		line(text)
	}
}

// controls are what the machine's firmware sends to clear a terminal.
var controls = regexp.MustCompile("\x1b(c|\\[[?0-9;]*[a-zA-Z])")

// tail keeps the last lines of a console.
type tail struct {
	mutex sync.Mutex
	lines []string
	rest  string
	panic string
	// broke is the line in which the emulator says that KVM cannot go on; it waits for ever then.
	broke string
	// alarm is called then, if it is set.
	alarm func()
}

// Write takes what the console printed.
func (t *tail) Write(b []byte) (int, error) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	parts := strings.Split(t.rest+string(b), "\n")
	t.rest = parts[len(parts)-1]
	for _, p := range parts[:len(parts)-1] {
		p = strings.TrimRight(controls.ReplaceAllString(p, ""), "\r ")
		if p == "" {
			continue
		}
		if strings.Contains(p, "Kernel panic") {
			t.panic = p
		}
		if strings.Contains(p, "KVM internal error") && t.broke == "" {
			t.broke = p
			if t.alarm != nil {
				t.alarm()
			}
		}
		t.lines = append(t.lines, p)
	}
	t.lines = t.lines[max(0, len(t.lines)-consoleLines):]
	return len(b), nil
}

func (t *tail) last() []string {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	if t.rest != "" {
		return append(t.lines, t.rest)
	}
	return t.lines
}

// panicked is the line in which the kernel panicked, or empty; it is found among all lines, not only the last.
func (t *tail) panicked() string {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	return t.panic
}

// broken is the line in which the emulator said that KVM cannot go on, or empty.
func (t *tail) broken() string {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	return t.broke
}
