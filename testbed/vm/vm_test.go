package vm

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/linerate/linerate/internal/testenv"
)

func TestModinfo(t *testing.T) {
	info := parseModinfo([]byte("license=GPL\x00softdep=pre: crc32c other post: late\x00depends=nf-tables,nf_conntrack\x00depends=\x00alias=crypto-crc32c\x00"))
	if want := []string{"nf_tables", "nf_conntrack"}; !slices.Equal(info.depends, want) {
		t.Errorf("depends %q, want %q", info.depends, want)
	}
	if want := []string{"crc32c", "other"}; !slices.Equal(info.softBefore, want) {
		t.Errorf("soft dependencies before %q, want %q", info.softBefore, want)
	}
	if want := []string{"crypto-crc32c"}; !slices.Equal(info.aliases, want) {
		t.Errorf("aliases %q, want %q", info.aliases, want)
	}
}

func TestWanted(t *testing.T) {
	for name, want := range map[string]string{
		"/boot/vmlinuz-6.1.0-50-cloud-amd64":                           "vmlinuz",
		"/boot/config-6.1.0":                                           "config",
		"/boot/System.map-6.1.0":                                       "",
		"/lib/modules/6.1.0/kernel/net/netfilter/nft_ct.ko":            "modules/nft_ct.ko",
		"/usr/lib/modules/6.12/kernel/net/core/pktgen.ko.xz":           "modules/pktgen.ko.xz",
		"/lib/modules/6.1.0/kernel/drivers/net/veth.ko":                "modules/veth.ko",
		"/lib/modules/6.1.0/kernel/drivers/net/ethernet/intel/x.ko":    "",
		"/lib/modules/6.1.0/kernel/fs/ext4/ext4.ko":                    "",
		"/lib/modules/6.1.0/modules.builtin":                           "modules/modules.builtin",
		"/lib/modules/6.1.0/kernel/crypto/crc32c_generic.ko":           "modules/crc32c_generic.ko",
		"/usr/share/doc/linux-image-6.1.0-50-cloud-amd64/changelog.gz": "",
	} {
		if got := wanted(name); got != want {
			t.Errorf("%s goes to %q, want %q", name, got, want)
		}
	}
}

// cpio is a program of its own, which has to read the archive as it is meant.
func TestInitramfsIsRead(t *testing.T) {
	_, err := exec.LookPath("cpio")
	testenv.Need(t, "cpio", err)
	files := map[string][]byte{"/init": []byte("program"), "/modules/veth.ko": []byte("module")}
	archive := initramfs(files)
	if !bytes.Equal(archive, initramfs(files)) {
		t.Error("the same files gave other bytes")
	}
	cmd := exec.Command("cpio", "-t", "--quiet")
	cmd.Stdin = bytes.NewReader(archive)
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"dev", "modules", "proc", "run", "sys", "tmp", "dev/console", "dev/null", "init", "modules/veth.ko"}
	if got := strings.Fields(string(out)); !slices.Equal(got, want) {
		t.Errorf("cpio lists %q, want %q", got, want)
	}
	cmd = exec.Command("cpio", "-i", "--quiet", "--to-stdout", "modules/veth.ko")
	cmd.Stdin = bytes.NewReader(archive)
	if out, err := cmd.Output(); err != nil || string(out) != "module" {
		t.Errorf("cpio reads the module as %q, error %v", out, err)
	}
}

func TestDynamicProgramIsRefused(t *testing.T) {
	_, err := readStatic("/bin/ls")
	if err == nil || !strings.Contains(err.Error(), "CGO_ENABLED=0") {
		t.Errorf("a dynamic program: error %v, want one that says how to build a static one", err)
	}
}

func TestNoKernel(t *testing.T) {
	dir := t.TempDir()
	text := filepath.Join(dir, "vmlinuz")
	if err := os.WriteFile(text, bytes.Repeat([]byte("no kernel "), 1000), 0o644); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		text:                         "is not a kernel: it has no x86 boot header",
		text + "," + dir:             "is not a kernel",
		filepath.Join(dir, "nosuch"): "no such file",
		"No Such Package":            "is no name of a package",
		"--option":                   "is no name of a package",
		"a.rpm":                      "no such file",
		"a.rpm,b":                    "no such file",
	} {
		if _, err := Open(context.Background(), name, dir); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("open %q: error %v, want one with %q", name, err, want)
		}
	}
}

func TestTailKeepsTheLastLines(t *testing.T) {
	var c tail
	for range 100 {
		_, _ = c.Write([]byte("old\r\n"))
	}
	_, _ = c.Write([]byte("[ 1.0] Kernel panic - not syncing: x\r\n"))
	for range consoleLines {
		_, _ = c.Write([]byte("new\n"))
	}
	_, _ = c.Write([]byte("half"))
	got := c.last()
	if len(got) != consoleLines+1 || got[0] != "new" || got[len(got)-1] != "half" {
		t.Errorf("kept %d lines from %q to %q", len(got), got[0], got[len(got)-1])
	}
	if c.panicked() != "[ 1.0] Kernel panic - not syncing: x" {
		t.Errorf("panicked: %q", c.panicked())
	}
}
