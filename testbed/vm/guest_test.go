package vm

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/linerate/linerate/internal/testenv"
)

// guestThatPanics boots a real kernel with a first process that ends at once.
func guestThatPanics(t *testing.T) Guest {
	t.Helper()
	testenv.Need(t, "QEMU", Available())
	_, err := exec.LookPath("apt-get")
	testenv.Need(t, "apt, for a kernel", err)
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Skipf("this user has no cache: %v", err)
	}
	k, err := Open(context.Background(), "linux-image-cloud-amd64", filepath.Join(cache, "linerate", "kernels"))
	if err != nil {
		t.Fatal(err)
	}
	source := filepath.Join(t.TempDir(), "main.go")
	if err := os.WriteFile(source, []byte("package main\n\nfunc main() { println(\"this process ends\") }\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(t.TempDir(), "init")
	cmd := exec.Command("go", "build", "-o", program, source)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return Guest{Kernel: k, Init: program, MemoryBytes: 256 << 20, Seed: 1, TimeLimit: time.Minute}
}

// children are the processes of the emulator that this test left running.
func children(t *testing.T) string {
	t.Helper()
	out, _ := exec.Command("pgrep", "-P", strconv.Itoa(os.Getpid()), "-f", Emulator).Output()
	return strings.TrimSpace(string(out))
}

func TestGuestThatPanics(t *testing.T) {
	_, err := guestThatPanics(t).Run(context.Background(), func([]byte) {})
	failed, ok := errors.AsType[*Error](err)
	if !ok {
		t.Fatalf("error %v, want one of the guest", err)
	}
	console := strings.Join(failed.Console, "\n")
	if !strings.Contains(failed.Reason, "panicked") || !strings.Contains(console, "this process ends") || !strings.Contains(console, "Attempted to kill init") {
		t.Errorf("reason %q, console\n%s", failed.Reason, console)
	}
	if left := children(t); left != "" {
		t.Errorf("still running: %s", left)
	}
}

func TestGuestThatHangs(t *testing.T) {
	g := guestThatPanics(t)
	g.TimeLimit = 500 * time.Millisecond // in the middle of the boot
	_, err := g.Run(context.Background(), func([]byte) {})
	if failed, ok := errors.AsType[*Error](err); !ok || !strings.Contains(failed.Reason, "did not end within 500ms") {
		t.Errorf("error %v, want one of the time limit", err)
	}
	if left := children(t); left != "" {
		t.Errorf("still running: %s", left)
	}
}

func TestInterruptedBoot(t *testing.T) {
	g := guestThatPanics(t)
	ctx, cancel := context.WithTimeout(context.Background(), 500*time.Millisecond)
	defer cancel()
	if _, err := g.Run(ctx, func([]byte) {}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v, want that of the context", err)
	}
	if left := children(t); left != "" {
		t.Errorf("still running: %s", left)
	}
}

func TestImageThatIsCutOff(t *testing.T) {
	g := guestThatPanics(t)
	image, err := os.ReadFile(g.Kernel.Image)
	if err != nil {
		t.Fatal(err)
	}
	cut := *g.Kernel
	cut.Image = filepath.Join(t.TempDir(), "vmlinuz")
	if err := os.WriteFile(cut.Image, image[:len(image)/2], 0o644); err != nil {
		t.Fatal(err)
	}
	g.Kernel, g.TimeLimit = &cut, 8*time.Second
	reports := 0
	console, err := g.Run(context.Background(), func([]byte) { reports++ })
	if reports > 0 {
		t.Error("half an image booted")
	}
	t.Log(err, console)
}
