package vm

import (
	"bytes"
	"debug/elf"
	"fmt"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
)

// File types and the device of the archive (Documentation/driver-api/early-userspace/buffer-format.rst).
const (
	modeFolder  = 0o040755
	modeProgram = 0o100755
	modeConsole = 0o020600
	modeNull    = 0o020666
)

// initramfs is an archive in the format newc, with files by absolute path, as the kernel
// unpacks it. The same files give the same bytes: names are sorted, times are 0. It is not
// compressed, because the guest would have to decompress it, one instruction at a time.
func initramfs(files map[string][]byte) []byte {
	var b bytes.Buffer
	inode := uint32(0)
	entry := func(name string, mode, major, minor uint32, data []byte) {
		inode++
		links := uint32(1)
		if mode == modeFolder {
			links = 2
		}
		b.WriteString("070701")
		for _, v := range []uint32{inode, mode, 0, 0, links, 0, uint32(len(data)), 0, 0, major, minor, uint32(len(name) + 1), 0} {
			fmt.Fprintf(&b, "%08x", v)
		}
		b.WriteString(name + "\x00")
		pad(&b)
		b.Write(data)
		pad(&b)
	}
	folders := map[string]bool{"dev": true, "proc": true, "sys": true, "run": true, "tmp": true}
	for name := range files {
		for dir := path.Dir(strings.TrimPrefix(name, "/")); dir != "."; dir = path.Dir(dir) {
			folders[dir] = true
		}
	}
	for _, dir := range slices.Sorted(maps.Keys(folders)) {
		entry(dir, modeFolder, 0, 0, nil)
	}
	// Before /dev is mounted, a program needs a console, and Go's runtime files to open.
	entry("dev/console", modeConsole, 5, 1, nil)
	entry("dev/null", modeNull, 1, 3, nil)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		entry(strings.TrimPrefix(name, "/"), modeProgram, 0, 0, files[name])
	}
	inode = 0
	entry("TRAILER!!!", 0, 0, 0, nil)
	return b.Bytes()
}

// pad fills up to a multiple of four bytes.
func pad(b *bytes.Buffer) {
	for b.Len()%4 != 0 {
		b.WriteByte(0)
	}
}

// readStatic reads a program that needs no other file to run.
func readStatic(name string) ([]byte, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("read the guest's program: %w", err)
	}
	file, err := elf.NewFile(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("read the guest's program %s: %w", name, err)
	}
	for _, p := range file.Progs {
		if p.Type == elf.PT_INTERP {
			return nil, fmt.Errorf("read the guest's program %s: it is linked dynamically, and the guest has no libraries; build it with CGO_ENABLED=0 (make build does)", name)
		}
	}
	if file.Machine != elf.EM_X86_64 {
		return nil, fmt.Errorf("read the guest's program %s: it is for %v, and guests are x86-64", name, file.Machine)
	}
	return data, nil
}
