package kernels_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/linerate/linerate/kernels"
	"github.com/linerate/linerate/plan"
	"github.com/linerate/linerate/testbed/vm"
)

// modulesWithout is a folder with the modules of a kernel but for some.
func modulesWithout(t *testing.T, k *vm.Kernel, names ...string) string {
	t.Helper()
	dir := t.TempDir()
	files, err := os.ReadDir(k.ModuleDir)
	if err != nil {
		t.Fatal(err)
	}
next:
	for _, f := range files {
		for _, n := range names {
			if f.Name() == n+".ko" {
				continue next
			}
		}
		if err := os.Symlink(filepath.Join(k.ModuleDir, f.Name()), filepath.Join(dir, f.Name())); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestMissingModules skips a kernel without a module that every scenario needs, and a
// scenario without one of its own, and measures the rest.
func TestMissingModules(t *testing.T) {
	program := guestProgram(t)
	cache, err := kernels.DefaultCache()
	if err != nil {
		cache = t.TempDir()
	}
	k, err := vm.Open(context.Background(), kernelPackage, cache)
	if err != nil {
		t.Fatal(err)
	}
	o := options(t, program, k.Image+","+modulesWithout(t, k, "veth"), k.Image+","+modulesWithout(t, k, "nft_nat"))
	o.Plan.Scenarios = []plan.Scenario{"none", "snat-nft"}
	run := measured(t, o)
	if e := run.Kernels[0].Error; !strings.Contains(e, "it has no module veth, loadable or built in") {
		t.Errorf("without veth: %q", e)
	}
	if run.Kernels[1].Error != "" || run.Cells[2].InstructionsPerPacket == nil {
		t.Errorf("without nft_nat: %q, cell %+v", run.Kernels[1].Error, run.Cells[2])
	}
	if s := run.Cells[3].Skipped; !strings.Contains(s, "it has no module nft_nat") {
		t.Errorf("source NAT without nft_nat: skipped %q", s)
	}
}

// TestWithoutQEMU says what to install, before anything is stored.
func TestWithoutQEMU(t *testing.T) {
	o := options(t, "/bin/true", kernelPackage)
	t.Setenv("PATH", t.TempDir())
	_, err := kernels.Run(context.Background(), o)
	if err == nil || !strings.Contains(err.Error(), "qemu-system-x86_64 is not installed") {
		t.Errorf("error %v, want what is not installed", err)
	}
	if _, err := os.Stat(o.Out); err == nil {
		t.Error("a run was stored")
	}
}
