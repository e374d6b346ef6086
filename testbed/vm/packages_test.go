package vm_test

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/linerate/linerate/internal/testenv"
	"github.com/linerate/linerate/kernels"
	"github.com/linerate/linerate/plan"
	"github.com/linerate/linerate/result"
	"github.com/linerate/linerate/testbed/vm"
)

type quiet struct{}

func (quiet) Opened(result.Kernel, int)                    {}
func (quiet) Booted(result.Kernel, int, result.KernelBoot) {}
func (quiet) Counted(string, time.Duration)                {}
func (quiet) Round(int, int)                               {}
func (quiet) Doubt(result.Warning)                         {}
func (quiet) Failed(result.Kernel)                         {}

// packed is a Debian kernel's image and modules by their path in a package, the modules compressed.
func packed(t *testing.T, k *vm.Kernel, ending string, compress func([]byte) []byte) (image, modules map[string][]byte) {
	t.Helper()
	read := func(name string) []byte {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	below := "/lib/modules/" + k.Release + "/"
	image = map[string][]byte{below + "vmlinuz": read(k.Image), below + "modules.builtin": read(filepath.Join(k.ModuleDir, "modules.builtin"))}
	modules = map[string][]byte{}
	files, _ := filepath.Glob(filepath.Join(k.ModuleDir, "*.ko"))
	for _, file := range files {
		folder := "kernel/net/any/"
		if filepath.Base(file) == "veth.ko" {
			folder = "kernel/drivers/net/"
		}
		modules[below+folder+filepath.Base(file)+ending] = compress(read(file))
	}
	if len(modules) < 50 {
		t.Fatalf("kernel %s has %d modules in %s", k.Name, len(modules), k.ModuleDir)
	}
	return image, modules
}

// TestPackagesBoot packs a Debian kernel as Fedora and as Ubuntu would, with another compressor
// for the modules, and measures all three: it is the same kernel to the last digit.
func TestPackagesBoot(t *testing.T) {
	testenv.Need(t, "QEMU", vm.Available())
	_, err := exec.LookPath("apt-get")
	testenv.Need(t, "apt, for a kernel", err)
	cache, err := kernels.DefaultCache()
	if err != nil {
		cache = t.TempDir()
	}
	debian, err := vm.Open(context.Background(), "linux-image-cloud-amd64", cache)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	xz := func(data []byte) []byte {
		cmd := exec.Command("xz", "-0", "--check=crc32")
		cmd.Stdin = bytes.NewReader(data)
		out, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	image, modules := packed(t, debian, ".xz", xz)
	fedora := vm.BuildRPM(t, dir, "kernel-core", "w1.zstdio", "x86_64", image)
	vm.BuildRPM(t, dir, "kernel-modules-core", "w1.zstdio", "x86_64", modules)
	w, _ := zstd.NewWriter(nil)
	image, modules = packed(t, debian, ".zst", func(data []byte) []byte { return w.EncodeAll(data, nil) })
	for name, data := range image { // Ubuntu's image lies in /boot
		if filepath.Base(name) == "vmlinuz" {
			image["/boot/vmlinuz-"+debian.Release] = data
			delete(image, name)
		}
	}
	name := "linux-image-unsigned-" + debian.Release
	vm.BuildDeb(t, dir, name, "kmod, linux-modules-"+debian.Release, image)
	vm.BuildDeb(t, dir, "linux-modules-"+debian.Release, "", modules)
	vm.AptWith(t, dir)

	program := filepath.Join(dir, "linerate")
	cmd := exec.Command("go", "build", "-o", program, "../../cmd/linerate")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("build linerate: %v\n%s", err, out)
	}
	p := plan.Default()
	p.Testbed, p.Kernels = "vm", []string{debian.Image + "," + debian.ModuleDir, fedora, name}
	p.Scenarios, p.Traffic.Flows = []plan.Scenario{"none", "route", "snat-nft"}, []int{1}
	p.VM.Seeds, p.VM.Packets = 1, 1000
	ctx, stop := context.WithTimeout(context.Background(), 5*time.Minute)
	defer stop()
	run, err := kernels.Run(ctx, kernels.Options{Plan: p, Out: filepath.Join(dir, "run"), Name: "test", Init: program, Cache: filepath.Join(dir, "cache"), Events: quiet{}})
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range run.Kernels {
		if k.Error != "" {
			t.Fatalf("%s: %s", k.AskedFor, k.Error)
		}
		t.Log(k.Source)
	}
	for _, c := range run.Cells[3:] {
		for _, first := range run.Cells[:3] {
			if c.Scenario == first.Scenario && (c.InstructionsPerPacket == nil || c.InstructionsPerPacket.Value != first.InstructionsPerPacket.Value) {
				t.Errorf("%s: %+v, and %+v in Debian's package", c.ID, c.InstructionsPerPacket, first.InstructionsPerPacket)
			}
		}
	}
	if s := run.Kernels[1].Source; !strings.Contains(s, "package kernel-modules-core") {
		t.Errorf("source of the RPM: %q", s)
	}
	if s := run.Kernels[2].Source; !strings.Contains(s, "package linux-modules-") {
		t.Errorf("source of the packages as Ubuntu has them: %q", s)
	}
}
