package kernel

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/asm"
	"github.com/linerate/linerate/internal/liveframes"
	"golang.org/x/sys/unix"
)

// LiveFrames is BPF_F_TEST_XDP_LIVE_FRAMES of BPF_PROG_TEST_RUN, which Linux has
// had since 5.18: the engine of the generator xdp.
var LiveFrames = Feature{
	Name: "XDP live frames", Need: ForLab,
	Cost: "the generator xdp cannot send: nothing can be measured",
	Fix:  "boot Linux 5.18 or later with CONFIG_BPF_SYSCALL and CONFIG_NET; Debian 12, Ubuntu 22.10, RHEL 9.2 and what followed them have it",
	try:  tryLiveFrames,
}

// BTF is the type information of the kernel itself, in /sys/kernel/btf/vmlinux.
var BTF = Feature{
	Name: "BTF", Need: ForLab,
	Cost: "BPF programs cannot be fitted to this kernel, and drop reasons have no names",
	Fix:  "boot a kernel built with CONFIG_DEBUG_INFO_BTF=y (all large distributions have it), and mount sysfs on /sys",
	try:  tryBTF,
}

const (
	xdpDrop            = 1 // XDP_DROP of enum xdp_action
	shortestFrameBytes = 60
)

func tryLiveFrames() (string, error) {
	program, err := ebpf.NewProgram(&ebpf.ProgramSpec{
		Name: "lr_probe", Type: ebpf.XDP, License: "Dual BSD/GPL",
		Instructions: asm.Instructions{asm.Mov.Imm(asm.R0, xdpDrop), asm.Return()},
	})
	if err != nil {
		return "", fmt.Errorf("load an XDP program of two instructions: %w", err)
	}
	defer program.Close()
	if err := runOnce(program.FD()); err != nil {
		return "", err
	}
	return "one frame went through an XDP program", nil
}

func runOnce(programFD int) error {
	frame := make([]byte, shortestFrameBytes)
	for {
		switch err := liveframes.Run(programFD, frame, 1, 0); err {
		case nil:
			return nil
		case unix.EINTR: // a signal of the Go runtime; one frame is soon sent again
		case unix.EINVAL:
			return fmt.Errorf("run an XDP program on one live frame: %w; Linux %s does not know the flag", err, Release())
		default:
			return fmt.Errorf("run an XDP program on one live frame: %w", err)
		}
	}
}

const btfPath = "/sys/kernel/btf/vmlinux"

func tryBTF() (string, error) {
	info, err := os.Stat(btfPath)
	if err != nil {
		return "", fmt.Errorf("look for the kernel's types: %w", err)
	}
	file, err := os.Open(btfPath)
	if err != nil {
		return "", fmt.Errorf("open the kernel's types: %w", err)
	}
	defer file.Close()
	if err := btfHeader(file); err != nil {
		return "", fmt.Errorf("read %s: %w", btfPath, err)
	}
	return fmt.Sprintf("%s, %.1f MB", btfPath, float64(info.Size())/1e6), nil
}

// errNotBTF is what a file that holds something else gives.
var errNotBTF = errors.New("the file does not begin with the magic number of BTF")

// btfHeader looks at the magic number only: reading all types takes longer than a start may.
func btfHeader(file io.ReaderAt) error {
	var magic [2]byte
	if _, err := file.ReadAt(magic[:], 0); err != nil {
		return err
	}
	if binary.NativeEndian.Uint16(magic[:]) != btfMagic {
		return errNotBTF
	}
	return nil
}

const btfMagic = 0xeb9f // BTF_MAGIC (include/uapi/linux/btf.h)
