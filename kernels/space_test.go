package kernels_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/linerate/linerate/internal/testenv"
	"github.com/linerate/linerate/kernels"
	"github.com/linerate/linerate/plan"
	"github.com/linerate/linerate/result"
	"github.com/linerate/linerate/testbed/vm"
)

// smallDisk mounts a file system of a size as mount(8) writes it.
func smallDisk(t *testing.T, size string) string {
	t.Helper()
	testenv.NeedRoot(t)
	dir := t.TempDir()
	testenv.Need(t, "a tmpfs of its own", syscall.Mount("linerate-test", dir, "tmpfs", 0, "size="+size))
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, 0); err != nil {
			t.Errorf("unmounting %s: %v", dir, err)
		}
	})
	return dir
}

// TestFullCache has a cache too small for a package's download, or for its kernel: the error
// says so, nothing is left in the cache, and a kernel that needs none is measured.
func TestFullCache(t *testing.T) {
	program := guestProgram(t)
	cache, err := kernels.DefaultCache()
	if err != nil {
		cache = t.TempDir()
	}
	whole, err := vm.Open(context.Background(), kernelPackage, cache)
	if err != nil {
		t.Fatal(err)
	}
	sum, _, _ := strings.Cut(filepath.Base(filepath.Dir(whole.Image)), "-") // the folder is named after the package, and how it was unpacked
	for _, tt := range []struct{ name, size, kernel string }{
		{"download", "4m", kernelPackage},
		{"unpack", "12m", filepath.Join(cache, sum+".deb")},
	} {
		t.Run(tt.name, func(t *testing.T) {
			disk := smallDisk(t, tt.size)
			o := options(t, program, tt.kernel, whole.Image+","+whole.ModuleDir)
			o.Plan.Scenarios, o.Cache = []plan.Scenario{"none"}, disk
			run := measured(t, o)
			text := run.Kernels[0].Error
			t.Log(text)
			for _, want := range []string{"no space left on device in " + disk, " MB are needed, ", " MB are free; free some space"} {
				if !strings.Contains(text, want) {
					t.Errorf("error %q, want one with %q", text, want)
				}
			}
			if run.Cells[0].Skipped == "" || run.Cells[1].InstructionsPerPacket == nil {
				t.Errorf("the kernel without a package was not measured: %+v", run.Cells)
			}
			if left, _ := os.ReadDir(disk); len(left) > 0 {
				t.Errorf("left in the cache: %v", left)
			}
		})
	}
}

// TestFullRunFolder has a run's folder in which the first kernel's record does not fit: the
// run ends with an error that names the folder, and the record of before is whole.
func TestFullRunFolder(t *testing.T) {
	program := guestProgram(t)
	o := options(t, program, kernelPackage, kernelPackage)
	disk := smallDisk(t, "64k")
	o.Plan.Scenarios, o.Out = []plan.Scenario{"none"}, filepath.Join(disk, "run")
	o.Events = fill{silent{t}, disk}
	run, err := kernels.Run(context.Background(), o)
	if !errors.Is(err, syscall.ENOSPC) || !strings.Contains(err.Error(), disk) || !strings.Contains(err.Error(), "free some space") {
		t.Errorf("error %v, want one that names the full disk", err)
	}
	if run == nil || run.Outcome != result.Failed {
		t.Errorf("run %+v, want a failed one", run)
	}
	stored, _, err := result.Open(o.Out)
	if err != nil || stored.Outcome != result.Running || len(stored.Kernels) != 0 {
		t.Errorf("stored %+v, error %v, want the record of the beginning", stored, err)
	}
	files, _ := os.ReadDir(o.Out)
	if len(files) != 2 {
		t.Errorf("left in the folder: %v", files)
	}
}

// fill fills a disk when the first kernel was opened.
type fill struct {
	silent
	disk string
}

func (f fill) Opened(k result.Kernel, boots int) {
	file, err := os.Create(filepath.Join(f.disk, "filler"))
	for err == nil {
		_, err = file.Write(make([]byte, 4096))
	}
	file.Close()
}
