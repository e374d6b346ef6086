package vm

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// packageName is what Debian's policy (section 5.6.1) allows, and nothing that a program could read as an option.
var packageName = regexp.MustCompile(`^[a-z0-9][a-z0-9+.-]+$`)

// openPackage fetches a kernel's package and those of its modules with apt, whose index knows the hashes.
func openPackage(ctx context.Context, name, cache string) (*Kernel, error) {
	if !packageName.MatchString(name) {
		return nil, fmt.Errorf("open kernel %q: that is no name of a package; give a package, a .deb, an .rpm, IMAGE,MODULES, or host", name)
	}
	if _, err := exec.LookPath("apt-get"); err != nil {
		return nil, fmt.Errorf("open kernel %s: packages are fetched by apt-get, which this machine does not have; name a package's file or URL, or an image and its modules instead: IMAGE,MODULES", name)
	}
	entry, err := aptEntry(ctx, name)
	if err != nil {
		return nil, fmt.Errorf("open kernel %s: %w", name, err)
	}
	if entry.image != "" { // linux-image-cloud-amd64 is nothing but a name for the newest
		return openPackage(ctx, entry.image, cache)
	}
	f, err := aptFile(ctx, entry, cache)
	if err != nil {
		return nil, fmt.Errorf("open kernel %s: %w", name, err)
	}
	files := []packageFile{f}
	if entry.modules != "" {
		more, err := aptModules(ctx, entry.modules, cache)
		if err != nil {
			return nil, fmt.Errorf("open kernel %s: fetch its modules: %w", name, err)
		}
		files = append(files, more...)
	}
	return openUnpacked(ctx, name, files, cache)
}

// aptModules fetches a package of modules, and that of further ones if there is any.
func aptModules(ctx context.Context, modules, cache string) ([]packageFile, error) {
	var files []packageFile
	for _, name := range []string{modules, extraPackage(modules)} {
		entry, err := aptEntry(ctx, name)
		if err != nil && name != modules {
			break
		}
		if err != nil {
			return nil, err
		}
		f, err := aptFile(ctx, entry, cache)
		if err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	return files, nil
}

// aptPackage is a package as apt's index has it.
type aptPackage struct {
	name, version, sha256 string
	sizeBytes             int64
	// image is the package with the kernel, if this one only depends on it, modules the one
	// with its modules, if they are not in it.
	image, modules string
}

var imagePackage = regexp.MustCompile(`\blinux-image-(unsigned-)?[0-9][a-z0-9+.-]*`)

// aptEntry asks apt for the version that it would install.
func aptEntry(ctx context.Context, name string) (aptPackage, error) {
	p := aptPackage{name: name}
	out, err := exec.CommandContext(ctx, "apt-cache", "show", "--no-all-versions", name).Output()
	if err != nil {
		return p, fmt.Errorf("apt has no package %s; `apt-cache search linux-image` lists what it has, `apt-get update` refreshes the list", name)
	}
	for line := range strings.Lines(string(out)) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
		switch key {
		case "Version":
			p.version = value
		case "SHA256":
			p.sha256 = value
		case "Size":
			p.sizeBytes, _ = strconv.ParseInt(value, 10, 64)
		case "Depends":
			p.image, p.modules = imagePackage.FindString(value), modulesPackage.FindString(value)
		}
	}
	if len(p.sha256) != 2*sha256.Size || p.version == "" {
		return p, errors.New("apt's index has no SHA-256 of it, so that a download cannot be checked; run `apt-get update`")
	}
	return p, nil
}

// aptFile is the package in the cache: what has not the hash of apt's index is fetched again.
func aptFile(ctx context.Context, p aptPackage, cache string) (packageFile, error) {
	f := packageFile{path: filepath.Join(cache, p.sha256+".deb"), name: p.name, version: p.version, sha256: p.sha256}
	if sum, err := fileHash(f.path); err == nil && sum == p.sha256 {
		return f, nil
	}
	return f, aptDownload(ctx, p, cache, f.path)
}

// aptDownload fetches the package into a folder of its own, checks it, and moves it to file.
func aptDownload(ctx context.Context, p aptPackage, cache, file string) error {
	dir, err := temporary(cache, ".download-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := hasSpace(cache, p.sizeBytes); err != nil {
		return fmt.Errorf("download %s: %w", p.name, err)
	}
	// As root, apt would drop to a user that may not write here.
	cmd := exec.CommandContext(ctx, "apt-get", "download", "-qq", "-o", "APT::Sandbox::User=root", p.name+"="+p.version)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("download by apt-get: %w: %s", err, aptComplaint(string(out)))
	}
	found, _ := filepath.Glob(filepath.Join(dir, "*.deb"))
	if len(found) != 1 {
		return fmt.Errorf("download by apt-get: %d packages came instead of one", len(found))
	}
	sum, err := fileHash(found[0])
	if err != nil {
		return fmt.Errorf("check the download: %w", err)
	}
	if sum != p.sha256 {
		return fmt.Errorf("check the download: its SHA-256 is %s and should be %s; run `apt-get update` and try again", sum, p.sha256)
	}
	return os.Rename(found[0], file)
}

// aptComplaint is the errors that apt printed, or else its last line.
func aptComplaint(text string) string {
	var list []string
	for line := range strings.Lines(text) {
		if rest, found := strings.CutPrefix(strings.TrimSpace(line), "E: "); found {
			list = append(list, rest)
		}
	}
	if len(list) == 0 {
		return lastLine(text)
	}
	return strings.Join(list, "; ")
}
