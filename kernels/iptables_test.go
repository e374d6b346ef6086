package kernels_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/linerate/linerate/internal/testenv"
	"github.com/linerate/linerate/plan"
)

// TestIptablesInGuest writes rules by iptables in a guest. Behind the first packet of a
// flow, NAT is the same code whoever wrote the rule; a stateful rule is looked at for each packet,
// in a table of the kernel's own by the legacy variant.
func TestIptablesInGuest(t *testing.T) {
	program := guestProgram(t)
	_, err := exec.LookPath("iptables-legacy")
	testenv.Need(t, "iptables", err)
	stateful := map[string]float64{}
	for _, variant := range []string{plan.IptablesNft, plan.IptablesLegacy} {
		o := options(t, program, kernelPackage)
		o.Plan.Scenarios, o.Plan.VM.Iptables = []plan.Scenario{"conntrack-nft", "conntrack-iptables", "snat-nft", "snat-iptables"}, variant
		run := measured(t, o)
		for _, c := range run.Cells {
			v := c.InstructionsPerPacket
			if v == nil {
				t.Fatalf("%s with %s: not measured: %s", c.ID, variant, c.Skipped)
			}
			t.Logf("%s with %s: %g", c.ID, variant, v.Value)
			if c.Backend != "iptables" {
				continue
			}
			if !strings.Contains(strings.Join(c.Evidence, "\n"), "the rule of iptables for new connections counted 1 packet") {
				t.Errorf("%s with %s: evidence %q", c.ID, variant, c.Evidence)
			}
			if last := c.Setup[len(c.Setup)-1]; !strings.HasPrefix(last, "iptables-"+variant+" -t ") {
				t.Errorf("%s: the last step is %q, want one of iptables-%s", c.ID, last, variant)
			}
		}
		if v := run.Environment.Versions["iptables"]; !strings.Contains(v, map[string]string{plan.IptablesNft: "nf_tables", plan.IptablesLegacy: "legacy"}[variant]) {
			t.Errorf("version of iptables: %q, want that of variant %s", v, variant)
		}
		nft, ipt := run.Cells[2].InstructionsPerPacket.Value, run.Cells[3].InstructionsPerPacket.Value
		if d := ipt - nft; d < -20 || d > 20 {
			t.Errorf("source NAT by iptables-%s: %g instructions, and %g by nftables, want the same within 20", variant, ipt, nft)
		}
		stateful[variant] = run.Cells[1].InstructionsPerPacket.Value
	}
	if stateful["nft"] < stateful["legacy"]+100 {
		t.Errorf("a stateful rule costs %g by iptables-nft and %g by iptables-legacy, want more by nft", stateful["nft"], stateful["legacy"])
	}
}

// TestWithoutIptables skips the cell that needs it, and measures the others.
func TestWithoutIptables(t *testing.T) {
	program := guestProgram(t)
	dir := t.TempDir()
	for _, name := range []string{"qemu-system-x86_64", "apt-get", "apt-cache", "dpkg-deb", "dpkg", "xz", "tar", "sh"} {
		path, err := exec.LookPath(name)
		testenv.Need(t, name, err)
		if err := os.Symlink(path, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", dir)
	o := options(t, program, kernelPackage)
	o.Plan.Scenarios = []plan.Scenario{"none", "snat-iptables"}
	run := measured(t, o)
	if run.Cells[0].InstructionsPerPacket == nil {
		t.Errorf("the other cell was not measured: %s", run.Cells[0].Skipped)
	}
	if c := run.Cells[1]; c.InstructionsPerPacket != nil || !strings.Contains(c.Skipped, "iptables-nft is not installed") || !strings.Contains(c.Skipped, "install iptables") {
		t.Errorf("skipped: %q, want what to install", c.Skipped)
	}
}
