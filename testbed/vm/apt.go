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
	if err := aptAvailable(); err != nil {
		return nil, fmt.Errorf("open kernel %s: %w", name, err)
	}
	files, err := apt{}.files(ctx, name, cache)
	if err != nil {
		return nil, fmt.Errorf("open kernel %s: %w", name, err)
	}
	return openUnpacked(ctx, files[0].name, files, cache)
}

func aptAvailable() error {
	if _, err := exec.LookPath("apt-get"); err != nil {
		return errors.New("packages are fetched by apt-get, which this machine does not have; name a package's file or URL, or an image and its modules instead: IMAGE,MODULES")
	}
	return nil
}

// apt is this machine's, or one with lists of packages of its own.
type apt struct {
	// suite and dir are those of the lists of its own; empty for the machine's.
	suite, dir string
}

func (a apt) command(ctx context.Context, tool string, arguments ...string) *exec.Cmd {
	if a.dir != "" {
		arguments = append([]string{"-c", filepath.Join(a.dir, "apt.conf")}, arguments...)
	}
	return exec.CommandContext(ctx, tool, arguments...)
}

// mostNames are those of packages that only depend on another, one after the other.
const mostNames = 5

// files fetches the package with a kernel, of that name or what it depends on, and those of its modules.
func (a apt) files(ctx context.Context, name, cache string) ([]packageFile, error) {
	entry, err := a.entry(ctx, name)
	for n := 0; err == nil && entry.image != ""; n++ { // linux-image-cloud-amd64 is nothing but a name for the newest
		if n == mostNames {
			return nil, fmt.Errorf("more than %d packages depend on one another, and none of them is said to have the kernel; name the one with the image", mostNames)
		}
		entry, err = a.entry(ctx, entry.image)
	}
	if err != nil {
		return nil, err
	}
	f, err := a.file(ctx, entry, cache)
	if err != nil {
		return nil, err
	}
	files := []packageFile{f}
	if entry.modules == "" {
		return files, nil
	}
	more, err := a.modules(ctx, entry.modules, cache)
	if err != nil {
		return nil, fmt.Errorf("fetch its modules: %w", err)
	}
	return append(files, more...), nil
}

// modules fetches a package of modules, and that of further ones if there is any.
func (a apt) modules(ctx context.Context, name, cache string) ([]packageFile, error) {
	f, err := a.fetch(ctx, name, cache)
	if err != nil {
		return nil, err
	}
	extra, err := a.fetch(ctx, extraPackage(name), cache)
	if isNoPackage(err) {
		return []packageFile{f}, nil
	}
	return []packageFile{f, extra}, err
}

func (a apt) fetch(ctx context.Context, name, cache string) (packageFile, error) {
	entry, err := a.entry(ctx, name)
	if err != nil {
		return packageFile{}, err
	}
	return a.file(ctx, entry, cache)
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

// noPackageError says that apt's lists do not have a package.
type noPackageError struct{ name, suite string }

func (e *noPackageError) Error() string {
	if e.suite != "" {
		return fmt.Sprintf("suite %s of this machine's mirrors has no package %s; old suites leave the mirrors for the distribution's archive: download the .deb there and name the file", e.suite, e.name)
	}
	return fmt.Sprintf("apt has no package %s; `apt-cache search linux-image` lists what it has, `apt-get update` refreshes the list", e.name)
}

func isNoPackage(err error) bool {
	_, is := errors.AsType[*noPackageError](err)
	return is
}

// entry asks apt for the version that it would install.
func (a apt) entry(ctx context.Context, name string) (aptPackage, error) {
	p := aptPackage{name: name}
	out, err := a.command(ctx, "apt-cache", "show", "--no-all-versions", name).Output()
	switch {
	case ctx.Err() != nil:
		return p, ctx.Err()
	case err != nil:
		return p, &noPackageError{name, a.suite}
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
	if p.image == name {
		p.image = ""
	}
	if len(p.sha256) != 2*sha256.Size || p.version == "" {
		return p, fmt.Errorf("apt's index has no SHA-256 of %s, so that a download cannot be checked; run `apt-get update`", name)
	}
	return p, nil
}

// file is the package in the cache: what has not the hash of apt's index is fetched again. A
// mirror that has the version no more has a newer one in newer lists; those of the machine are its owner's.
func (a apt) file(ctx context.Context, p aptPackage, cache string) (packageFile, error) {
	f, err := a.cached(ctx, p, cache)
	if err == nil || a.suite == "" || ctx.Err() != nil {
		return f, err
	}
	updated := a.update(ctx)
	if p, err = a.entry(ctx, p.name); err == nil {
		f, err = a.cached(ctx, p, cache)
	}
	if err != nil && updated != nil {
		err = fmt.Errorf("%w (%w)", err, updated)
	}
	return f, err
}

func (a apt) cached(ctx context.Context, p aptPackage, cache string) (packageFile, error) {
	f := packageFile{path: filepath.Join(cache, p.sha256+".deb"), name: p.name, version: p.version, sha256: p.sha256}
	if sum, err := fileHash(f.path); err == nil && sum == p.sha256 {
		return f, nil
	}
	return f, a.download(ctx, p, cache, f.path)
}

// download fetches the package into a folder of its own, checks it, and moves it to file.
func (a apt) download(ctx context.Context, p aptPackage, cache, file string) error {
	dir, err := temporary(cache, ".download-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := hasSpace(cache, p.sizeBytes); err != nil {
		return fmt.Errorf("download %s: %w", p.name, err)
	}
	// As root, apt would drop to a user that may not write here.
	cmd := a.command(ctx, "apt-get", "download", "-qq", "-o", "APT::Sandbox::User=root", p.name+"="+p.version)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("download %s %s by apt-get: %w: %s; %s", p.name, p.version, err, aptComplaint(string(out)), a.remedy())
	}
	found, _ := filepath.Glob(filepath.Join(dir, "*.deb"))
	if len(found) != 1 {
		return fmt.Errorf("download %s by apt-get: %d packages came instead of one; %s", p.name, len(found), a.remedy())
	}
	sum, err := fileHash(found[0])
	if err != nil {
		return fmt.Errorf("check the download: %w", err)
	}
	if sum != p.sha256 {
		return fmt.Errorf("check the download: its SHA-256 is %s and should be %s; %s", sum, p.sha256, a.remedy())
	}
	return os.Rename(found[0], file)
}

// remedy is what a user does about a download that failed.
func (a apt) remedy() string {
	if a.suite != "" {
		return "look whether the mirror can be reached, or download the .deb and name the file"
	}
	return "run `apt-get update` and try again"
}

// aptComplaint is the errors that apt printed, or else its last line.
func aptComplaint(text string) string {
	var list []string
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if rest, found := strings.CutPrefix(line, "E: "); found {
			list = append(list, rest)
		} else if strings.HasPrefix(line, "Err:") {
			list = append(list, line)
		}
	}
	if len(list) == 0 {
		return lastLine(text)
	}
	return strings.Join(list, "; ")
}
