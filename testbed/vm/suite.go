package vm

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// suitePackage is PACKAGE/SUITE, as apt spells a package of another release of the distribution.
var suitePackage = regexp.MustCompile(`^([a-z0-9][a-z0-9+.-]+)/([a-z][a-z-]*)$`)

// isSuitePackage tells PACKAGE/SUITE from a path.
func isSuitePackage(name string) bool {
	_, err := os.Stat(name)
	return err != nil && suitePackage.MatchString(name)
}

// openSuitePackage fetches a package of another suite from the mirrors that the machine's
// apt uses. Neither the machine's own lists of packages nor its sources are touched: the
// suite has lists of its own below the cache, which apt checks by the distribution's keys.
func openSuitePackage(ctx context.Context, name, cache string) (*Kernel, error) {
	found := suitePackage.FindStringSubmatch(name)
	if _, err := exec.LookPath("apt-get"); err != nil {
		return nil, fmt.Errorf("open kernel %s: packages of other suites are fetched by apt-get, which this machine does not have; name an image and its modules instead: IMAGE,MODULES", name)
	}
	s, err := openSuite(ctx, found[2], cache)
	var file string
	if err == nil {
		file, err = s.fetch(ctx, found[1])
	}
	if err != nil {
		return nil, fmt.Errorf("open kernel %s: %w", name, err)
	}
	k, err := Open(ctx, file, cache)
	if err != nil {
		return nil, err
	}
	k.Name = name
	k.Source += ", of suite " + found[2]
	return k, nil
}

// suite is apt with lists of its own.
type suite struct{ name, dir string }

// keyring are the keys of Debian's releases, old ones with them, where the machine has them.
const keyring = "/usr/share/keyrings/debian-archive-keyring.gpg"

// openSuite makes a suite's folder, with the sources that apt has for the machine's own.
func openSuite(ctx context.Context, name, cache string) (suite, error) {
	s := suite{name, filepath.Join(cache, "suite-"+name)}
	out, err := exec.CommandContext(ctx, "apt-get", "indextargets", "--format", "$(REPO_URI) $(CODENAME) $(COMPONENT)", "Created-By: Packages").Output()
	if err != nil {
		return s, fmt.Errorf("ask apt for its mirrors: %w", err)
	}
	options := ""
	if _, err := os.Stat(keyring); err == nil {
		options = "[signed-by=" + keyring + "] "
	}
	var sources []string
	for line := range strings.Lines(string(out)) {
		f := strings.Fields(line)
		if len(f) != 3 || f[2] != "main" {
			continue
		}
		_, kind, _ := strings.Cut(f[1], "-") // "bookworm-security" is of another repository
		if kind != "" {
			kind = "-" + kind
		}
		if source := fmt.Sprintf("deb %s%s %s%s main", options, f[0], name, kind); !slices.Contains(sources, source) {
			sources = append(sources, source)
		}
	}
	if len(sources) == 0 {
		return s, errors.New("apt has no mirror yet; run `apt-get update`")
	}
	for _, dir := range []string{"lists/partial", "archives/partial", "deb"} {
		if err := os.MkdirAll(filepath.Join(s.dir, dir), 0o755); err != nil {
			return s, fmt.Errorf("make the cache of kernels: %w", err)
		}
	}
	settings := fmt.Sprintf(`Dir::State::lists "%[1]s/lists"; Dir::State::status "%[1]s/status"; Dir::Cache "%[1]s"; Dir::Etc::sourcelist "%[1]s/sources.list"; Dir::Etc::sourceparts "/dev/null"; Dir::Etc::preferencesparts "/dev/null"; APT::Sandbox::User "root"; APT::Default-Release "";
`, s.dir)
	for file, text := range map[string]string{"sources.list": strings.Join(sources, "\n") + "\n", "apt.conf": settings, "status": ""} {
		if err := os.WriteFile(filepath.Join(s.dir, file), []byte(text), 0o644); err != nil {
			return s, fmt.Errorf("make the cache of kernels: %w", err)
		}
	}
	return s, nil
}

func (s suite) apt(ctx context.Context, tool string, arguments ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, tool, append([]string{"-c", filepath.Join(s.dir, "apt.conf")}, arguments...)...)
	cmd.Dir = filepath.Join(s.dir, "deb")
	return cmd
}

// fetch is the path of the package, downloaded if it is not there. What apt downloads it has
// checked by the hash of its index, and the index by the distribution's keys.
func (s suite) fetch(ctx context.Context, name string) (string, error) {
	version, image, err := s.entry(ctx, name)
	if err != nil {
		updated, failed := s.apt(ctx, "apt-get", "update", "-q").CombinedOutput()
		if version, image, err = s.entry(ctx, name); err != nil {
			text := fmt.Sprintf("suite %s of this machine's mirrors has no package %s", s.name, name)
			if failed != nil {
				text += ": " + firstError(string(updated))
			}
			return "", fmt.Errorf("%s; old suites leave the mirrors for the distribution's archive: download the .deb there and name the file", text)
		}
	}
	if image != "" && image != name {
		return s.fetch(ctx, image)
	}
	pattern := filepath.Join(s.dir, "deb", name+"_*.deb")
	here := func() string {
		found, _ := filepath.Glob(pattern)
		for _, f := range found {
			if out, err := exec.CommandContext(ctx, "dpkg-deb", "--field", f, "Version").Output(); err == nil && strings.TrimSpace(string(out)) == version {
				return f
			}
		}
		return ""
	}
	if f := here(); f != "" {
		return f, nil
	}
	if out, err := s.apt(ctx, "apt-get", "download", "-qq", name+"="+version).CombinedOutput(); err != nil {
		return "", fmt.Errorf("download %s by apt-get: %w: %s", name, err, firstError(string(out)))
	}
	if f := here(); f != "" {
		return f, nil
	}
	return "", fmt.Errorf("download %s by apt-get: no package came", name)
}

// entry is the version that the suite's lists have of a package, and the package with the
// image if this one only depends on it.
func (s suite) entry(ctx context.Context, name string) (version, image string, err error) {
	out, err := s.apt(ctx, "apt-cache", "show", "--no-all-versions", name).Output()
	for line := range strings.Lines(string(out)) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
		switch key {
		case "Version":
			version = value
		case "Depends":
			image = imagePackage.FindString(value)
		}
	}
	if err == nil && version == "" {
		err = errors.New("no version")
	}
	return version, image, err
}

// firstError is the first line in which apt says what failed.
func firstError(text string) string {
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "E:") || strings.HasPrefix(line, "Err:") {
			return strings.TrimSpace(line)
		}
	}
	return lastLine(text)
}
