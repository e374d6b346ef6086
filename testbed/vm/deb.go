package vm

import (
	"archive/tar"
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
)

// modulesPackage finds in the field Depends the package with a kernel's modules, where they
// are not in the kernel's own, as in Ubuntu.
var modulesPackage = regexp.MustCompile(`\blinux-modules-[0-9][a-z0-9+.-]*`)

// extraPackage has the modules that Ubuntu takes for less common, if there is one; pktgen is such.
func extraPackage(modules string) string {
	return "linux-modules-extra-" + strings.TrimPrefix(modules, "linux-modules-")
}

// describeDeb reads a package's name and version.
func describeDeb(ctx context.Context, file string) (name, version string, err error) {
	fields, err := debFields(ctx, file)
	return fields["Package"], fields["Version"], err
}

func debFields(ctx context.Context, file string) (map[string]string, error) {
	var complaint bytes.Buffer
	cmd := exec.CommandContext(ctx, "dpkg-deb", "--field", file, "Package", "Version", "Depends")
	cmd.Stderr = &complaint
	out, err := cmd.Output()
	if err != nil {
		return nil, debError(err, complaint.String())
	}
	fields := map[string]string{}
	for line := range strings.Lines(string(out)) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
		fields[key] = value
	}
	return fields, nil
}

func debError(err error, complaint string) error {
	if complaint != "" {
		return fmt.Errorf("%s; is the file whole?", lastLine(complaint))
	}
	return fmt.Errorf("%w; install dpkg, or name an image and its modules: IMAGE,MODULES", err)
}

// readDeb hands each regular file of a .deb to each. dpkg-deb decompresses ten times as fast as Go's xz.
func readDeb(ctx context.Context, file string, each func(name string, sizeBytes int64, from io.Reader) error) error {
	var complaint bytes.Buffer
	cmd := exec.CommandContext(ctx, "dpkg-deb", "--fsys-tarfile", file)
	cmd.Stderr = &complaint
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return debError(err, "")
	}
	err = eachTarFile(tar.NewReader(out), each)
	if err != nil {
		_ = cmd.Process.Kill()
	} else {
		_, _ = io.Copy(io.Discard, out) // padding behind the archive's end
	}
	waited := cmd.Wait()
	switch {
	case waited != nil && complaint.Len() > 0:
		return debError(waited, complaint.String())
	case ctx.Err() != nil:
		return ctx.Err()
	}
	return cmp.Or(err, waited)
}

func eachTarFile(t *tar.Reader, each func(string, int64, io.Reader) error) error {
	for {
		h, err := t.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if h.Typeflag != tar.TypeReg {
			continue
		}
		if err := each(h.Name, h.Size, t); err != nil {
			return err
		}
	}
}

// debCompanions are the packages of modules that a kernel's .deb depends on, each from beside
// it, where it has the kernel's version, or else from apt.
func debCompanions(ctx context.Context, place string, f packageFile, cache string) ([]packageFile, error) {
	fields, err := debFields(ctx, f.path)
	if err != nil {
		return nil, err
	}
	modules := modulesPackage.FindString(fields["Depends"])
	if modules == "" {
		return nil, nil
	}
	var files []packageFile
	for _, name := range []string{modules, extraPackage(modules)} {
		more, err := debBeside(ctx, place, name, f.version)
		if err != nil {
			return nil, err
		}
		if more.path == "" {
			more, err = debFromApt(ctx, name, cache)
		}
		switch {
		case err == nil && name != modules && more.version != files[0].version:
			// Of a rebuild: these modules were not made together.
		case err == nil:
			files = append(files, more)
		case name != modules && (isNoPackage(err) || aptAvailable() != nil):
			// Not every kernel has further modules.
		default:
			return nil, fmt.Errorf("its modules are in the package %s, which is not beside it in version %s: %w; name its file after a comma: FILE,FILE", name, f.version, err)
		}
	}
	return files, nil
}

// debBeside is a package's file of a version in the folder of another; without a path if there is none.
func debBeside(ctx context.Context, place, name, version string) (packageFile, error) {
	if isURL(place) {
		return packageFile{}, nil
	}
	found, err := filepath.Glob(filepath.Join(filepath.Dir(place), name+"_*.deb"))
	if err != nil {
		return packageFile{}, err
	}
	for _, file := range found {
		f, err := openPackageFile(ctx, file, "")
		if err != nil {
			return f, fmt.Errorf("%s: %w", file, err)
		}
		if f.name == name && f.version == version {
			return f, nil
		}
	}
	return packageFile{}, nil
}

func debFromApt(ctx context.Context, name, cache string) (packageFile, error) {
	if err := aptAvailable(); err != nil {
		return packageFile{}, err
	}
	return apt{}.fetch(ctx, name, cache)
}

func lastLine(text string) string {
	text = strings.TrimSpace(text)
	return text[strings.LastIndexByte(text, '\n')+1:]
}
