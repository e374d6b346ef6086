package kernel

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Pktgen is the packet generator of the kernel. It is looked for but not loaded:
// loading it would start a thread on every CPU of the machine.
var Pktgen = Feature{
	Name: "pktgen", Need: ForComparison,
	Cost: "the kernel's own generator cannot be compared with",
	Fix:  "boot a kernel with CONFIG_NET_PKTGEN, or `modprobe pktgen`",
	try: func() (string, error) {
		if _, err := os.Stat("/proc/net/pktgen"); err == nil {
			return "loaded", nil
		}
		file, err := moduleFile(os.DirFS("/"), Release(), "pktgen")
		if err != nil {
			return "", fmt.Errorf("look for /proc/net/pktgen and the module: %w", err)
		}
		return "not loaded; /" + file + " can be", nil
	},
}

// moduleFile finds a loadable module of a kernel release, compressed or not.
func moduleFile(root fs.FS, release, module string) (string, error) {
	base := filepath.Join("lib/modules", release)
	if _, err := fs.Stat(root, base); err != nil {
		return "", fmt.Errorf("this kernel has no loadable modules in /%s", base)
	}
	found := ""
	err := fs.WalkDir(root, base, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if name, _, _ := strings.Cut(entry.Name(), ".ko"); name == module && name != entry.Name() && !entry.IsDir() {
			found = path
			return fs.SkipAll
		}
		return nil
	})
	if err != nil {
		return "", fmt.Errorf("search /%s for module %s: %w", base, module, err)
	}
	if found == "" {
		return "", fmt.Errorf("there is no module %s in /%s", module, base)
	}
	return found, nil
}
