package lab

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/linerate/linerate/dut/journal"
	"github.com/linerate/linerate/internal/netns"
	"github.com/linerate/linerate/internal/sched"
	"github.com/linerate/linerate/internal/testenv"
	"github.com/linerate/linerate/plan"
	"github.com/linerate/linerate/sink"
	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"
)

func init() { runtime.LockOSThread() }

func open(t *testing.T, id string, p plan.Lab) (*Lab, *journal.Journal) {
	t.Helper()
	testenv.NeedRoot(t)
	j, err := journal.Create(t.TempDir(), id)
	if err != nil {
		t.Fatal(err)
	}
	l, err := Open(id, p, j)
	if err != nil {
		t.Fatal(err)
	}
	return l, j
}

func TestNothingIsLeft(t *testing.T) {
	id := NewID()
	l, j := open(t, id, plan.Lab{MTUBytes: 1500})
	for ns := range l.Devices() {
		if !netns.Exists(ns) {
			t.Errorf("namespace %s was not made", ns)
		}
	}
	if err := j.Close(); err != nil {
		t.Error(err)
	}
	for ns := range l.Devices() {
		if netns.Exists(ns) {
			t.Errorf("namespace %s is still there", ns)
		}
	}
	// The kernel takes the devices of a namespace down a little after its name.
	var threads []int
	for range 1000 {
		var err error
		if threads, err = NAPIThreads("da-" + id); err != nil {
			t.Fatal(err)
		}
		if len(threads) == 0 {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Errorf("NAPI threads %v are still there", threads)
}

func TestTwoLabsAtOnce(t *testing.T) {
	one, j1 := open(t, NewID(), plan.Lab{MTUBytes: 1500})
	two, j2 := open(t, NewID(), plan.Lab{MTUBytes: 9000})
	if err := j1.Close(); err != nil {
		t.Error(err)
	}
	for ns, devices := range two.Devices() {
		err := netns.Do(ns, func() error {
			for _, d := range devices {
				link, err := netlink.LinkByName(d)
				if err != nil {
					return err
				}
				if link.Attrs().MTU != 9000 || link.Attrs().OperState != netlink.OperUp {
					t.Errorf("%s: MTU %d, %v", d, link.Attrs().MTU, link.Attrs().OperState)
				}
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	}
	if err := j2.Close(); err != nil {
		t.Error(err)
	}
	if one.ID == two.ID {
		t.Error("two labs have one name")
	}
}

func TestTakenNamespaceIsLeftAlone(t *testing.T) {
	testenv.NeedRoot(t)
	id := NewID()
	taken := "lr-" + id + "-dut"
	if err := netns.Create(taken); err != nil {
		t.Fatal(err)
	}
	defer netns.Delete(taken)
	j, err := journal.Create(t.TempDir(), id)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Open(id, plan.Lab{MTUBytes: 1500}, j); err == nil || !strings.Contains(err.Error(), "taken") {
		t.Errorf("Open with a taken namespace: %v", err)
	}
	if err := j.Close(); err != nil {
		t.Error(err)
	}
	if !netns.Exists(taken) || netns.Exists("lr-"+id+"-a") {
		t.Error("the foreign namespace is gone, or one of ours is left")
	}
}

// TestThreadsArePlaced looks at the affinity and priority that the kernel reports.
func TestThreadsArePlaced(t *testing.T) {
	t.Run("as dealt", func(t *testing.T) { threadsArePlaced(t, plan.Lab{MTUBytes: 1500}) })
	t.Run("all on all", func(t *testing.T) {
		online, err := sched.AllowedCPUs()
		if err != nil {
			t.Fatal(err)
		}
		if len(online) < 2 || online[1] != online[0]+1 {
			testenv.Need(t, "two neighbouring CPUs", fmt.Errorf("there are the CPUs %v", online))
		}
		two := plan.CPUList(online[:2])
		threadsArePlaced(t, plan.Lab{MTUBytes: 1500, DUTCPUs: two, TesterCPUs: two, SinkCPUs: two})
	})
}

func threadsArePlaced(t *testing.T, p plan.Lab) {
	l, j := open(t, NewID(), p)
	defer j.Close()
	a, b := l.Ports(false)
	for _, p := range []struct {
		port  string
		ns    string
		name  string
		index int
	}{{"a", a.Netns, a.Interface, a.Ifindex}, {"b", b.Netns, b.Interface, b.Ifindex}} {
		s, err := sink.Open(sink.Config{Port: p.port, Netns: p.ns, Interface: p.name, Ifindex: p.index, Flows: 1, IPVersion: 4})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
	}
	if err := l.Pin(); err != nil {
		t.Fatal(err)
	}
	check := func(device string, cpus []int, priority string) {
		threads, err := NAPIThreads(device)
		if err != nil || len(threads) != l.Queues() {
			t.Errorf("%s has NAPI threads %v (%v), want %d", device, threads, err, l.Queues())
		}
		for i, tid := range threads {
			var set unix.CPUSet
			if err := unix.SchedGetaffinity(tid, &set); err != nil {
				t.Fatal(err)
			}
			if want := cpus[i%len(cpus)]; !set.IsSet(want) || set.Count() != 1 {
				t.Errorf("thread %d of %s is not on CPU %d alone", tid, device, want)
			}
			stat, err := os.ReadFile("/proc/" + strconv.Itoa(tid) + "/stat")
			if err != nil {
				t.Fatal(err)
			}
			// Fields 40 and 41 are rt_priority and policy (1 is SCHED_FIFO).
			f := strings.Fields(string(stat)[strings.LastIndex(string(stat), ")")+1:])
			if f[37] != priority || f[38] != "1" {
				t.Errorf("thread of %s has priority %s and policy %s, want %s and 1", device, f[37], f[38], priority)
			}
		}
	}
	check(l.DUT.A.Interface, l.CPUs.DUT, "40")
	check(l.DUT.B.Interface, l.CPUs.DUT, "40")
	check(a.Interface, l.CPUs.Sinks, "50")
	check(b.Interface, l.CPUs.Sinks, "50")
}

func TestPinSaysThatNoThreadIsVisible(t *testing.T) {
	l, j := open(t, NewID(), plan.Lab{MTUBytes: 1500})
	defer j.Close()
	if err := l.Pin(); err != nil {
		t.Fatal(err)
	}
	err := netns.Do(l.DUT.Netns, func() error {
		link, err := netlink.LinkByName(l.DUT.A.Interface)
		if err != nil {
			return err
		}
		return netlink.LinkSetDown(link) // which ends its threads
	})
	if err != nil {
		t.Fatal(err)
	}
	want := "NAPI threads of " + l.DUT.A.Interface + ": none is visible"
	if err := l.Pin(); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "--pid=host") {
		t.Errorf("Pin: %v, want %q", err, want)
	}
	if _, err := l.DUTThreads(); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("DUTThreads: %v, want %q", err, want)
	}
}
