package vm

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"
)

//go:generate clang-14 -O2 -Wall -Wextra -Werror -fPIC -fvisibility=hidden -shared -nostdlib -Wl,--build-id=none -Wl,-z,now -Wl,-s -I/usr/include/x86_64-linux-gnu -o counter_amd64.so counter.c
//go:embed counter_amd64.so
var counterPlugin []byte

// Window is how often each instruction was executed between two marks of the guest, by its
// address. Address 0 stands for all instructions of programs, the others are the kernel's.
type Window map[uint64]uint64

// Counts are what a guest executed.
type Counts struct {
	// Windows are those that the guest marked, in their order.
	Windows []Window
	// Raw is what the program wrote to RawPort.
	Raw []byte
}

// RawPort is an I/O port that takes bytes at once, with no driver and no interrupt.
const RawPort = 0xe9

// counterFiles are the plugin, what it writes, and what is written to RawPort, all without a name.
type counterFiles struct{ plugin, counts, raw *os.File }

func openCounter() (counterFiles, error) {
	var c counterFiles
	var err error
	if c.plugin, err = memoryFile("plugin", counterPlugin); err != nil {
		return c, err
	}
	if c.counts, err = memoryFile("counts", nil); err != nil {
		c.plugin.Close()
		return c, err
	}
	if c.raw, err = memoryFile("raw", nil); err != nil {
		c.plugin.Close()
		c.counts.Close()
	}
	return c, err
}

func (c counterFiles) close() {
	for _, f := range c.all() {
		f.Close()
	}
}

func (c counterFiles) all() []*os.File { return []*os.File{c.plugin, c.counts, c.raw} }

// counterOptions load the plugin from a file and let it, and RawPort, write into others.
func counterOptions(plugin, counts, raw string) []string {
	return []string{"-plugin", "file=" + plugin + ",out=" + counts,
		"-chardev", "file,id=raw,path=" + raw, "-device", fmt.Sprintf("isa-debugcon,iobase=%#x,chardev=raw", RawPort)}
}

// read takes what was written.
func (c counterFiles) read() (Counts, error) {
	var got Counts
	counts, err := os.ReadFile(fmt.Sprintf("/dev/fd/%d", c.counts.Fd()))
	if err == nil {
		got.Raw, err = os.ReadFile(fmt.Sprintf("/dev/fd/%d", c.raw.Fd()))
	}
	if err != nil {
		return got, fmt.Errorf("read the counted instructions: %w", err)
	}
	got.Windows, err = parseWindows(counts)
	return got, err
}

// count runs the emulator with the plugin and takes what it counted.
func (g Guest) count(ctx context.Context, initrd *os.File, console *tail, line func([]byte)) error {
	c, err := openCounter()
	if err != nil {
		return fmt.Errorf("load the plugin that counts: %w", err)
	}
	defer c.close()
	if err := g.emulate(ctx, initrd, c.all(), console, line); err != nil {
		return err
	}
	*g.Counts, err = c.read()
	return err
}

// parseWindows reads what end in counter.c wrote.
func parseWindows(data []byte) ([]Window, error) {
	var windows []Window
	next := func() uint64 {
		v := binary.NativeEndian.Uint64(data)
		data = data[8:]
		return v
	}
	for len(data) > 0 {
		if len(data) < 16 {
			return nil, fmt.Errorf("read the counted instructions: %d bytes are left behind window %d", len(data), len(windows))
		}
		number, n := next(), next()
		if number != uint64(len(windows)) || n > uint64(len(data)/16) {
			return nil, fmt.Errorf("read the counted instructions: window %d with %d addresses in %d bytes comes behind %d windows", number, n, len(data), len(windows))
		}
		w := Window{}
		for range n {
			address := next()
			w[address] += next()
		}
		windows = append(windows, w)
	}
	return windows, nil
}

// counterProbeLimit is for an emulator whose CPU never starts and which ends at once.
const counterProbeLimit = 20 * time.Second

// CounterAvailable tells whether the emulator can count each instruction: whether it was
// built with plugins and takes this one.
func CounterAvailable(ctx context.Context) error {
	if runtime.GOARCH != "amd64" {
		return fmt.Errorf("linerate's plugin for it is for x86-64, and this machine is %s", runtime.GOARCH)
	}
	c, err := openCounter()
	if err != nil {
		return err
	}
	defer c.close()
	limited, stop := context.WithTimeout(ctx, counterProbeLimit)
	defer stop()
	cmd := exec.CommandContext(limited, Emulator, append([]string{"-accel", "tcg", "-nodefaults", "-nographic", "-S", "-monitor", "stdio"}, counterOptions("/dev/fd/3", "/dev/fd/4", "/dev/fd/5")...)...)
	cmd.ExtraFiles = c.all()
	cmd.Stdin = strings.NewReader("quit\n")
	var complaint bytes.Buffer
	cmd.Stderr = &complaint
	if err := cmd.Run(); err != nil {
		said, _, _ := strings.Cut(strings.TrimSpace(complaint.String()), "\n")
		return fmt.Errorf("%s does not take linerate's plugin: %w: %s", Emulator, err, said)
	}
	return nil
}
