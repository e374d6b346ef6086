package vm

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/linerate/linerate/internal/testenv"
)

// buildDeb builds a package with dpkg-deb from files by their path in it.
func buildDeb(t *testing.T, dir, name, depends string, files map[string][]byte) string {
	t.Helper()
	return buildVersion(t, dir, name, "6.1.0-1.1", depends, files)
}

func buildVersion(t *testing.T, dir, name, version, depends string, files map[string][]byte) string {
	t.Helper()
	_, err := exec.LookPath("dpkg-deb")
	testenv.Need(t, "dpkg-deb", err)
	root := t.TempDir()
	control := fmt.Sprintf("Package: %s\nVersion: %s\nArchitecture: amd64\nMaintainer: nobody <nobody@example.com>\nDescription: a kernel\n", name, version)
	if depends != "" {
		control += "Depends: " + depends + "\n"
	}
	all := map[string][]byte{"DEBIAN/control": []byte(control)}
	for path, data := range files {
		all[path] = data
	}
	for path, data := range all {
		if err := os.MkdirAll(filepath.Join(root, filepath.Dir(path)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(root, path), data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	file := filepath.Join(dir, name+"_"+version+"_amd64.deb")
	if out, err := exec.Command("dpkg-deb", "--root-owner-group", "-Zgzip", "-b", root, file).CombinedOutput(); err != nil {
		t.Fatalf("dpkg-deb: %v\n%s", err, out)
	}
	return file
}

const ubuntuRelease = "6.1.0-1-generic"

// ubuntu is a kernel in three packages, as Ubuntu divides it, and the one that depends on it.
func ubuntu(t *testing.T, dir string) (image string) {
	t.Helper()
	w, _ := zstd.NewWriter(nil)
	module := func(name string) []byte { return w.EncodeAll([]byte(name), nil) }
	below := "lib/modules/" + ubuntuRelease + "/"
	buildDeb(t, dir, "linux-image-generic", "linux-image-"+ubuntuRelease+" (= 6.1.0-1.1), linux-firmware", nil)
	buildDeb(t, dir, "linux-modules-"+ubuntuRelease, "", map[string][]byte{
		"boot/config-" + ubuntuRelease: []byte("CONFIG_NET=y\n"), below + "kernel/net/bridge/bridge.ko.zst": module("bridge"),
		below + "kernel/drivers/net/veth.ko.zst": module("veth"), below + "modules.builtin": []byte("kernel/net/core/none.ko\n"),
	})
	buildDeb(t, dir, "linux-modules-extra-"+ubuntuRelease, "", map[string][]byte{below + "kernel/net/core/pktgen.ko.zst": module("pktgen")})
	return buildDeb(t, dir, "linux-image-"+ubuntuRelease, "kmod, linux-base (>= 4.5ubuntu1~16.04.1), linux-modules-"+ubuntuRelease,
		map[string][]byte{"boot/vmlinuz-" + ubuntuRelease: imageOf(ubuntuRelease)})
}

func checkUbuntu(t *testing.T, k *Kernel, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	if k.Release != ubuntuRelease || !strings.Contains(k.Source, "package linux-modules-extra-"+ubuntuRelease+" 6.1.0-1.1, SHA-256 ") {
		t.Errorf("opened %+v", k)
	}
	for _, name := range []string{"bridge", "veth", "pktgen"} {
		if got, err := readModule(filepath.Join(k.ModuleDir, name+".ko.zst")); string(got) != name {
			t.Errorf("module %s: %q, error %v", name, got, err)
		}
	}
}

// aptWith makes apt know a repository in dir and nothing else.
func aptWith(t *testing.T, dir string) {
	t.Helper()
	_, err := exec.LookPath("apt-get")
	testenv.Need(t, "apt", err)
	if err := os.WriteFile(filepath.Join(dir, "Packages"), []byte(indexOf(t, dir)), 0o644); err != nil {
		t.Fatal(err)
	}
	useApt(t, "deb [trusted=yes] copy:"+dir+" ./")
}

// indexOf is a repository's index of the packages in dir.
func indexOf(t *testing.T, dir string) string {
	t.Helper()
	index := ""
	debs, _ := filepath.Glob(filepath.Join(dir, "*.deb"))
	for _, deb := range debs {
		fields, err := exec.Command("dpkg-deb", "--field", deb).Output()
		if err != nil {
			t.Fatal(err)
		}
		sum, err := fileHash(deb)
		if err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(deb)
		if err != nil {
			t.Fatal(err)
		}
		index += fmt.Sprintf("%sFilename: ./%s\nSize: %d\nSHA256: %s\n\n", fields, filepath.Base(deb), info.Size(), sum)
	}
	return index
}

// useApt makes apt know one source and nothing else.
func useApt(t *testing.T, source string) {
	t.Helper()
	state := t.TempDir()
	for _, folder := range []string{"lists/partial", "archives/partial", "sources.list.d", "preferences.d"} {
		if err := os.MkdirAll(filepath.Join(state, folder), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for file, text := range map[string]string{
		"sources.list": source + "\n",
		"status":       "",
		"apt.conf": fmt.Sprintf("Dir::Etc::sourcelist %q;\nDir::Etc::sourceparts %q;\nDir::Etc::preferencesparts %q;\nDir::State::lists %q;\nDir::State::status %q;\nDir::Cache %q;\nDir::Cache::archives %q;\nAPT::Sandbox::User \"root\";\nAcquire::AllowInsecureRepositories \"true\";\nAPT::Get::AllowUnauthenticated \"true\";\n",
			state+"/sources.list", state+"/sources.list.d", state+"/preferences.d", state+"/lists", state+"/status", state, state+"/archives"),
	} {
		if err := os.WriteFile(filepath.Join(state, file), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("APT_CONFIG", filepath.Join(state, "apt.conf"))
	if out, err := exec.Command("apt-get", "update", "-qq").CombinedOutput(); err != nil {
		t.Fatalf("apt-get update: %v\n%s", err, out)
	}
}

// TestModulesInPackagesOfTheirOwn fetches what a kernel's package depends on, as Ubuntu divides it.
func TestModulesInPackagesOfTheirOwn(t *testing.T) {
	dir, cache := t.TempDir(), t.TempDir()
	image := ubuntu(t, dir)
	k, err := Open(context.Background(), image, t.TempDir())
	t.Run("beside the file", func(t *testing.T) { checkUbuntu(t, k, err) })
	aptWith(t, dir)
	for _, name := range []string{"linux-image-" + ubuntuRelease, "linux-image-generic"} {
		k, err := Open(context.Background(), name, cache)
		t.Run(name, func(t *testing.T) { checkUbuntu(t, k, err) })
	}
	alone := filepath.Join(t.TempDir(), filepath.Base(image))
	if err := os.Rename(image, alone); err != nil {
		t.Fatal(err)
	}
	k, err = Open(context.Background(), alone, cache)
	t.Run("from apt", func(t *testing.T) { checkUbuntu(t, k, err) })
	t.Setenv("APT_CONFIG", "")
	if _, err := Open(context.Background(), alone, t.TempDir()); err == nil || !strings.Contains(err.Error(), "its modules are in the package linux-modules-"+ubuntuRelease) || !strings.Contains(err.Error(), "FILE,FILE") {
		t.Errorf("error %v, want one that names the package of the modules", err)
	}
}

// TestDamagedCache fetches a package again that is damaged in the cache, and refuses one that
// is not what the index says.
func TestDamagedCache(t *testing.T) {
	dir, cache := t.TempDir(), t.TempDir()
	name := filepath.Base(strings.TrimSuffix(buildDeb(t, dir, "linux-image-6.1.0-1", "", map[string][]byte{"boot/vmlinuz-6.1.0-1": imageOf("6.1.0-1")}), "_6.1.0-1.1_amd64.deb"))
	aptWith(t, dir)
	if _, err := Open(context.Background(), name, cache); err != nil {
		t.Fatal(err)
	}
	kept, _ := filepath.Glob(filepath.Join(cache, "*.deb"))
	if len(kept) != 1 {
		t.Fatalf("the cache has %q", kept)
	}
	whole, err := os.ReadFile(kept[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(kept[0], whole[:len(whole)/2], 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(context.Background(), name, cache); err != nil {
		t.Fatal(err)
	}
	if again, err := os.ReadFile(kept[0]); err != nil || string(again) != string(whole) {
		t.Errorf("the damaged package is in the cache with %d bytes of %d, error %v", len(again), len(whole), err)
	}
	// Another package than the index tells of, in its place, and a cache that has it no more.
	other := buildDeb(t, t.TempDir(), "linux-image-6.1.0-1", "", map[string][]byte{"boot/vmlinuz-6.1.0-1": imageOf("6.1.0-2")})
	if err := os.Rename(other, filepath.Join(dir, filepath.Base(other))); err != nil {
		t.Fatal(err)
	}
	fresh := t.TempDir()
	_, err = Open(context.Background(), name, fresh)
	if err == nil || !strings.Contains(err.Error(), "download "+name+" 6.1.0-1.1 by apt-get") || !strings.Contains(err.Error(), "run `apt-get update`") {
		t.Errorf("error %v, want one of the download", err)
	}
	t.Log(err)
	empty(t, fresh, "*", ".download-*")
}

func TestTruncatedDeb(t *testing.T) {
	file := buildDeb(t, t.TempDir(), "linux-image-6.1.0-1", "", map[string][]byte{"boot/vmlinuz-6.1.0-1": append(imageOf("6.1.0-1"), make([]byte, 1<<20)...)})
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, whole[:len(whole)-500], 0o644); err != nil {
		t.Fatal(err)
	}
	cache := t.TempDir()
	if _, err := Open(context.Background(), file, cache); err == nil || !strings.Contains(err.Error(), "is the file whole?") {
		t.Errorf("error %v, want one that doubts the file", err)
	}
	empty(t, cache, "*", ".unpack-*")
}

func TestDebWithoutKernel(t *testing.T) {
	cache := t.TempDir()
	file := buildDeb(t, t.TempDir(), "linux-headers", "", map[string][]byte{"usr/src/Makefile": []byte("all:\n")})
	if _, err := Open(context.Background(), file, cache); err == nil || !strings.Contains(err.Error(), "there is no kernel in it") {
		t.Errorf("error %v, want that there is no kernel", err)
	}
	empty(t, cache, "*", ".unpack-*")
}
