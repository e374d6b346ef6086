package kernels

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/linerate/linerate/kernels/guest"
	"github.com/linerate/linerate/testbed/vm"
)

// extensionFolders are where distributions keep the extensions of iptables.
var extensionFolders = []string{"/usr/lib/x86_64-linux-gnu/xtables", "/usr/lib64/xtables", "/usr/lib/xtables", "/lib/xtables", "/usr/local/lib/xtables"}

// versionLimit is how long a program may take to tell its version.
const versionLimit = 10 * time.Second

// iptables is this machine's iptables, for a guest: nothing else writes rules as it does.
type iptables struct {
	// Program is the name in the guest, iptables-nft or iptables-legacy.
	Program string
	// Version is what it says of itself.
	Version string
	Files   map[string][]byte
}

// findIptables collects the program of a variant, "nft" or "legacy", with its extensions and libraries.
func findIptables(variant string) (iptables, error) {
	t := iptables{Program: guest.IptablesProgram(variant), Files: map[string][]byte{}}
	name := filepath.Base(t.Program)
	path, err := exec.LookPath(name)
	if err != nil {
		return t, fmt.Errorf("%s is not installed on this machine, from which a guest gets it; install iptables (that is its package in Debian, Ubuntu and Fedora)", name)
	}
	if t.Files[t.Program], err = os.ReadFile(path); err != nil {
		return t, fmt.Errorf("read %s for a guest: %w", name, err)
	}
	if err := vm.Libraries(path, guest.IptablesFolder, t.Files); err != nil {
		return t, err
	}
	for _, extension := range guest.IptablesExtensions() {
		from, err := findExtension(extension)
		if err != nil {
			return t, err
		}
		if t.Files[filepath.Join(guest.IptablesFolder, extension)], err = os.ReadFile(from); err != nil {
			return t, fmt.Errorf("read an extension of iptables for a guest: %w", err)
		}
		if err := vm.Libraries(from, guest.IptablesFolder, t.Files); err != nil {
			return t, err
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), versionLimit)
	defer cancel()
	out, err := exec.CommandContext(ctx, path, "--version").Output()
	if err != nil {
		return t, fmt.Errorf("ask %s for its version: %w; does it run on this machine?", path, err)
	}
	t.Version = strings.TrimSpace(string(out))
	return t, nil
}

// addIptables puts the program into the guest of a scenario that needs it.
func (q *request) addIptables(scenario, variant string) error {
	if !guest.UsesIptables(scenario) || q.files[guest.IptablesProgram(variant)] != nil {
		return nil
	}
	t, err := findIptables(variant)
	if err != nil {
		return err
	}
	q.files, q.versions = t.Files, map[string]string{"iptables": t.Version}
	return nil
}

func findExtension(name string) (string, error) {
	for _, dir := range extensionFolders {
		path := filepath.Join(dir, name)
		if _, err := os.Stat(path); err == nil {
			return path, nil
		}
	}
	return "", fmt.Errorf("iptables of this machine has no extension %s in any of %s; install iptables again", name, strings.Join(extensionFolders, ", "))
}
