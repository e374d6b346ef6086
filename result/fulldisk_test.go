package result

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/linerate/linerate/internal/testenv"
)

// smallDisk mounts a file system of 64 KiB.
func smallDisk(t *testing.T) string {
	t.Helper()
	testenv.NeedRoot(t)
	dir := t.TempDir()
	testenv.Need(t, "a tmpfs of its own", syscall.Mount("linerate-test", dir, "tmpfs", 0, "size=64k"))
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, 0); err != nil {
			t.Errorf("unmounting %s: %v", dir, err)
		}
	})
	return dir
}

func sayFull(t *testing.T, err error, dir string) {
	t.Helper()
	if !errors.Is(err, syscall.ENOSPC) {
		t.Fatalf("error %v, want one of a full disk", err)
	}
	if !strings.Contains(err.Error(), dir) || !strings.Contains(err.Error(), "free some space") {
		t.Errorf("error %q names no folder or gives no advice", err)
	}
}

func TestFullDiskKeepsWhatWasStored(t *testing.T) {
	dir := filepath.Join(smallDisk(t), "run")
	s := create(t, dir)
	defer s.Close()
	stored := 0
	var err error
	for ; stored < 1000; stored++ {
		if err = s.AppendTrial(trialNumber(stored)); err != nil {
			break
		}
	}
	sayFull(t, err, dir)
	big := sampleRun()
	big.Outcome = Measured
	big.Error = strings.Repeat("x", 64<<10)
	sayFull(t, s.SaveRun(big), dir)

	run, trials, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if run.Outcome != Running || len(run.Warnings) != 1 {
		t.Errorf("run.json is not the one from before: outcome %s, warnings %v", run.Outcome, run.Warnings)
	}
	if len(trials) != stored || stored == 0 {
		t.Errorf("%d trials readable, %d were stored", len(trials), stored)
	}
	files, _ := os.ReadDir(dir)
	if len(files) != 2 {
		t.Errorf("left behind: %v", files)
	}
}

func TestCreateOnAFullDiskLeavesNothing(t *testing.T) {
	disk := smallDisk(t)
	filler, err := os.Create(filepath.Join(disk, "filler"))
	if err != nil {
		t.Fatal(err)
	}
	for err == nil {
		_, err = filler.Write(make([]byte, 4096))
	}
	filler.Close()
	dir := filepath.Join(disk, "run")
	_, err = Create(dir, sampleRun())
	sayFull(t, err, dir)
	if _, err := os.Stat(dir); err == nil {
		t.Errorf("%s was left behind", dir)
	}
}
