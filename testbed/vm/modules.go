package vm

import (
	"bytes"
	"context"
	"debug/elf"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Module is a kernel module to be loaded.
type Module struct {
	// Name has underscores, as in /proc/modules.
	Name string
	// Data is the ELF file, not compressed.
	Data []byte
	// Optional modules may refuse to load: one of several that provide the same, such as
	// an implementation for a CPU that the guest does not have.
	Optional bool
}

// modules is what a kernel has of modules.
type modules struct {
	// files are the paths by name; builtin the modules that are part of the image.
	files   map[string]string
	builtin map[string]bool
	// infos are those of the modules that were read, by name.
	infos map[string]moduleInfo
}

// moduleInfo is the section .modinfo of a module.
type moduleInfo struct {
	depends, softBefore, aliases []string
	data                         []byte
}

// Modules are the modules named and all that they need, in the order in which they can be
// loaded; those built into the kernel are left out. A name can have alternatives, of
// which the first that the kernel has is taken: "nft_chain_nat|nft_chain_nat_ipv4".
func (k *Kernel) Modules(names ...string) ([]Module, error) {
	m, err := readModules(k.ModuleDir)
	if err != nil {
		return nil, fmt.Errorf("read the modules of kernel %s: %w", k.Name, err)
	}
	var order []Module
	for _, alternatives := range names {
		if err := m.add(alternatives, false, &order, nil); err != nil {
			return nil, fmt.Errorf("find the modules of kernel %s (%s): %w", k.Name, k.Release, err)
		}
	}
	return order, nil
}

// readModules finds the module files below dir and what is built in.
func readModules(dir string) (*modules, error) {
	m := &modules{files: map[string]string{}, builtin: map[string]bool{}, infos: map[string]moduleInfo{}}
	if dir == "" {
		return m, nil
	}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && isModule(path) {
			m.files[moduleName(path)] = path
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	list, err := os.ReadFile(filepath.Join(dir, "modules.builtin"))
	if err != nil {
		return m, nil // a folder of modules alone: what is built in is not known
	}
	for line := range strings.Lines(string(list)) {
		m.builtin[moduleName(strings.TrimSpace(line))] = true
	}
	return m, nil
}

// add appends the first of the alternatives that the kernel has, after what it needs.
func (m *modules) add(alternatives string, optional bool, order *[]Module, within []string) error {
	for name := range strings.SplitSeq(alternatives, "|") {
		if m.builtin[name] || slices.ContainsFunc(*order, func(o Module) bool { return o.Name == name }) {
			return nil
		}
		if _, found := m.files[name]; !found {
			continue
		}
		if slices.Contains(within, name) {
			return fmt.Errorf("module %s needs itself: %s", name, strings.Join(append(within, name), " -> "))
		}
		info, err := m.info(name)
		if err != nil {
			return err
		}
		within = append(slices.Clone(within), name)
		for _, soft := range info.softBefore {
			if err := m.addProviders(soft, order, within); err != nil {
				return err
			}
		}
		for _, needed := range info.depends {
			if err := m.add(needed, optional, order, within); err != nil {
				return fmt.Errorf("needed by %s: %w", name, err)
			}
		}
		*order = append(*order, Module{Name: name, Data: info.data, Optional: optional})
		return nil
	}
	if optional {
		return nil
	}
	return fmt.Errorf("it has no module %s, loadable or built in; choose a kernel that is configured with it", strings.ReplaceAll(alternatives, "|", " or "))
}

// addProviders appends whatever a soft dependency stands for: a module's name, or an alias
// that several modules may have. `modprobe` would find them by modules.alias.
func (m *modules) addProviders(alias string, order *[]Module, within []string) error {
	name := moduleName(alias)
	if m.builtin[name] || m.files[name] != "" {
		return m.add(name, true, order, within)
	}
	for _, file := range sortedNames(m.files) {
		// Reading each module of a kernel takes seconds: a provider is named after what it provides.
		if !strings.HasPrefix(file, name) || slices.Contains(within, file) {
			continue
		}
		info, err := m.info(file)
		if err != nil {
			return err
		}
		if slices.ContainsFunc(info.aliases, func(a string) bool { return moduleName(a) == name || moduleName(a) == "crypto_"+name }) {
			if err := m.add(file, true, order, within); err != nil {
				return err
			}
		}
	}
	return nil
}

// info reads a module once.
func (m *modules) info(name string) (moduleInfo, error) {
	if info, read := m.infos[name]; read {
		return info, nil
	}
	data, err := readModule(m.files[name])
	if err != nil {
		return moduleInfo{}, err
	}
	file, err := elf.NewFile(bytes.NewReader(data))
	if err != nil {
		return moduleInfo{}, fmt.Errorf("read module %s: %w", m.files[name], err)
	}
	section := file.Section(".modinfo")
	if section == nil {
		return moduleInfo{}, fmt.Errorf("read module %s: it has no section .modinfo", m.files[name])
	}
	text, err := section.Data()
	if err != nil {
		return moduleInfo{}, fmt.Errorf("read module %s: %w", m.files[name], err)
	}
	info := parseModinfo(text)
	info.data = data
	m.infos[name] = info
	return info, nil
}

// parseModinfo reads the section's strings, each "key=value" and a zero byte (include/linux/moduleparam.h).
func parseModinfo(text []byte) moduleInfo {
	var info moduleInfo
	for entry := range bytes.SplitSeq(text, []byte{0}) {
		key, value, _ := strings.Cut(string(entry), "=")
		switch key {
		case "depends":
			for name := range strings.SplitSeq(value, ",") {
				if name != "" {
					info.depends = append(info.depends, moduleName(name))
				}
			}
		case "softdep":
			_, before, _ := strings.Cut(value, "pre:")
			before, _, _ = strings.Cut(before, "post:")
			info.softBefore = append(info.softBefore, strings.Fields(before)...)
		case "alias":
			info.aliases = append(info.aliases, value)
		}
	}
	return info
}

// readModule reads a module and decompresses it: the guest has no tools to do it.
func readModule(path string) ([]byte, error) {
	compressor := map[string]string{".xz": "xz", ".zst": "zstd", ".gz": "gzip"}[filepath.Ext(path)]
	if compressor == "" {
		return os.ReadFile(path)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	r, err := decompress(context.Background(), compressor, f)
	if err != nil {
		return nil, fmt.Errorf("decompress module %s: %w", path, err)
	}
	data, err := io.ReadAll(r)
	if closed := r.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return nil, fmt.Errorf("decompress module %s: %w", path, err)
	}
	return data, nil
}

var moduleEndings = []string{".ko", ".ko.xz", ".ko.zst", ".ko.gz"}

func isModule(path string) bool {
	return slices.ContainsFunc(moduleEndings, func(e string) bool { return strings.HasSuffix(path, e) })
}

// moduleName is the name of a module file as the kernel spells it.
func moduleName(path string) string {
	name, _, _ := strings.Cut(filepath.Base(path), ".ko")
	return strings.ReplaceAll(name, "-", "_")
}

func sortedNames(files map[string]string) []string {
	var names []string
	for n := range files {
		names = append(names, n)
	}
	slices.Sort(names)
	return names
}
