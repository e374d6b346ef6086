package dut

import "fmt"

// flowtable forwards by an nftables flowtable: the first packets of a flow take the way of
// conntrack, the others a short cut from the ingress of one device to the other's queue.
var flowtable = kind{steps: flowtableSteps, tracked: true}

// flowtableSteps need the kernel's nf_flow_table with the family of the packets
// (Documentation/networking/nf_flowtable.rst).
func flowtableSteps(s Scenario) ([]Step, error) {
	if err := requireTools("nft"); err != nil {
		return nil, err
	}
	steps := s.nft("inet", "linerate", fmt.Sprintf(`table inet linerate {
	flowtable fast {
		hook ingress priority filter; devices = { "%s", "%s" };
	}
	chain forward {
		type filter hook forward priority filter; policy accept;
		meta l4proto udp flow add @fast
	}
}
`, s.DUT.A.Interface, s.DUT.B.Interface))
	steps[0].Missing = &MissingError{Tool: "nf_flow_table", Reason: "is not in this kernel", Hint: "boot one with CONFIG_NF_FLOW_TABLE_INET and CONFIG_NFT_FLOW_OFFLOAD, which distributions have as modules"}
	return steps, nil
}
