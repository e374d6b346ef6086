package vm

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
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
	if err := aptAvailable(); err != nil {
		return nil, fmt.Errorf("open kernel %s: %w", name, err)
	}
	a, err := openSuite(ctx, found[2], cache)
	if err != nil {
		return nil, fmt.Errorf("open kernel %s: %w", name, err)
	}
	files, err := a.newest(ctx, found[1], cache)
	if err != nil {
		return nil, fmt.Errorf("open kernel %s: %w", name, err)
	}
	k, err := openUnpacked(ctx, name, files, cache)
	if err != nil {
		return nil, err
	}
	k.Source += ", of suite " + a.suite
	return k, nil
}

// keyring are the keys of Debian's releases, old ones with them, where the machine has them.
const keyring = "/usr/share/keyrings/debian-archive-keyring.gpg"

// openSuite makes a suite's folder, with the sources that apt has for the machine's own.
func openSuite(ctx context.Context, name, cache string) (apt, error) {
	a := apt{suite: name, dir: filepath.Join(cache, "suite-"+name)}
	out, err := apt{}.command(ctx, "apt-get", "indextargets", "--format", "$(REPO_URI) $(CODENAME) $(COMPONENT)", "Created-By: Packages").Output()
	if err != nil {
		return a, fmt.Errorf("ask apt for its mirrors: %w", err)
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
		return a, errors.New("apt has no mirror yet; run `apt-get update`")
	}
	for _, dir := range []string{"lists/partial", "archives/partial"} {
		if err := os.MkdirAll(filepath.Join(a.dir, dir), 0o755); err != nil {
			return a, fmt.Errorf("make the cache of kernels: %w", noSpace(err, cache, 0))
		}
	}
	settings := fmt.Sprintf(`Dir::State::lists "%[1]s/lists"; Dir::State::status "%[1]s/status"; Dir::Cache "%[1]s"; Dir::Etc::sourcelist "%[1]s/sources.list"; Dir::Etc::sourceparts "/dev/null"; Dir::Etc::preferencesparts "/dev/null"; APT::Sandbox::User "root"; APT::Default-Release "";
`, a.dir)
	for file, text := range map[string]string{"sources.list": strings.Join(sources, "\n") + "\n", "apt.conf": settings, "status": ""} {
		if err := os.WriteFile(filepath.Join(a.dir, file), []byte(text), 0o644); err != nil {
			return a, fmt.Errorf("make the cache of kernels: %w", noSpace(err, cache, 0))
		}
	}
	return a, nil
}

// listsLast is how long a suite's lists are used before they are looked up again.
const listsLast = 24 * time.Hour

// newest fetches a kernel's packages, of lists that are not older than listsLast. Where the
// mirrors cannot be reached, older lists do for what the cache has.
func (a apt) newest(ctx context.Context, name, cache string) ([]packageFile, error) {
	looked, err := os.Stat(a.lookedUp())
	fresh := err == nil && time.Since(looked.ModTime()) < listsLast
	var updated error
	if !fresh {
		updated = a.update(ctx)
	}
	files, err := a.files(ctx, name, cache)
	if isNoPackage(err) && fresh {
		updated = a.update(ctx)
		files, err = a.files(ctx, name, cache)
	}
	if err != nil && updated != nil {
		err = fmt.Errorf("%w (%w)", err, updated)
	}
	return files, err
}

// lookedUp is the file whose time is that of the last attempt to update.
func (a apt) lookedUp() string { return filepath.Join(a.dir, "updated") }

// update looks the suite's lists up on the mirrors. An error may be of one of them only: not
// each mirror has each suite.
func (a apt) update(ctx context.Context) error {
	out, err := a.command(ctx, "apt-get", "update", "-q", "-o", "APT::Update::Error-Mode=any").CombinedOutput()
	if err != nil {
		err = fmt.Errorf("update the lists of suite %s: %w: %s", a.suite, err, aptComplaint(string(out)))
	}
	return errors.Join(err, os.WriteFile(a.lookedUp(), nil, 0o644))
}
