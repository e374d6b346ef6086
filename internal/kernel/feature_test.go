package kernel

import (
	"bufio"
	"compress/gzip"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/linerate/linerate/internal/netns"
	"github.com/linerate/linerate/internal/testenv"
	"github.com/vishvananda/netlink"
)

// The leader thread must not be the one that a probe takes into a namespace.
func init() { runtime.LockOSThread() }

// leftovers lists the namespaces of this process's probes.
func leftovers(t *testing.T) []string {
	t.Helper()
	found, err := filepath.Glob(netns.Path(fmt.Sprintf("%s%d-*", SandboxPrefix, os.Getpid())))
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// config reads the options that the running kernel was built with.
func config(t *testing.T) map[string]string {
	t.Helper()
	file, err := os.Open("/proc/config.gz")
	testenv.Need(t, "a kernel that tells its configuration", err)
	defer file.Close()
	text, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	options := map[string]string{}
	for lines := bufio.NewScanner(text); lines.Scan(); {
		if option, value, found := strings.Cut(lines.Text(), "="); found {
			options[option] = value
		}
	}
	return options
}

// What the probes find by trying must be what the kernel was built with.
func TestTryAgreesWithTheKernelsConfiguration(t *testing.T) {
	testenv.NeedRoot(t)
	options := config(t)
	tests := []struct {
		feature Feature
		option  string
		tool    string
	}{
		{LiveFrames, "CONFIG_BPF_SYSCALL", ""},
		{BTF, "CONFIG_DEBUG_INFO_BTF", ""},
		{Namespaces, "CONFIG_NET_NS", ""},
		{Veth, "CONFIG_VETH", ""},
		{ThreadedNAPI, "CONFIG_VETH", ""},
		{NFTables, "CONFIG_NF_TABLES", ""},
		{Conntrack, "CONFIG_NFT_CT", "nft"},
		{NAT, "CONFIG_NFT_NAT", "nft"},
		{Flowtable, "CONFIG_NF_FLOW_TABLE", "nft"},
		{Bridge, "CONFIG_BRIDGE", ""},
		{Tun, "CONFIG_TUN", ""},
		{VLAN, "CONFIG_VLAN_8021Q", ""},
		{Netem, "CONFIG_NET_SCH_NETEM", ""},
		{Pktgen, "CONFIG_NET_PKTGEN", ""},
		{PerfEvents, "CONFIG_PERF_EVENTS", ""},
	}
	for _, tt := range tests {
		t.Run(tt.feature.Name, func(t *testing.T) {
			if tt.tool != "" {
				_, err := FindTool(tt.tool)
				testenv.Need(t, tt.tool, err)
			}
			built := options[tt.option]
			if built == "m" {
				t.Skipf("%s=m: whether the module is installed is not known here", tt.option)
			}
			seen, err := tt.feature.Try()
			if (err == nil) != (built == "y") {
				t.Errorf("the kernel has %s=%q, but Try says %q, %v", tt.option, built, seen, err)
			}
			if (err == nil) == (seen == "") {
				t.Errorf("Try says %q with error %v: it must say one of the two", seen, err)
			}
			if err != nil && strings.Contains(err.Error(), "%!") {
				t.Errorf("badly formatted: %v", err)
			}
		})
	}
	if left := leftovers(t); len(left) > 0 {
		t.Errorf("namespaces are left: %v", left)
	}
}

func TestFeaturesSayWhatTheyCostAndHowToGetThem(t *testing.T) {
	names := map[string]bool{}
	for _, f := range Features() {
		if f.Name == "" || f.Cost == "" || f.Fix == "" || f.Need == "" || f.try == nil {
			t.Errorf("feature %q is incomplete: %+v", f.Name, f)
		}
		if names[f.Name] {
			t.Errorf("feature %q is listed twice", f.Name)
		}
		names[f.Name] = true
	}
}

func TestSandboxIsRemoved(t *testing.T) {
	testenv.NeedRoot(t)
	boom := errors.New("boom")
	var name string
	err := sandbox(func(namespace string) error {
		name = namespace
		if !netns.Exists(namespace) {
			t.Errorf("namespace %s does not exist while the probe runs", namespace)
		}
		if left := leftovers(t); len(left) != 1 {
			t.Errorf("the search for what is left finds %v while one is in use", left)
		}
		return netns.Do(namespace, func() error {
			if err := addPair(); err != nil {
				t.Error(err)
			}
			return boom
		})
	})
	if !errors.Is(err, boom) {
		t.Errorf("the probe's own error is lost: %v", err)
	}
	if netns.Exists(name) {
		t.Errorf("namespace %s is left after a failure", name)
	}
	func() {
		defer func() { _ = recover() }()
		_ = sandbox(func(namespace string) error { name = namespace; panic("in a probe") })
	}()
	if netns.Exists(name) {
		t.Errorf("namespace %s is left after a panic", name)
	}
	if _, err := netlink.LinkByName(nearEnd); err == nil {
		t.Errorf("device %s is in the namespace of the process", nearEnd)
	}
}

func TestRunOnceRefusesWhatIsNotAnXDPProgram(t *testing.T) {
	testenv.NeedRoot(t)
	file, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if err := runOnce(int(file.Fd())); err == nil {
		t.Error("a file that is not a program ran on a live frame")
	}
}

func TestBTFHeader(t *testing.T) {
	for file, want := range map[string]error{"testdata/btf_little_endian": nil, "testdata/not_btf": errNotBTF} {
		t.Run(file, func(t *testing.T) {
			f, err := os.Open(file)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			if err := btfHeader(f); !errors.Is(err, want) {
				t.Errorf("error is %v, not %v", err, want)
			}
		})
	}
}
