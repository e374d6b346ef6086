package xdp

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/cilium/ebpf"
	"github.com/linerate/linerate/internal/netns"
	"github.com/linerate/linerate/internal/testenv"
	"github.com/vishvananda/netlink"
)

func init() { runtime.LockOSThread() } // internal/netns asks for it

// TestAttachAndDetach requires that a program outlives the file descriptors that loaded
// it, that another one is not pushed aside, and that nothing stays.
func TestAttachAndDetach(t *testing.T) {
	testenv.NeedRoot(t)
	ns := fmt.Sprintf("lr-test-xdp-%d", os.Getpid())
	if err := netns.Create(ns); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := netns.Delete(ns); err != nil {
			t.Error(err)
		}
	})
	devices := []string{"da", "db"}
	err := netns.Do(ns, func() error {
		return netlink.LinkAdd(&netlink.Veth{LinkAttrs: netlink.LinkAttrs{Name: "da"}, PeerName: "db"})
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, program := range []string{Router, Bridge} {
		if counts, err := Actions(ns, "da"); err != nil || counts != nil {
			t.Errorf("before %s: counters %v, %v", program, counts, err)
		}
		if err := Attach(ns, program, devices); err != nil {
			t.Fatal(err)
		}
		for _, d := range devices {
			if counts, err := Actions(ns, d); err != nil || len(counts) != len(actionNames) {
				t.Errorf("%s on %s: counters %v, %v", program, d, counts, err)
			}
		}
		if err := Attach(ns, Bridge, devices); err == nil || !strings.Contains(err.Error(), "ip link show da") {
			t.Errorf("a second program: %v", err)
		}
		id := attached(t, ns, "db")
		for range 2 { // nothing is there the second time
			if err := Detach(ns, devices); err != nil {
				t.Error(err)
			}
		}
		for end := time.Now().Add(2 * time.Second); ; time.Sleep(10 * time.Millisecond) {
			p, err := ebpf.NewProgramFromID(id)
			if err != nil {
				break
			}
			_ = p.Close()
			if time.Now().After(end) {
				t.Fatalf("program %d (%s) is still loaded 2 s after it was detached", id, program)
			}
		}
	}
	if err := Attach(ns, "switch", devices); err == nil || !strings.Contains(err.Error(), Router) {
		t.Errorf("a program that does not exist: %v", err)
	}
	if err := Attach(ns, Router, []string{"da", "dx"}); err == nil || !strings.Contains(err.Error(), "dx") {
		t.Errorf("a device that does not exist: %v", err)
	}
}

func attached(t *testing.T, ns, device string) (id ebpf.ProgramID) {
	t.Helper()
	err := netns.Do(ns, func() error {
		l, err := netlink.LinkByName(device)
		if err == nil {
			id = ebpf.ProgramID(l.Attrs().Xdp.ProgId)
		}
		return err
	})
	if err != nil || id == 0 {
		t.Fatalf("no program on %s: %v", device, err)
	}
	return id
}
