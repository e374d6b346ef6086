package vm

import (
	"debug/elf"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// libraryFolders are where distributions keep libraries of x86-64; a program's own
// folders (DT_RUNPATH, DT_RPATH) are looked through before them.
var libraryFolders = []string{"/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu", "/lib64", "/usr/lib64", "/lib", "/usr/lib", "/usr/local/lib"}

// Libraries adds to a guest's files, by absolute path, what the dynamic program or library
// name of this machine needs to run there: its interpreter at the path that the program
// names, and its libraries in folder, which LD_LIBRARY_PATH has to name in the guest. The
// program itself is not added.
func Libraries(name, folder string, files map[string][]byte) error {
	if err := addLibraries(name, folder, files); err != nil {
		return fmt.Errorf("collect the libraries of %s for a guest: %w", name, err)
	}
	return nil
}

func addLibraries(name, folder string, files map[string][]byte) error {
	f, err := elf.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	if f.Machine != elf.EM_X86_64 {
		return fmt.Errorf("it is for %v, and guests are x86-64", f.Machine)
	}
	if path, err := interpreter(f); err != nil {
		return err
	} else if path != "" && files[path] == nil {
		if files[path], err = os.ReadFile(path); err != nil {
			return err
		}
	}
	needed, err := f.ImportedLibraries()
	if err != nil {
		return err
	}
	for _, library := range needed {
		to := filepath.Join(folder, library)
		if files[to] != nil {
			continue
		}
		from, err := findLibrary(f, name, library)
		if err != nil {
			return err
		}
		if files[to], err = os.ReadFile(from); err != nil {
			return err
		}
		if err := addLibraries(from, folder, files); err != nil {
			return fmt.Errorf("%s: %w", library, err)
		}
	}
	return nil
}

// interpreter is the program header PT_INTERP, empty for a library.
func interpreter(f *elf.File) (string, error) {
	for _, p := range f.Progs {
		if p.Type == elf.PT_INTERP {
			text := make([]byte, p.Filesz)
			_, err := p.ReadAt(text, 0)
			return strings.TrimRight(string(text), "\x00"), err
		}
	}
	return "", nil
}

// findLibrary looks where the interpreter would (ld.so(8)), but for its cache.
func findLibrary(f *elf.File, of, library string) (string, error) {
	var folders []string
	for _, tag := range []elf.DynTag{elf.DT_RPATH, elf.DT_RUNPATH} {
		values, _ := f.DynString(tag)
		for _, v := range values {
			folders = append(folders, strings.Split(strings.ReplaceAll(v, "$ORIGIN", filepath.Dir(of)), ":")...)
		}
	}
	for _, dir := range append(folders, libraryFolders...) {
		path := filepath.Join(dir, library)
		if found, err := elf.Open(path); err == nil {
			machine := found.Machine
			found.Close()
			if machine == f.Machine {
				return path, nil
			}
		}
	}
	return "", fmt.Errorf("%s needs %s, which is in none of the usual folders of libraries", of, library)
}
