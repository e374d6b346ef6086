package vm

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// packageFile is one file of a package manager, and what is inside.
type packageFile struct {
	// path is the file, which exists.
	path string
	// name and version are the package's.
	name, version string
	sha256        string
}

// isPackageFile tells whether a name is that of a package file and not of a package.
func isPackageFile(name string) bool {
	return strings.HasSuffix(name, ".deb") || strings.HasSuffix(name, ".rpm")
}

// openPackageFiles is "FILE" or "FILE,FILE...": the package of a kernel and those of its
// modules, as paths or URLs. What stands beside the first by its usual name need not be named.
func openPackageFiles(ctx context.Context, name, cache string) (*Kernel, error) {
	var files []packageFile
	for place := range strings.SplitSeq(name, ",") {
		if !isPackageFile(place) {
			return nil, fmt.Errorf("open kernel %s: %q is no .deb and no .rpm; behind a kernel's package stand packages of its modules: FILE,FILE", name, place)
		}
		f, err := openPackageFile(ctx, place, cache)
		if err != nil {
			return nil, fmt.Errorf("open kernel %s: %w", name, err)
		}
		files = append(files, f)
	}
	if len(files) == 1 {
		more, err := companions(ctx, name, files[0], cache)
		if err != nil {
			return nil, fmt.Errorf("open kernel %s: %w", name, err)
		}
		files = append(files, more...)
	}
	return openUnpacked(ctx, name, files, cache)
}

// openPackageFile reads what a package file at a path or URL says of itself.
func openPackageFile(ctx context.Context, place, cache string) (packageFile, error) {
	f := packageFile{path: place}
	var err error
	if isURL(place) {
		if f.path, err = fetch(ctx, place, cache); err != nil {
			return f, err
		}
	}
	if f.sha256, err = fileHash(f.path); err != nil {
		return f, err
	}
	if strings.HasSuffix(place, ".rpm") {
		f.name, f.version, err = describeRPM(f.path)
	} else {
		f.name, f.version, err = describeDeb(ctx, f.path)
	}
	return f, err
}

// companions are the packages with the modules of a kernel's package, where they are others.
func companions(ctx context.Context, place string, f packageFile, cache string) ([]packageFile, error) {
	if strings.HasSuffix(place, ".rpm") {
		return rpmCompanions(ctx, place, cache)
	}
	return debCompanions(ctx, place, f, cache)
}

// unpackedSuffix changes with what wanted wants, so that no folder of before lacks a file.
const unpackedSuffix = "-2"

// openUnpacked unpacks what is needed of the packages into the cache, in a folder named by their hashes.
func openUnpacked(ctx context.Context, name string, files []packageFile, cache string) (*Kernel, error) {
	var sums, sources []string
	for _, f := range files {
		sums = append(sums, f.sha256)
		sources = append(sources, fmt.Sprintf("package %s %s, SHA-256 %s", f.name, f.version, f.sha256))
	}
	folder := sums[0]
	if len(sums) > 1 {
		all := sha256.Sum256([]byte(strings.Join(sums, " ")))
		folder = hex.EncodeToString(all[:])
	}
	dir := filepath.Join(cache, folder+unpackedSuffix)
	if _, err := os.Stat(dir); err != nil {
		if err := unpack(ctx, files, dir); err != nil {
			return nil, fmt.Errorf("open kernel %s: unpack the package: %w", name, err)
		}
	}
	k, err := describe(name, filepath.Join(dir, "vmlinuz"), filepath.Join(dir, "modules"))
	if err != nil {
		return nil, err
	}
	k.Source = strings.Join(sources, "; ")
	return k, nil
}

// unpacking is a kernel that is being written below dir.
type unpacking struct {
	dir string
	// needBytes is the sum of all files; full the first error of a full disk, behind which nothing is written.
	needBytes int64
	full      error
}

// unpack writes the kernel and its network modules below dir, whole or not at all. The
// rest of a distribution's kernel is ten times as large.
func unpack(ctx context.Context, files []packageFile, dir string) error {
	cache := filepath.Dir(dir)
	tmp, err := temporary(cache, ".unpack-*")
	if err != nil {
		return err
	}
	u := &unpacking{dir: tmp}
	err = u.all(ctx, files)
	if err == nil && u.full == nil {
		err = os.Rename(tmp, dir)
		if _, there := os.Stat(dir); there == nil {
			err = nil // another process may have been first
		}
	}
	removed := os.RemoveAll(tmp)
	if u.full != nil {
		return noSpace(u.full, cache, u.needBytes)
	}
	return cmp.Or(err, removed)
}

func (u *unpacking) all(ctx context.Context, files []packageFile) error {
	err := os.Mkdir(filepath.Join(u.dir, "modules"), 0o755)
	if u.full = full(err); err != nil && u.full == nil {
		return err
	}
	for _, f := range files {
		read := readDeb
		if strings.HasSuffix(f.path, ".rpm") {
			read = readRPM
		}
		if err := read(ctx, f.path, u.take); err != nil {
			return fmt.Errorf("%s: %w", filepath.Base(f.path), err)
		}
	}
	if _, err := os.Stat(filepath.Join(u.dir, "vmlinuz")); err != nil && u.full == nil {
		return errors.New("there is no kernel in it (boot/vmlinuz-* or lib/modules/*/vmlinuz): is it a package such as linux-image, kernel-core or kernel-default, and not one that only depends on it?")
	}
	return nil
}

// take writes a file of a package if it is wanted.
func (u *unpacking) take(name string, sizeBytes int64, from io.Reader) error {
	to := wanted(path.Clean("/" + name))
	if to == "" || sizeBytes == 0 {
		return nil
	}
	u.needBytes += sizeBytes
	if u.full != nil {
		return nil
	}
	err := writeFile(filepath.Join(u.dir, to), from)
	if u.full = full(err); u.full != nil {
		return nil // how much is needed is known at the end
	}
	return err
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
	case rest == "vmlinuz" || rest == "config": // Fedora and openSUSE
		return rest
	case strings.HasPrefix(rest, "modules.builtin"):
		return "modules/" + rest
	case !isModule(rest):
		return ""
	}
	// The first folder is kernel, or internal and extra for modules that Fedora's kernel ships apart.
	_, rest, _ = strings.Cut(rest, "/")
	if slices.Contains([]string{"net", "lib", "crypto", "arch"}, strings.Split(rest, "/")[0]) {
		return "modules/" + path.Base(rest)
	}
	if dir := path.Dir(rest); dir == "drivers/net" || dir == "drivers/net/"+CardDriver { // veth, dummy, ifb: drivers of real cards lie deeper
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

// abandonedAfter is when a temporary file of the cache belongs to no process any more.
const abandonedAfter = 24 * time.Hour

// temporary makes a folder for what is not whole yet, and removes what killed processes left.
func temporary(cache, pattern string) (string, error) {
	if err := os.MkdirAll(cache, 0o755); err != nil {
		return "", fmt.Errorf("make the cache of kernels: %w", noSpace(err, cache, 0))
	}
	for _, p := range []string{".unpack-*", ".download-*"} {
		old, _ := filepath.Glob(filepath.Join(cache, p))
		for _, name := range old {
			if info, err := os.Stat(name); err == nil && time.Since(info.ModTime()) > abandonedAfter {
				_ = os.RemoveAll(name)
			}
		}
	}
	dir, err := os.MkdirTemp(cache, pattern)
	if err != nil {
		return "", fmt.Errorf("make a folder in the cache of kernels: %w", noSpace(err, cache, 0))
	}
	return dir, nil
}
