package pktgen_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/linerate/linerate/internal/testenv"
	"github.com/linerate/linerate/testbed/vm"
)

// moduleList is the file of a guest that names its modules in the order of their loading.
const moduleList = "/modules.txt"

// guestPackage is the distribution's newest small kernel.
const guestPackage = "linux-image-cloud-amd64"

// TestMain makes the test binary the first process of a guest too, where it runs the
// tests that need pktgen.
func TestMain(m *testing.M) {
	if os.Getpid() != 1 {
		os.Exit(m.Run())
	}
	if err := becomeInit(); err != nil {
		fmt.Println(err)
	} else {
		os.Args = []string{"init", "-test.v", "-test.run=" + sendingTests}
		m.Run()
	}
	unix.Sync()
	_ = unix.IoctlSetInt(1, unix.TCSBRK, 1) // the port sends on after the last write
	_ = unix.Reboot(unix.LINUX_REBOOT_CMD_POWER_OFF)
	select {}
}

// becomeInit mounts what a Linux system has, reports to the second serial port, and loads the modules.
func becomeInit() error {
	for _, m := range [][2]string{{"proc", "/proc"}, {"sysfs", "/sys"}, {"devtmpfs", "/dev"}, {"tmpfs", "/run"}, {"tmpfs", "/tmp"}} {
		if err := unix.Mount(m[0], m[1], m[0], 0, ""); err != nil && err != unix.EBUSY {
			return fmt.Errorf("mount %s: %w", m[1], err)
		}
	}
	port, err := os.OpenFile("/dev/ttyS1", os.O_WRONLY|unix.O_NOCTTY, 0)
	if err != nil {
		return err
	}
	for fd := 1; fd <= 2; fd++ {
		if err := unix.Dup2(int(port.Fd()), fd); err != nil {
			return err
		}
	}
	names, err := os.ReadFile(moduleList)
	if err != nil {
		return err
	}
	for name := range strings.FieldsSeq(string(names)) {
		f, err := os.Open(vm.ModulePath(name))
		if err != nil {
			return err
		}
		if err := unix.FinitModule(int(f.Fd()), "", 0); err != nil && err != unix.EEXIST {
			return fmt.Errorf("load module %s: %w", name, err)
		}
		f.Close()
	}
	return nil
}

// TestInGuest boots a kernel that has pktgen and runs the tests that send, inside.
func TestInGuest(t *testing.T) {
	testenv.Need(t, "QEMU", vm.Available())
	_, err := exec.LookPath("apt-get")
	testenv.Need(t, "apt, for a kernel", err)
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Skipf("this user has no cache: %v", err)
	}
	k, err := vm.Open(t.Context(), guestPackage, filepath.Join(cache, "linerate", "kernels"))
	if err != nil {
		t.Fatal(err)
	}
	modules, err := k.Modules("veth", "dummy", "pktgen")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, m := range modules {
		names = append(names, m.Name)
	}
	program := filepath.Join(t.TempDir(), "init")
	cmd := exec.Command("go", "test", "-c", "-o", program, ".")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	guest := vm.Guest{
		Kernel: k, Init: program, Modules: modules, Files: map[string][]byte{moduleList: []byte(strings.Join(names, "\n"))},
		MemoryBytes: 512 << 20, Seed: 1, TimeLimit: 90 * time.Second,
	}
	ended := ""
	passed := map[string]bool{}
	console, err := guest.Run(context.Background(), func(line []byte) {
		text := strings.TrimRight(string(line), "\r\n")
		t.Log(text)
		if name, ok := strings.CutPrefix(text, "--- PASS: "); ok {
			passed[strings.Fields(name)[0]] = true
		}
		if text == "PASS" || text == "FAIL" {
			ended = text
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if ended != "PASS" {
		t.Errorf("the tests in the guest ended with %q; the last lines of its console: %q", ended, console)
	}
	for name := range strings.SplitSeq(strings.Trim(sendingTests, "^()$"), "|") {
		if !passed[name] {
			t.Errorf("%s did not pass in the guest", name)
		}
	}
}
