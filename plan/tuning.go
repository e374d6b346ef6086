package plan

import (
	"fmt"
	"slices"
)

// Tuning has testbed vm try settings of the kernel's packet generator one after another, and
// count the instructions that a frame costs its sender. It is on when Devices has any.
type Tuning struct {
	// Devices are those that send: "dummy", which takes every frame and drops it, so that the
	// generator alone is counted; or "vmxnet3", an emulated network card with another at the
	// other end of its cable, whose receiver is counted too.
	Devices []string `yaml:"devices,omitempty" json:"devices,omitempty"`
	// CloneSKB are values of clone_skb, with a burst of 1, and Burst values of burst, with
	// clone_skb 0, in the order of the curves.
	CloneSKB []int `yaml:"clone_skb,omitempty" json:"clone_skb,omitempty"`
	Burst    []int `yaml:"burst,omitempty" json:"burst,omitempty"`
}

// The values of Tuning.Devices.
const (
	DeviceDummy = "dummy"
	DeviceCard  = "vmxnet3"
)

// On tells whether there is anything to try.
func (t Tuning) On() bool { return len(t.Devices) > 0 }

// IsZero tells that nothing is set, so that plans without it are written without it.
func (t Tuning) IsZero() bool { return len(t.Devices)+len(t.CloneSKB)+len(t.Burst) == 0 }

// Setting is one device with one value of each knob.
type Setting struct {
	Device          string
	CloneSKB, Burst int
}

// String names the setting: "dummy, clone_skb 10, burst 1".
func (s Setting) String() string {
	return fmt.Sprintf("%s, clone_skb %d, burst %d", s.Device, s.CloneSKB, s.Burst)
}

// Settings are all that is tried, each once.
func (t Tuning) Settings() []Setting {
	var list []Setting
	seen := map[Setting]bool{}
	add := func(s Setting) {
		if !seen[s] {
			list = append(list, s)
		}
		seen[s] = true
	}
	for _, d := range t.Devices {
		for _, n := range t.CloneSKB {
			add(Setting{d, n, 1})
		}
		for _, n := range t.Burst {
			add(Setting{d, 0, n})
		}
	}
	return list
}

func (c *checker) tuning(p Plan) {
	t := p.Tuning
	if !t.On() {
		if len(t.CloneSKB)+len(t.Burst) > 0 {
			c.add("tuning.devices", "tuning", "name dummy, vmxnet3 or both", "is missing: there are settings to try")
		}
		return
	}
	for i, d := range t.Devices {
		if choices := textChoices["tuning.devices"]; !slices.Contains(choices, d) {
			c.add(fmt.Sprintf("tuning.devices[%d]", i), "", didYouMean(d, choices), "%s is not known to this version", shown(d))
		}
	}
	for i, n := range t.CloneSKB {
		c.whole(fmt.Sprintf("tuning.clone_skb[%d]", i), "tuning.clone_skb", n)
	}
	for i, n := range t.Burst {
		c.whole(fmt.Sprintf("tuning.burst[%d]", i), "tuning.burst", n)
	}
	for i, n := range t.Burst {
		if n > 0 && p.VM.Packets%n != 0 {
			c.add(fmt.Sprintf("tuning.burst[%d]", i), "vm.packets", "", "%d frames at once do not add up to the %d packets of vm.packets, and pktgen sends whole bursts", n, p.VM.Packets)
		}
	}
	switch {
	case len(t.Settings()) == 0:
		c.add("tuning", "", "set tuning.clone_skb, tuning.burst or both", "has devices and no setting to try")
	case p.Testbed != "vm":
		c.add("tuning", "testbed", "set testbed: vm and run it by linerate kernels, or sweep traffic.pktgen.clone_skb", "is tried in virtual machines")
	case len(p.Scenarios) != 1 || p.Scenarios[0] != NoDUT || len(p.Traffic.Flows) != 1 || p.Traffic.Flows[0] != 1:
		c.add("tuning", "scenarios", "set scenarios: [none] and traffic.flows: [1]", "tries the generator alone, with one flow: a copy has the flow of its original")
	}
}
