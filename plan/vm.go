package plan

import (
	"slices"
	"strings"
	"time"
)

// VM says how the kernels of testbed vm are booted and measured, by `linerate kernels`.
type VM struct {
	// Metric is what is compared: MetricInstructions, MetricRate or MetricBoth.
	Metric string `yaml:"metric" json:"metric"`
	// Accelerator executes the guests whose rates are measured: "auto" is KVM if it works,
	// "kvm" is KVM even if it is slow, "tcg" is QEMU's translator. Instructions are always counted by it.
	Accelerator string `yaml:"accelerator" json:"accelerator"`
	// Rounds of the rate: in each, every kernel is booted anew, and the first one twice.
	Rounds int `yaml:"rounds" json:"rounds"`
	// TrialDuration of a rate, and LoadPPS what the generator offers; 0 is as much as it can.
	TrialDuration Duration `yaml:"trial_duration" json:"trial_duration"`
	LoadPPS       float64  `yaml:"load_pps" json:"load_pps"`
	// Seeds are the seeds 1 to Seeds, each with a layout of hash tables of its own.
	Seeds int `yaml:"seeds" json:"seeds"`
	// Boots with each seed: they show that one seed gives one figure.
	Boots int `yaml:"boots" json:"boots"`
	// Packets are sent in each of Repetitions measurements of a cell.
	Packets     int `yaml:"packets" json:"packets"`
	Repetitions int `yaml:"repetitions" json:"repetitions"`
	// Margin is the change of the instructions per packet that is none yet.
	Margin Ratio `yaml:"margin" json:"margin"`
	// ExtraRules are rules of nftables or iptables that match nothing: a planted cost.
	ExtraRules int `yaml:"extra_rules" json:"extra_rules"`
	// Iptables is the variant that writes the rules of iptables: "nft", which most
	// distributions install, or "legacy". A guest gets it from this machine.
	Iptables string `yaml:"iptables" json:"iptables"`
	// Attribute says in which functions of the kernel the instructions are.
	Attribute bool `yaml:"attribute" json:"attribute"`
	// AttributeBy is how: ByPlugin counts each instruction in one boot more, BySampling estimates
	// from samples in the first boot, ByEither takes the plugin where the emulator does.
	AttributeBy string `yaml:"attribute_by" json:"attribute_by"`
	// MemoryBytes is the guest's memory.
	MemoryBytes int `yaml:"memory_bytes" json:"memory_bytes"`
	// TimeLimit of one boot, in real time.
	TimeLimit Duration `yaml:"time_limit" json:"time_limit"`
}

// Ways to attribute instructions.
const (
	ByEither   = "auto"
	ByPlugin   = "plugin"
	BySampling = "sampling"
)

// Variants of iptables in a guest, as vm.iptables has them.
const (
	// IptablesNft writes rules of nftables, with targets of iptables in them (iptables-nft).
	IptablesNft = "nft"
	// IptablesLegacy writes a table of the kernel's ip_tables (iptables-legacy).
	IptablesLegacy = "legacy"
)

// The values of VM.Metric.
const (
	MetricInstructions = "instructions"
	MetricRate         = "rate"
	MetricBoth         = "both"
)

// The values of VM.Accelerator.
const (
	AcceleratorAuto = "auto"
	AcceleratorKVM  = "kvm"
	AcceleratorTCG  = "tcg"
)

// Counts tells whether instructions are counted.
func (v VM) Counts() bool { return v.Metric != MetricRate }

// Rates tells whether rates are measured.
func (v VM) Rates() bool { return v.Metric == MetricRate || v.Metric == MetricBoth }

func defaultVM() VM {
	return VM{Metric: MetricInstructions, Accelerator: AcceleratorAuto, Rounds: 10, TrialDuration: Duration(time.Second),
		Iptables: IptablesNft, Seeds: 3, Boots: 1, Packets: 2000, Repetitions: 3, Margin: 0.001, AttributeBy: ByEither, MemoryBytes: 512 << 20, TimeLimit: Duration(3 * time.Minute),
	}
}

// GuestScenarios are the spellings of the scenarios that a guest has, where linerate's own
// program and iptables are the only ones.
func GuestScenarios() []string {
	return []string{"none", "route", "bridge", "conntrack", "conntrack-nft", "conntrack-iptables", "snat", "snat-nft", "snat-iptables"}
}

// maxGuestFlows is how many flows have a UDP source port of their own.
const maxGuestFlows = 60_000

func (c *checker) vm(p Plan) {
	v := p.VM
	c.whole("vm.seeds", "vm.seeds", v.Seeds)
	c.whole("vm.boots", "vm.boots", v.Boots)
	c.whole("vm.packets", "vm.packets", v.Packets)
	c.whole("vm.repetitions", "vm.repetitions", v.Repetitions)
	c.whole("vm.extra_rules", "vm.extra_rules", v.ExtraRules)
	c.whole("vm.memory_bytes", "vm.memory_bytes", v.MemoryBytes)
	c.duration("vm.time_limit", v.TimeLimit)
	c.choice("vm.metric", v.Metric)
	c.choice("vm.accelerator", v.Accelerator)
	c.whole("vm.rounds", "vm.rounds", v.Rounds)
	c.duration("vm.trial_duration", v.TrialDuration)
	c.load("vm.load_pps", v.LoadPPS, "0 (as much as the generator can) or more", v.LoadPPS >= 0)
	c.choice("vm.iptables", v.Iptables)
	c.share("vm.margin", v.Margin, v.Margin > 0 && v.Margin < 1, "above 0 and below 1")
	c.choice("vm.attribute_by", v.AttributeBy)
	if p.Testbed != "vm" {
		return
	}
	if len(p.Kernels) == 0 {
		c.add("kernels", "testbed", "name packages, .deb or .rpm files, or images: kernels: [linux-image-cloud-amd64]", "is empty: testbed vm needs a kernel to boot")
	}
	for _, s := range p.Scenarios {
		if !slices.Contains(GuestScenarios(), string(s)) {
			c.add("scenarios", "testbed", "a guest has "+strings.Join(GuestScenarios(), ", "), "%s cannot be made in a guest, where linerate and iptables are the only programs", s)
		}
	}
	for _, n := range p.Traffic.Flows {
		if n > maxGuestFlows {
			c.add("traffic.flows", "testbed", "", "%s flows are too many for a guest, which tells them apart by their source port: %s at most", grouped(int64(n)), grouped(maxGuestFlows))
		}
	}
	if slices.Contains(p.Traffic.IPVersions, 6) || slices.Contains(p.Traffic.Directions, Bi) || slices.Contains(p.Traffic.FrameSizes, IMIX) {
		c.add("traffic", "testbed", "set traffic.ip_version=4, directions=uni and a frame size in bytes", "a guest's generator sends IPv4 in one direction, in frames of one size")
	}
}
