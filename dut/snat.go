package dut

import (
	"fmt"
	"net/netip"
)

// snat hides side A behind the DUT's own address on side B.
var snat = kind{steps: sourceNAT, tracked: true, translated: ownAddress}

func ownAddress(s Scenario) netip.Addr {
	if s.Cell.IPVersion == 6 {
		return s.DUT.B.DUT6.Addr()
	}
	return s.DUT.B.DUT4.Addr()
}

// sourceNAT gives everything from side A the DUT's own address on side B.
func sourceNAT(s Scenario) ([]Step, error) {
	family, network := "ip", s.DUT.A.Net4
	if s.Cell.IPVersion == 6 {
		family, network = "ip6", s.DUT.A.Net6
	}
	if s.Cell.Backend == "iptables" {
		step := s.iptables("nat", "POSTROUTING", "-s", network.String(), "-o", s.DUT.B.Interface, "-j", "SNAT", "--to-source", ownAddress(s).String())
		return []Step{step}, requireTools(step.Do.Argv[0])
	}
	if err := requireTools("nft"); err != nil {
		return nil, err
	}
	return s.nft(family, "linerate", fmt.Sprintf(`table %s linerate {
	chain postrouting {
		type nat hook postrouting priority srcnat;
		oifname "%s" %s saddr %s snat to %s
	}
}
`, family, s.DUT.B.Interface, family, network, ownAddress(s))), nil
}
