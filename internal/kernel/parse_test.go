package kernel

import (
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

func TestCapabilitiesOfStatus(t *testing.T) {
	tests := []struct {
		file    string
		missing []string
		failed  bool
	}{
		{"testdata/status_root", nil, false},
		// The default set of a container.
		{"testdata/status_container", []string{"CAP_NET_ADMIN", "CAP_SYS_ADMIN", "CAP_BPF", "CAP_SYS_NICE"}, false},
		{"testdata/status_without_capeff", nil, true},
	}
	for _, tt := range tests {
		t.Run(tt.file, func(t *testing.T) {
			text, err := os.ReadFile(tt.file)
			if err != nil {
				t.Fatal(err)
			}
			held, err := effective(string(text))
			if (err != nil) != tt.failed {
				t.Fatalf("error is %v", err)
			}
			if err == nil && !slices.Equal(lacking(held), tt.missing) {
				t.Errorf("lacks %v, not %v", lacking(held), tt.missing)
			}
		})
	}
	if got := lacking(1 << 39); slices.Contains(got, "CAP_BPF") || !slices.Contains(got, "CAP_SYS_ADMIN") {
		t.Errorf("with CAP_BPF alone it lacks %v", got)
	}
}

func TestVersion(t *testing.T) {
	tests := []struct {
		release      string
		major, minor int
		failed       bool
	}{
		{"6.1.0-47-cloud-amd64", 6, 1, false},
		{"5.15.167.4-microsoft-standard-WSL2", 5, 15, false},
		{"6.18-rc1", 6, 18, false},
		{"", 0, 0, true},
		{"linux", 0, 0, true},
		{"v6.1", 0, 0, true},
	}
	for _, tt := range tests {
		major, minor, err := version(tt.release)
		if major != tt.major || minor != tt.minor || (err != nil) != tt.failed {
			t.Errorf("%q: %d.%d, %v", tt.release, major, minor, err)
		}
	}
}

func TestTooOld(t *testing.T) {
	for release, old := range map[string]bool{"5.17.0": true, "5.18.0": false, "4.19.0": true, "6.0.0": false, "odd": false} {
		if err := tooOld(LiveFrames.Name, release); (err != nil) != old {
			t.Errorf("%s: %v", release, err)
		}
	}
	if err := tooOld(BTF.Name, "4.19.0"); err != nil {
		t.Errorf("a release says nothing about BTF: %v", err)
	}
}

func TestToolVersions(t *testing.T) {
	tests := []struct{ said, line, number, variant string }{
		{"nftables v1.0.6 (Lester Gooch #5)\n", "nftables v1.0.6 (Lester Gooch #5)", "1.0.6", ""},
		{"iptables v1.8.9 (nf_tables)\n", "iptables v1.8.9 (nf_tables)", "1.8.9", "nf_tables"},
		{"iptables v1.8.7 (legacy)\n", "iptables v1.8.7 (legacy)", "1.8.7", "legacy"},
		{"iptables v1.6.1\n", "iptables v1.6.1", "1.6.1", "legacy"},
		{"ip utility, iproute2-6.1.0, libbpf 1.1.2\n", "ip utility, iproute2-6.1.0, libbpf 1.1.2", "6.1.0", ""},
		{"ip utility, iproute2-ss200127\n", "ip utility, iproute2-ss200127", "", ""},
		{"hello\ntcpreplay version: 4.4.3 (build git:v4.4.3)\n", "tcpreplay version: 4.4.3 (build git:v4.4.3)", "4.4.3", ""},
		{"", "", "", ""},
	}
	for _, tt := range tests {
		tool := Tool{Version: versionLine(tt.said)}
		if tool.Version != tt.line || tool.Number() != tt.number {
			t.Errorf("%q: line %q, number %q", tt.said, tool.Version, tool.Number())
		}
		if tt.variant != "" && IPTablesVariant(tool.Version) != tt.variant {
			t.Errorf("%q: variant %s", tt.said, IPTablesVariant(tool.Version))
		}
	}
}

func TestModuleFile(t *testing.T) {
	root := fstest.MapFS{
		"lib/modules/6.1/kernel/net/core/pktgen.ko.xz": {},
		"lib/modules/6.1/kernel/net/core/pktgen2.ko":   {},
	}
	if path, err := moduleFile(root, "6.1", "pktgen"); path != "lib/modules/6.1/kernel/net/core/pktgen.ko.xz" || err != nil {
		t.Errorf("%q, %v", path, err)
	}
	if _, err := moduleFile(root, "6.1", "sch_netem"); err == nil || !strings.Contains(err.Error(), "sch_netem") {
		t.Errorf("a module that is not there: %v", err)
	}
	if _, err := moduleFile(root, "6.2", "pktgen"); err == nil || !strings.Contains(err.Error(), "6.2") {
		t.Errorf("a release without modules: %v", err)
	}
}

func TestFindTool(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	if _, err := FindTool("nft"); err == nil || !strings.Contains(err.Error(), "nft") {
		t.Errorf("nothing is in PATH, but: %v", err)
	}
	script := "#!/bin/sh\necho Welcome\necho stubborn 2.5\n"
	if err := os.WriteFile(os.Getenv("PATH")+"/stubborn", []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	tool, err := FindTool("absent", "stubborn")
	if err != nil || tool.Name != "stubborn" || tool.Number() != "2.5" {
		t.Errorf("%+v, %v", tool, err)
	}
}

func TestRunCarriesTheFirstLineOfAComplaint(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	path := os.Getenv("PATH") + "/grumpy"
	if err := os.WriteFile(path, []byte("#!/bin/sh\necho no such table >&2\necho noise\nexit 3\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	_, err := Tool{Name: "grumpy", Path: path}.run("", "-x")
	if err == nil || err.Error() != "run grumpy -x: no such table" {
		t.Errorf("error is %v", err)
	}
}
