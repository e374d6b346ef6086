package vm

import (
	"context"
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// imageOf is the head of a bzImage of 64 bits with nothing to boot behind it.
func imageOf(release string) []byte {
	head := make([]byte, 4096)
	binary.LittleEndian.PutUint16(head[bootFlagOffset:], 0xaa55)
	copy(head[headerMagicOffset:], "HdrS")
	binary.LittleEndian.PutUint16(head[protocolOffset:], 0x020f)
	head[loadFlagsOffset] = 1
	binary.LittleEndian.PutUint16(head[kernelVersionOffset:], 0x400)
	copy(head[0x400+setupBytes:], release+" (builder) #1")
	return head
}

func TestOtherImages(t *testing.T) {
	changed := func(at int, bytes string) []byte {
		head := imageOf("6.1.0")
		copy(head[at:], bytes)
		return head
	}
	other := func(at int, bytes string) []byte {
		head := make([]byte, 4096)
		copy(head[at:], bytes)
		return head
	}
	for _, tt := range []struct {
		name string
		head []byte
		want string
	}{
		{"arm64", other(otherMagicOffset, "ARM\x64"), "is a kernel for arm64, and guests are x86-64"},
		{"riscv", other(otherMagicOffset, "RSC\x05"), "is a kernel for RISC-V"},
		{"gzip", other(0, "\x1f\x8b\x08"), "is a compressed file, as kernels of other architectures"},
		{"vmlinux", readELF(t), "is an ELF file for EM_X86_64, such as vmlinux"},
		{"32 bits", changed(loadFlagsOffset, "\x00"), "with 32 bits, and guests are x86-64"},
		{"old", changed(protocolOffset, "\x0b\x02"), "with 32 bits"},
		{"empty", nil, "is not a kernel"},
		{"cut", imageOf("6.1.0")[:0x300], "is not a whole kernel: its version stands behind its end"},
		{"64 bits", imageOf("6.1.0-test"), ""},
	} {
		file := filepath.Join(t.TempDir(), "vmlinuz")
		if err := os.WriteFile(file, tt.head, 0o644); err != nil {
			t.Fatal(err)
		}
		k, err := Open(context.Background(), file+","+filepath.Dir(file), t.TempDir())
		switch {
		case tt.want == "" && (err != nil || k.Release != "6.1.0-test"):
			t.Errorf("%s: %+v, error %v", tt.name, k, err)
		case tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), file)):
			t.Errorf("%s: error %v, want one with %q and the file", tt.name, err, tt.want)
		}
	}
}

// readELF is the head of this test's own program.
func readELF(t *testing.T) []byte {
	t.Helper()
	program, err := os.ReadFile("/proc/self/exe")
	if err != nil {
		t.Fatal(err)
	}
	return program[:8192]
}
