// Package vm boots a kernel in QEMU with a static program as its init, and passes on
// what the program reports. It knows kernels, modules and guests, and nothing of what is
// measured inside.
package vm

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// Kernel is a kernel that can be booted.
type Kernel struct {
	// Name is what it was asked for by.
	Name string
	// Release is what the image calls itself, as `uname -r` will: "6.1.0-50-cloud-amd64".
	Release string
	// Source says where it came from, with a package's version and hash.
	Source string
	// Image is the path of the bzImage, ModuleDir that of its modules; empty if it has none.
	Image, ModuleDir string
}

// Open finds a kernel. A name is that of a package of the machine's package manager, or
// the path or URL of a .deb or .rpm (with those of its modules after commas, if they are not
// beside it), the path of an image (with its modules in a folder beside it, after a comma:
// "vmlinuz,lib/modules/6.1.0"), or "host" for the kernel that this machine runs. A package
// of another release of the distribution is PACKAGE/SUITE, as apt has it. Packages are kept
// and unpacked in the folder cache.
func Open(ctx context.Context, name, cache string) (*Kernel, error) {
	switch {
	case name == "host":
		return openHost()
	case isPackageFile(strings.Split(name, ",")[0]):
		return openPackageFiles(ctx, name, cache)
	case isSuitePackage(name):
		return openSuitePackage(ctx, name, cache)
	case strings.ContainsAny(name, "/,"):
		return openImage(name)
	}
	if info, err := os.Stat(name); err == nil && !info.IsDir() {
		return openImage(name)
	}
	return openPackage(ctx, name, cache)
}

// openHost is the kernel that runs, where its image is readable.
func openHost() (*Kernel, error) {
	var u unix.Utsname
	if err := unix.Uname(&u); err != nil {
		return nil, fmt.Errorf("open the host's kernel: %w", err)
	}
	release := unix.ByteSliceToString(u.Release[:])
	image := "/boot/vmlinuz-" + release
	if _, err := os.Stat(image); err != nil {
		return nil, fmt.Errorf("open the host's kernel: %w; name its image and its modules instead: IMAGE,MODULES", err)
	}
	k, err := describe("host", image, "/lib/modules/"+release)
	if err == nil {
		k.Source = "the kernel of this machine"
	}
	return k, err
}

// openImage is "IMAGE" or "IMAGE,MODULES".
func openImage(name string) (*Kernel, error) {
	image, modules, given := strings.Cut(name, ",")
	if !given {
		release, err := imageRelease(image)
		if err != nil {
			return nil, fmt.Errorf("open kernel %s: %w", name, err)
		}
		for _, dir := range []string{filepath.Join(filepath.Dir(image), "modules"), filepath.Join(filepath.Dir(image), "../lib/modules", release), "/lib/modules/" + release} {
			if _, err := os.Stat(dir); err == nil {
				modules = dir
				break
			}
		}
	}
	k, err := describe(name, image, modules)
	if err == nil {
		k.Source = "file " + image
	}
	return k, err
}

// describe reads the release of an image and looks whether the modules are there.
func describe(name, image, modules string) (*Kernel, error) {
	release, err := imageRelease(image)
	if err != nil {
		return nil, fmt.Errorf("open kernel %s: %w", name, err)
	}
	if modules != "" {
		if info, err := os.Stat(modules); err != nil || !info.IsDir() {
			return nil, fmt.Errorf("open kernel %s: its modules are not in %s; name their folder after a comma: IMAGE,MODULES", name, modules)
		}
	}
	return &Kernel{Name: name, Release: release, Image: image, ModuleDir: modules}, nil
}
