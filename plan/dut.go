package plan

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"
)

// DUT tunes the device under test, whatever the scenario. Everything is put back after
// each cell.
type DUT struct {
	// Sysctls are set in the DUT's network namespace.
	Sysctls Sysctls `yaml:"sysctls,omitempty" json:"sysctls,omitempty"`
	// GROFlushTimeout and NAPIDeferHardIRQs make the DUT's devices poll by a timer instead
	// of at every arrival: after a poll that found frames they wait for the timeout, and that
	// many empty polls later for an arrival again (Documentation/networking/napi.rst,
	// Linux 6.18). A timeout of 0 turns it off.
	GROFlushTimeout   Duration `yaml:"gro_flush_timeout" json:"gro_flush_timeout"`
	NAPIDeferHardIRQs int      `yaml:"napi_defer_hard_irqs" json:"napi_defer_hard_irqs"`
}

// Sysctls are kernel settings by name: "net.ipv4.ip_early_demux" is "0".
type Sysctls map[string]string

const sysctlsPath = "dut.sysctls"

// Names are the keys in order.
func (s Sysctls) Names() []string { return slices.Sorted(maps.Keys(s)) }

// String is "KEY=VALUE" of all, with commas.
func (s Sysctls) String() string {
	var parts []string
	for _, key := range s.Names() {
		parts = append(parts, key+"="+s[key])
	}
	return strings.Join(parts, ",")
}

// ParseSysctls reads what String writes.
func ParseSysctls(text string) (Sysctls, error) {
	s := Sysctls{}
	if strings.TrimSpace(text) == "" {
		return nil, nil
	}
	for part := range strings.SplitSeq(text, ",") {
		key, value, found := strings.Cut(part, "=")
		if !found {
			return nil, badValue("write KEY=VALUE, such as net.ipv4.ip_early_demux=0", "%s is not a sysctl with its value", shown(part))
		}
		s[strings.TrimSpace(key)] = strings.TrimSpace(value)
	}
	return s, nil
}

// UnmarshalYAML reads a mapping, or the text form.
func (s *Sysctls) UnmarshalYAML(n *yaml.Node) error {
	n = target(n)
	if n.Kind != yaml.MappingNode {
		text, _, err := scalar(n, "a mapping of sysctls")
		if err != nil {
			return err
		}
		v, err := ParseSysctls(text)
		if err == nil {
			*s = v
		}
		return err
	}
	v := Sysctls{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		value, _, err := scalar(n.Content[i+1], "the value of a sysctl")
		if err != nil {
			return err
		}
		v[target(n.Content[i]).Value] = value
	}
	*s = v
	return nil
}

// UnmarshalJSON reads an object whose values are texts or numbers.
func (s *Sysctls) UnmarshalJSON(data []byte) error {
	var raw map[string]json.RawMessage
	if err := json.Unmarshal(data, &raw); err != nil {
		return err
	}
	v := Sysctls{}
	for key, value := range raw {
		text, err := jsonText(value)
		if err != nil {
			return err
		}
		v[key] = text
	}
	*s = v
	return nil
}

// setSysctl makes an assignment of one sysctl: "dut.sysctls.net.ipv4.ip_early_demux=0".
func (p *Plan) setSysctl(path, value string) (isSysctl bool) {
	key, isSysctl := strings.CutPrefix(path, sysctlsPath+".")
	if isSysctl {
		p.DUT.Sysctls = maps.Clone(p.DUT.Sysctls)
		if p.DUT.Sysctls == nil {
			p.DUT.Sysctls = Sysctls{}
		}
		p.DUT.Sysctls[key] = value
	}
	return isSysctl
}

var (
	sysctlKey   = regexp.MustCompile(`^net\.[A-Za-z0-9_-]+(\.[A-Za-z0-9_/-]+)+$`)
	sysctlValue = regexp.MustCompile(`^[ -~]{1,200}$`)
)

func (c *checker) dut(p Plan) {
	for _, key := range p.DUT.Sysctls.Names() {
		path := sysctlsPath + "." + key
		if !sysctlKey.MatchString(key) {
			c.add(path, "", "the DUT is a network namespace, which has settings of its own below net. only", "%s is not the name of a sysctl of a network namespace", shown(key))
		}
		if !sysctlValue.MatchString(p.DUT.Sysctls[key]) {
			c.add(path, "", "write it as sysctl -w would take it", "%s is not the value of a sysctl", shown(p.DUT.Sysctls[key]))
		}
	}
	c.duration("dut.gro_flush_timeout", p.DUT.GROFlushTimeout)
	c.whole("dut.napi_defer_hard_irqs", "dut.napi_defer_hard_irqs", p.DUT.NAPIDeferHardIRQs)
}

// absentFields are knobs that other set-ups have, and why a DUT of veths has not.
var absentFields = map[string]string{
	"dut.napi_weight": "a veth polls 64 frames at a time, the kernel has no setting for it (veth_napi_enable, drivers/net/veth.c); net.core.dev_weight is for devices that use the backlog; try dut.gro_flush_timeout",
	"dut.ring":        "the ring of a veth has 256 frames, the kernel has no setting for it (VETH_RING_SIZE, drivers/net/veth.c)",
	"dut.ring_size":   "the ring of a veth has 256 frames, the kernel has no setting for it (VETH_RING_SIZE, drivers/net/veth.c)",
	"dut.backlog":     "frames between veths with NAPI never pass the backlog of net.core.netdev_max_backlog (veth_forward_skb, drivers/net/veth.c)",
	"dut.gro":         "a veth takes frames that its peer sends by XDP only while its GRO is on: without it none would arrive",
}

// absentField says why a field that one may look for is not there.
func absentField(path string) (hint string, absent bool) {
	reason, absent := absentFields[path]
	return fmt.Sprintf("a DUT of veths has no such setting: %s", reason), absent
}
