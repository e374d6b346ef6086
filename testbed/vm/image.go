package vm

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"fmt"
	"os"
	"strings"
)

// Offsets of the x86 boot protocol (Documentation/arch/x86/boot.rst).
const (
	bootFlagOffset      = 0x1fe // 0xAA55
	headerMagicOffset   = 0x202 // "HdrS"
	protocolOffset      = 0x206 // 0x020c and later have loadFlagsOffset
	kernelVersionOffset = 0x20e // address of the version string, less 0x200
	loadFlagsOffset     = 0x236 // bit 0: the kernel is of 64 bits
	setupBytes          = 0x200
	headerBytes         = 64 << 10
)

// imageRelease reads from a bzImage the release that the kernel will report.
func imageRelease(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	head := make([]byte, headerBytes)
	n, _ := f.ReadAt(head, 0)
	head = head[:n]
	if n < loadFlagsOffset+2 || binary.LittleEndian.Uint16(head[bootFlagOffset:]) != 0xaa55 || string(head[headerMagicOffset:headerMagicOffset+4]) != "HdrS" {
		return "", fmt.Errorf("%s %s; name a vmlinuz or bzImage for x86-64 (arch/x86/boot/bzImage of a build)", path, otherImage(head))
	}
	if binary.LittleEndian.Uint16(head[protocolOffset:]) < 0x020c || head[loadFlagsOffset]&1 == 0 {
		return "", fmt.Errorf("%s is a kernel for x86 with 32 bits, and guests are x86-64; name one for amd64 or x86_64", path)
	}
	at := int(binary.LittleEndian.Uint16(head[kernelVersionOffset:])) + setupBytes
	if at >= n {
		return "", fmt.Errorf("%s is not a whole kernel: its version stands behind its end", path)
	}
	version, _, _ := bytes.Cut(head[at:], []byte{0})
	release, _, _ := strings.Cut(string(version), " ")
	if release == "" {
		return "", fmt.Errorf("%s is not a whole kernel: it names no release", path)
	}
	return release, nil
}

// Images of other architectures have a magic number at the same place
// (Documentation/arch/arm64/booting.rst, Documentation/arch/riscv/boot-image-header.rst).
const otherMagicOffset = 0x38

// elfMachineOffset is that of e_machine in an ELF file (elf(5)).
const elfMachineOffset = 18

// otherImage says what a file is that is no bzImage.
func otherImage(head []byte) string {
	magic := ""
	if len(head) >= otherMagicOffset+4 {
		magic = string(head[otherMagicOffset : otherMagicOffset+4])
	}
	switch {
	case magic == "ARM\x64":
		return "is a kernel for arm64, and guests are x86-64"
	case magic == "RSC\x05":
		return "is a kernel for RISC-V, and guests are x86-64"
	case bytes.HasPrefix(head, []byte(elf.ELFMAG)):
		if len(head) < elfMachineOffset+2 {
			break
		}
		return fmt.Sprintf("is an ELF file for %v, such as vmlinux, and no bzImage", elf.Machine(binary.LittleEndian.Uint16(head[elfMachineOffset:])))
	case bytes.HasPrefix(head, []byte("\x1f\x8b")):
		return "is a compressed file, as kernels of other architectures than x86 are, and has no x86 boot header"
	}
	return "is not a kernel: it has no x86 boot header"
}
