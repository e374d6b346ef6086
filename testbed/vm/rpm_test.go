package vm

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/linerate/linerate/internal/testenv"
)

// buildRPM builds a package with rpmbuild from files by their path in it.
func buildRPM(t *testing.T, dir, name, payload, architecture string, files map[string][]byte) string {
	t.Helper()
	_, err := exec.LookPath("rpmbuild")
	testenv.Need(t, "rpmbuild", err)
	root, list := t.TempDir(), ""
	for path, data := range files {
		if err := os.MkdirAll(filepath.Join(root, "files", filepath.Dir(path)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(root, "files", path), data, 0o644); err != nil {
			t.Fatal(err)
		}
		list += path + "\n"
	}
	spec := fmt.Sprintf(`Name: %s
Version: 6.1.0
Release: 1.test
Summary: a kernel
License: GPL
%%define _binary_payload %s
%%define _build_id_links none
%%description
A kernel.
%%install
mkdir -p %%{buildroot}
cp -a %s/files/. %%{buildroot}
%%files
%s`, name, payload, root, list)
	if err := os.WriteFile(filepath.Join(root, "kernel.spec"), []byte(spec), 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("rpmbuild", "-bb", "--quiet", "--target", architecture, "--define", "_topdir "+root, "--define", "__os_install_post %{nil}", filepath.Join(root, "kernel.spec"))
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("rpmbuild: %v\n%s", err, out)
	}
	built, _ := filepath.Glob(filepath.Join(root, "RPMS/*/*.rpm"))
	if len(built) != 1 {
		t.Fatalf("rpmbuild made %q", built)
	}
	data, err := os.ReadFile(built[0])
	if err != nil {
		t.Fatal(err)
	}
	to := filepath.Join(dir, filepath.Base(built[0]))
	if err := os.WriteFile(to, data, 0o644); err != nil {
		t.Fatal(err)
	}
	return to
}

const fedoraModules = "/lib/modules/6.1.0-1.test/"

// fedora is a kernel in two packages, as Fedora divides it.
func fedora(t *testing.T, dir, payload string) string {
	t.Helper()
	buildRPM(t, dir, "kernel-modules-core", payload, "x86_64", map[string][]byte{
		fedoraModules + "kernel/net/bridge/bridge.ko.xz": []byte("bridge"), fedoraModules + "kernel/drivers/net/veth.ko.xz": []byte("veth"),
		fedoraModules + "kernel/drivers/net/ethernet/e1000.ko.xz": []byte("not wanted"),
	})
	buildRPM(t, dir, "kernel-modules-internal", payload, "x86_64", map[string][]byte{fedoraModules + "internal/net/core/pktgen.ko.xz": []byte("pktgen")})
	return buildRPM(t, dir, "kernel-core", payload, "x86_64", map[string][]byte{
		fedoraModules + "vmlinuz": imageOf("6.1.0-1.test"), fedoraModules + "config": []byte("CONFIG_NET=y\n"), fedoraModules + "modules.builtin": []byte("kernel/net/core/none.ko\n"),
	})
}

// checkFedora holds an opened kernel to what was packed.
func checkFedora(t *testing.T, k *Kernel, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	if k.Release != "6.1.0-1.test" || !strings.Contains(k.Source, "package kernel-core 6.1.0-1.test, SHA-256 ") || !strings.Contains(k.Source, "package kernel-modules-core 6.1.0-1.test") {
		t.Errorf("opened %+v", k)
	}
	for file, want := range map[string]string{"bridge.ko.xz": "bridge", "veth.ko.xz": "veth", "pktgen.ko.xz": "pktgen", "modules.builtin": "kernel/net/core/none.ko\n"} {
		if got, err := os.ReadFile(filepath.Join(k.ModuleDir, file)); string(got) != want {
			t.Errorf("%s: %q, error %v, want %q", file, got, err, want)
		}
	}
	if _, err := os.Stat(filepath.Join(k.ModuleDir, "e1000.ko.xz")); err == nil {
		t.Error("a card's driver was unpacked")
	}
}

// TestRPM opens a kernel whose modules are in packages beside it, by each compressor of RPM.
func TestRPM(t *testing.T) {
	for _, payload := range []string{"w3.zstdio", "w6.xzdio", "w9.gzdio", "w9.bzdio", "w6.lzdio", "w.ufdio"} {
		dir := t.TempDir()
		k, err := Open(context.Background(), fedora(t, dir, payload), t.TempDir())
		t.Run(payload, func(t *testing.T) { checkFedora(t, k, err) })
	}
}

// TestRPMByURL fetches the packages once, and again when the cache is damaged.
func TestRPMByURL(t *testing.T) {
	dir, cache := t.TempDir(), t.TempDir()
	file := filepath.Base(fedora(t, dir, "w3.zstdio"))
	asked := map[string]int{}
	files := http.FileServer(http.Dir(dir))
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked[r.URL.Path]++
		files.ServeHTTP(w, r)
	}))
	defer server.Close()
	open := func() {
		t.Helper()
		k, err := Open(context.Background(), server.URL+"/"+file, cache)
		checkFedora(t, k, err)
	}
	open()
	open()
	if n := asked["/"+file]; n != 1 {
		t.Errorf("the kernel was fetched %d times, want once", n)
	}
	kept, _ := filepath.Glob(filepath.Join(cache, "url-*.rpm"))
	for _, name := range kept {
		if err := os.WriteFile(name, []byte("damaged"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	open()
	if n := asked["/"+file]; len(kept) != 3 || n != 2 {
		t.Errorf("%d packages were kept, and the kernel was fetched %d times after damage, want 3 and 2", len(kept), n)
	}
	empty(t, cache, ".download-*", ".unpack-*")
}

// empty tells of files that should not be there.
func empty(t *testing.T, dir string, patterns ...string) {
	t.Helper()
	for _, p := range patterns {
		if left, _ := filepath.Glob(filepath.Join(dir, p)); len(left) > 0 {
			t.Errorf("left in %s: %q", dir, left)
		}
	}
}

// TestShortAnswer has a server that announces more than it sends.
func TestShortAnswer(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", "2000000")
		_, _ = w.Write(make([]byte, 1_000_000))
	}))
	defer server.Close()
	cache := t.TempDir()
	_, err := Open(context.Background(), server.URL+"/kernel-core-1.rpm", cache)
	if err == nil || !strings.Contains(err.Error(), "after 1.0 MB: unexpected EOF") {
		t.Errorf("error %v, want one that says how much came", err)
	}
	empty(t, cache, "*", ".download-*")
}

func TestDamagedRPM(t *testing.T) {
	dir := t.TempDir()
	whole, err := os.ReadFile(fedora(t, dir, "w3.zstdio"))
	if err != nil {
		t.Fatal(err)
	}
	flipped := append([]byte(nil), whole...)
	flipped[len(flipped)-20] ^= 1
	for _, tt := range []struct {
		name string
		data []byte
		want string
	}{
		{"cut in the payload", whole[:len(whole)-100], "the file is damaged or not whole"},
		{"cut in the header", whole[:1000], "ends in its header; fetch it again"},
		{"a bit flipped", flipped, "the file is damaged or not whole"},
		{"no package", []byte(strings.Repeat("<html>", 100)), "it is no RPM package"},
	} {
		file, cache := filepath.Join(t.TempDir(), "kernel-core-6.1.0-1.test.x86_64.rpm"), t.TempDir()
		if err := os.WriteFile(file, tt.data, 0o644); err != nil {
			t.Fatal(err)
		}
		_, err := Open(context.Background(), file+","+filepath.Join(dir, "kernel-modules-core-6.1.0-1.test.x86_64.rpm"), cache)
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: error %v, want %q", tt.name, err, tt.want)
		}
		empty(t, cache, "*", ".unpack-*")
	}
}

func TestRPMOfAnotherMachine(t *testing.T) {
	dir := t.TempDir()
	file := buildRPM(t, dir, "kernel-default", "w3.zstdio", "aarch64", map[string][]byte{"/boot/vmlinuz-6.1.0": imageOf("6.1.0")})
	if _, err := Open(context.Background(), file, t.TempDir()); err == nil || !strings.Contains(err.Error(), "it is for aarch64, and guests are x86-64") {
		t.Errorf("error %v, want one that names the architecture", err)
	}
	alone := buildRPM(t, dir, "kernel-core", "w3.zstdio", "x86_64", map[string][]byte{fedoraModules + "vmlinuz": imageOf("6.1.0")})
	if _, err := Open(context.Background(), alone, t.TempDir()); err == nil || !strings.Contains(err.Error(), "kernel-modules-core-6.1.0-1.test.x86_64.rpm") {
		t.Errorf("error %v, want one that names the packages of modules", err)
	}
}
