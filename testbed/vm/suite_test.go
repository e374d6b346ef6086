package vm

import (
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/linerate/linerate/internal/testenv"
)

// mirror is a repository with two suites, and its packages in one folder.
type mirror struct{ dir string }

// newMirror makes a mirror, of which apt knows the suite old.
func newMirror(t *testing.T) mirror {
	t.Helper()
	_, err := exec.LookPath("apt-get")
	testenv.Need(t, "apt", err)
	m := mirror{t.TempDir()}
	// apt tells of no list that is empty.
	buildDeb(t, m.dir, "linux-headers", "", nil)
	m.publish(t, "old", indexOf(t, m.dir))
	m.publish(t, "next", "")
	useApt(t, "deb [trusted=yes] copy:"+m.dir+" old main")
	return m
}

// publish writes the lists of a suite.
func (m mirror) publish(t *testing.T, suite, index string) {
	t.Helper()
	arch, err := exec.Command("dpkg", "--print-architecture").Output()
	if err != nil {
		t.Fatal(err)
	}
	below := "main/binary-" + strings.TrimSpace(string(arch)) + "/Packages"
	list := filepath.Join(m.dir, "dists", suite, below)
	if err := os.MkdirAll(filepath.Dir(list), 0o755); err != nil {
		t.Fatal(err)
	}
	release := fmt.Sprintf("Suite: %s\nCodename: %s\nComponents: main\nArchitectures: %sSHA256:\n %x %d %s\n", suite, suite, arch, sha256.Sum256([]byte(index)), len(index), below)
	for file, text := range map[string]string{list: index, filepath.Join(m.dir, "dists", suite, "Release"): release} {
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

const suiteKernel = "linux-image-6.1.0-1"

// release puts one version of the kernel into the suite next, in the place of others.
func (m mirror) release(t *testing.T, version string) {
	t.Helper()
	old, _ := filepath.Glob(filepath.Join(m.dir, "*.deb"))
	for _, file := range old {
		if err := os.Remove(file); err != nil {
			t.Fatal(err)
		}
	}
	buildVersion(t, m.dir, "linux-image-generic", version, suiteKernel, nil)
	buildVersion(t, m.dir, suiteKernel, version, "", map[string][]byte{"boot/vmlinuz-6.1.0-1": imageOf("6.1.0-1"), "boot/config-6.1.0-1": []byte("# " + version + "\n")})
	m.publish(t, "next", indexOf(t, m.dir))
}

func opens(t *testing.T, name, cache, version string) *Kernel {
	t.Helper()
	k, err := Open(context.Background(), name, cache)
	if err != nil {
		t.Fatal(err)
	}
	if k.Name != name || k.Release != "6.1.0-1" || !strings.Contains(k.Source, "package "+suiteKernel+" "+version+", SHA-256 ") || !strings.HasSuffix(k.Source, ", of suite next") {
		t.Fatalf("opened %+v, want version %s", k, version)
	}
	return k
}

// TestSuite opens a kernel of a suite that the machine does not use, by its name and by that of
// a package that depends on it, and fetches it again when it is damaged in the cache.
func TestSuite(t *testing.T) {
	m, cache := newMirror(t), t.TempDir()
	m.release(t, "1.0")
	opens(t, "linux-image-generic/next", cache, "1.0")
	opens(t, suiteKernel+"/next", cache, "1.0")
	kept, _ := filepath.Glob(filepath.Join(cache, "*.deb"))
	if len(kept) != 1 {
		t.Fatalf("the cache has %q", kept)
	}
	whole, err := os.ReadFile(kept[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(kept[0], whole[:len(whole)-100], 0o644); err != nil {
		t.Fatal(err)
	}
	opens(t, suiteKernel+"/next", cache, "1.0")
	if again, err := os.ReadFile(kept[0]); err != nil || string(again) != string(whole) {
		t.Errorf("the damaged package is in the cache with %d bytes of %d, error %v", len(again), len(whole), err)
	}
	if out, err := exec.Command("apt-cache", "show", suiteKernel).CombinedOutput(); err == nil {
		t.Errorf("the machine's own lists have got the kernel: %s", out)
	}
}

// TestSuiteMovesOn: a mirror has a newer version in the place of the one in the lists.
func TestSuiteMovesOn(t *testing.T) {
	m, cache := newMirror(t), t.TempDir()
	m.release(t, "1.0")
	opens(t, suiteKernel+"/next", cache, "1.0")
	m.release(t, "1.1")
	opens(t, suiteKernel+"/next", cache, "1.0") // the lists of today, and a package of the cache
	kept, _ := filepath.Glob(filepath.Join(cache, "*.deb"))
	if err := os.Remove(kept[0]); err != nil {
		t.Fatal(err)
	}
	opens(t, suiteKernel+"/next", cache, "1.1") // 1.0 cannot be downloaded any more
	m.release(t, "1.2")
	old := time.Now().Add(-2 * listsLast)
	if err := os.Chtimes(filepath.Join(cache, "suite-next", "updated"), old, old); err != nil {
		t.Fatal(err)
	}
	opens(t, suiteKernel+"/next", cache, "1.2")
	if err := os.RemoveAll(filepath.Join(m.dir, "dists")); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(filepath.Join(cache, "suite-next", "updated"), old, old); err != nil {
		t.Fatal(err)
	}
	opens(t, suiteKernel+"/next", cache, "1.2") // the mirror is gone, and the cache is there
}

func TestSuiteWithoutPackage(t *testing.T) {
	m, cache := newMirror(t), t.TempDir()
	_, err := Open(context.Background(), suiteKernel+"/next", cache)
	if err == nil || !strings.Contains(err.Error(), "suite next of this machine's mirrors has no package "+suiteKernel) || !strings.Contains(err.Error(), "name the file") {
		t.Errorf("error %v, want one that says what to do", err)
	}
	m.release(t, "1.0") // it is looked for again, however new the lists are
	opens(t, suiteKernel+"/next", cache, "1.0")
}

// TestNamesInACircle: packages that only depend on one another do not hang it.
func TestNamesInACircle(t *testing.T) {
	m := newMirror(t)
	buildDeb(t, m.dir, "linux-image-1a", "linux-image-1b", nil)
	buildDeb(t, m.dir, "linux-image-1b", "linux-image-1a", nil)
	buildDeb(t, m.dir, "linux-image-1c", "linux-image-1c", nil)
	m.publish(t, "next", indexOf(t, m.dir))
	for name, want := range map[string]string{"linux-image-1a/next": "depend on one another", "linux-image-1c/next": "there is no kernel in it"} {
		if _, err := Open(context.Background(), name, t.TempDir()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", name, err, want)
		}
	}
}
