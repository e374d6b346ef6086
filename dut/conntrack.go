package dut

import "fmt"

// conntrack is a stateful firewall.
var conntrack = kind{steps: stateful, tracked: true}

// stateful accepts what belongs to a tracked connection, and new connections
// from side A only.
func stateful(s Scenario) ([]Step, error) {
	if s.Cell.Backend == "iptables" {
		if err := requireTools(s.iptables("filter", "FORWARD").Do.Argv[0]); err != nil {
			return nil, err
		}
		return []Step{
			s.iptables("filter", "FORWARD", "-m", "conntrack", "--ctstate", "RELATED,ESTABLISHED", "-j", "ACCEPT"),
			s.iptables("filter", "FORWARD", "-i", s.DUT.A.Interface, "-m", "conntrack", "--ctstate", "NEW", "-j", "ACCEPT"),
			s.iptables("filter", "FORWARD", "-j", "DROP"),
		}, nil
	}
	if err := requireTools("nft"); err != nil {
		return nil, err
	}
	return s.nft("inet", "linerate", fmt.Sprintf(`table inet linerate {
	chain forward {
		type filter hook forward priority filter; policy drop;
		ct state established,related accept
		iifname "%s" ct state new accept
	}
}
`, s.DUT.A.Interface)), nil
}
