package vm

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestModulesOfOtherVersions takes modules from beside a .deb only in its own version, and
// each of their packages from where it is.
func TestModulesOfOtherVersions(t *testing.T) {
	repository, dir := t.TempDir(), t.TempDir()
	image := filepath.Base(ubuntu(t, repository))
	aptWith(t, repository)
	move := func(name string) {
		t.Helper()
		text, err := os.ReadFile(filepath.Join(repository, name))
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, name), text, 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	move(image)
	// These stand before the right ones in the alphabet, and have no modules.
	buildVersion(t, dir, "linux-modules-"+ubuntuRelease, "6.0.9-9.9", "", nil)
	buildVersion(t, dir, "linux-modules-extra-"+ubuntuRelease, "6.0.9-9.9", "", nil)
	open := func(name string) {
		t.Helper()
		k, err := Open(context.Background(), filepath.Join(dir, image), t.TempDir())
		t.Run(name, func(t *testing.T) { checkUbuntu(t, k, err) })
	}
	open("both from apt")
	extra := "linux-modules-extra-" + ubuntuRelease + "_6.1.0-1.1_amd64.deb"
	move(extra)
	open("further modules beside it")
	if err := os.Remove(filepath.Join(dir, extra)); err != nil {
		t.Fatal(err)
	}
	move("linux-modules-" + ubuntuRelease + "_6.1.0-1.1_amd64.deb")
	open("modules beside it")
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := (apt{}).modules(ctx, "linux-modules-"+ubuntuRelease, t.TempDir()); err == nil || isNoPackage(err) {
		t.Errorf("error %v of apt that was cancelled, want that it was", err)
	}
	for _, name := range []string{"extra: none", "extra: no hash"} {
		if err := os.Remove(filepath.Join(repository, extra)); err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		index := indexOf(t, repository)
		if name == "extra: no hash" {
			index += "Package: linux-modules-extra-" + ubuntuRelease + "\nVersion: 6.1.0-1.1\nArchitecture: amd64\nFilename: ./" + extra + "\nSize: 1\n\n"
		}
		if err := os.WriteFile(filepath.Join(repository, "Packages"), []byte(index), 0o644); err != nil {
			t.Fatal(err)
		}
		useApt(t, "deb [trusted=yes] copy:"+repository+" ./")
		files, err := (apt{}).modules(context.Background(), "linux-modules-"+ubuntuRelease, t.TempDir())
		switch {
		case name == "extra: none" && (err != nil || len(files) != 1):
			t.Errorf("%s: %d packages, error %v", name, len(files), err)
		case name == "extra: no hash" && (err == nil || !strings.Contains(err.Error(), "no SHA-256 of linux-modules-extra")):
			t.Errorf("%s: error %v", name, err)
		}
	}
}
