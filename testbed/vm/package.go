package vm

import (
	"archive/tar"
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"strings"
)

// packageName is what Debian's policy (section 5.6.1) allows, and nothing that a program could read as an option.
var packageName = regexp.MustCompile(`^[a-z0-9][a-z0-9+.-]+$`)

// openPackage fetches a package with apt, whose index knows the hash, and unpacks it.
func openPackage(ctx context.Context, name, cache string) (*Kernel, error) {
	if !packageName.MatchString(name) {
		return nil, fmt.Errorf("open kernel %q: that is no name of a package; give a package, a .deb, IMAGE,MODULES, or host", name)
	}
	if _, err := exec.LookPath("apt-get"); err != nil {
		return nil, fmt.Errorf("open kernel %s: packages are fetched by apt-get, which this machine does not have; name an image and its modules instead: IMAGE,MODULES", name)
	}
	entry, err := aptEntry(ctx, name)
	if err != nil {
		return nil, fmt.Errorf("open kernel %s: %w", name, err)
	}
	if entry.image != "" { // linux-image-cloud-amd64 is nothing but a name for the newest
		return openPackage(ctx, entry.image, cache)
	}
	file := filepath.Join(cache, entry.sha256+".deb")
	if sum, err := fileHash(file); err == nil && sum == entry.sha256 {
		return openPackageFile(ctx, name, file, cache)
	}
	if err := download(ctx, name, entry, cache, file); err != nil {
		return nil, fmt.Errorf("open kernel %s: %w", name, err)
	}
	return openPackageFile(ctx, name, file, cache)
}

// aptPackage is a package as apt's index has it.
type aptPackage struct {
	version, sha256 string
	// image is the package with the kernel, if this one only depends on it.
	image string
}

var imagePackage = regexp.MustCompile(`\blinux-image-[0-9][a-z0-9+.-]*`)

// aptEntry asks apt for the version that it would install.
func aptEntry(ctx context.Context, name string) (aptPackage, error) {
	out, err := exec.CommandContext(ctx, "apt-cache", "show", "--no-all-versions", name).Output()
	if err != nil {
		return aptPackage{}, fmt.Errorf("apt has no package of this name; `apt-cache search linux-image` lists what it has, `apt-get update` refreshes the list")
	}
	var p aptPackage
	for line := range strings.Lines(string(out)) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
		switch key {
		case "Version":
			p.version = value
		case "SHA256":
			p.sha256 = value
		case "Depends":
			p.image = imagePackage.FindString(value)
		}
	}
	if len(p.sha256) != 2*sha256.Size || p.version == "" {
		return p, errors.New("apt's index has no SHA-256 of it, so that a download cannot be checked; run `apt-get update`")
	}
	return p, nil
}

// download fetches the package into a folder of its own, checks it, and moves it to file.
func download(ctx context.Context, name string, p aptPackage, cache, file string) error {
	if err := os.MkdirAll(cache, 0o755); err != nil {
		return fmt.Errorf("make the cache of kernels: %w", err)
	}
	dir, err := os.MkdirTemp(cache, ".download-*")
	if err != nil {
		return fmt.Errorf("make the cache of kernels: %w", err)
	}
	defer os.RemoveAll(dir)
	// As root, apt would drop to a user that may not write here.
	cmd := exec.CommandContext(ctx, "apt-get", "download", "-qq", "-o", "APT::Sandbox::User=root", name+"="+p.version)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("download by apt-get: %w: %s", err, lastLine(string(out)))
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

// unpackedSuffix changes with what wanted wants, so that no folder of before lacks a file.
const unpackedSuffix = "-2"

// openPackageFile unpacks what is needed of a .deb into the cache, in a folder named by its hash.
func openPackageFile(ctx context.Context, name, file, cache string) (*Kernel, error) {
	sum, err := fileHash(file)
	if err != nil {
		return nil, fmt.Errorf("open kernel %s: %w", name, err)
	}
	dir := filepath.Join(cache, sum+unpackedSuffix)
	if _, err := os.Stat(dir); err != nil {
		if err := unpack(ctx, file, dir); err != nil {
			return nil, fmt.Errorf("open kernel %s: unpack the package: %w", name, err)
		}
	}
	k, err := describe(name, filepath.Join(dir, "vmlinuz"), filepath.Join(dir, "modules"))
	if err != nil {
		return nil, err
	}
	version, _ := exec.CommandContext(ctx, "dpkg-deb", "--field", file, "Version").Output()
	k.Source = fmt.Sprintf("package %s %s, SHA-256 %s", strings.TrimSuffix(filepath.Base(name), ".deb"), strings.TrimSpace(string(version)), sum)
	return k, nil
}

// unpack writes the kernel and its network modules below dir, whole or not at all. The
// rest of a distribution's kernel is ten times as large.
func unpack(ctx context.Context, file, dir string) (err error) {
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return err
	}
	tmp, err := os.MkdirTemp(filepath.Dir(dir), ".unpack-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	if err := os.Mkdir(filepath.Join(tmp, "modules"), 0o755); err != nil {
		return err
	}
	var complaint bytes.Buffer
	cmd := exec.CommandContext(ctx, "dpkg-deb", "--fsys-tarfile", file)
	cmd.Stderr = &complaint
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("%w; install dpkg, or name an image and its modules: IMAGE,MODULES", err)
	}
	err = extract(tar.NewReader(out), tmp)
	if err != nil {
		_ = cmd.Process.Kill()
	} else {
		_, _ = io.Copy(io.Discard, out) // padding behind the archive's end
	}
	if waited := cmd.Wait(); waited != nil && complaint.Len() > 0 {
		return fmt.Errorf("%s", lastLine(complaint.String()))
	} else if err = cmp.Or(err, waited); err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(tmp, "vmlinuz")); err != nil {
		return errors.New("there is no kernel in it (boot/vmlinuz-*): is it a linux-image package, and not one that only depends on it?")
	}
	if err := os.Rename(tmp, dir); err != nil && !errors.Is(err, os.ErrExist) {
		if _, there := os.Stat(dir); there != nil { // another process may have been first
			return err
		}
	}
	return nil
}

// extract writes the files that wanted names.
func extract(t *tar.Reader, dir string) error {
	for {
		h, err := t.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		to := wanted(path.Clean("/" + h.Name))
		if to == "" || h.Typeflag != tar.TypeReg {
			continue
		}
		if err := writeFile(filepath.Join(dir, to), t); err != nil {
			return err
		}
	}
}

// wanted is where a file of a kernel package goes, or empty. Module files lie flat: no two have one name.
func wanted(name string) string {
	if base := path.Base(name); path.Dir(name) == "/boot" {
		for _, kind := range []string{"vmlinuz", "config"} {
			if strings.HasPrefix(base, kind+"-") {
				return kind
			}
		}
		return ""
	}
	name = strings.TrimPrefix(name, "/usr")
	rest, found := strings.CutPrefix(name, "/lib/modules/")
	if !found {
		return ""
	}
	_, rest, _ = strings.Cut(rest, "/")
	switch {
	case strings.HasPrefix(rest, "modules.builtin"):
		return "modules/" + rest
	case !isModule(rest):
		return ""
	}
	for _, folder := range []string{"kernel/net/", "kernel/lib/", "kernel/crypto/", "kernel/arch/"} {
		if strings.HasPrefix(rest, folder) {
			return "modules/" + path.Base(rest)
		}
	}
	if dir := path.Dir(rest); dir == "kernel/drivers/net" || dir == "kernel/drivers/net/"+CardDriver { // veth, dummy, ifb: drivers of real cards lie deeper
		return "modules/" + path.Base(rest)
	}
	return ""
}

func writeFile(name string, from io.Reader) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, from)
	return cmp.Or(err, f.Close())
}

func fileHash(name string) (string, error) {
	f, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

func lastLine(text string) string {
	text = strings.TrimSpace(text)
	return text[strings.LastIndexByte(text, '\n')+1:]
}
