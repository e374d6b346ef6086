package doctor

import "github.com/linerate/linerate/internal/kernel"

// program is one that linerate starts, or that its results are compared with.
type program struct {
	names     []string
	need      kernel.Need
	use       string
	cost, fix string
}

var programs = []program{
	{[]string{"nft"}, kernel.ForScenario, "",
		"scenarios limit, conntrack-nft, snat-nft, nft-ruleset and flowtable are skipped",
		"install nftables (apt, dnf, apk)"},
	{[]string{"iptables"}, kernel.ForScenario, "",
		"scenarios conntrack-iptables, snat-iptables and iptables-ruleset are skipped",
		"install iptables (apt, apk) or iptables-nft (dnf)"},
	{[]string{"ip6tables"}, kernel.ForScenario, "",
		"the iptables scenarios are skipped for IPv6",
		"it comes with iptables"},
	{[]string{"ethtool"}, kernel.ForScenario, "",
		"scenario ecmp is skipped",
		"install ethtool (apt, dnf, apk)"},
	{[]string{"bird"}, kernel.ForScenario, "",
		"scenario ecmp-bird is skipped",
		"install bird2 (apt) or bird (dnf, apk)"},
	{[]string{"ip"}, kernel.ForScenario, "for scenarios bridge and ecmp, and to repeat any set-up by hand",
		"scenarios bridge and ecmp are skipped",
		"install iproute2 (apt, apk) or iproute (dnf)"},
	{[]string{"tcpreplay"}, kernel.ForComparison, "a generator to compare with",
		"`make perf` leaves tcpreplay out",
		"install tcpreplay (apt, dnf, apk)"},
	{[]string{"dpdk-testpmd"}, kernel.ForScenario, "a DUT, and a generator to compare with",
		"scenario testpmd is skipped, and `make perf` leaves DPDK out",
		"install dpdk-dev with librte-net-af-xdp23 and librte-net-af-packet23 (apt) or dpdk (dnf)"},
	{[]string{"ovs-vswitchd", "/usr/sbin/ovs-vswitchd"}, kernel.ForScenario, "for scenario ovs; ovs-dpdk needs its build with DPDK (openvswitch-switch-dpdk in apt)",
		"scenario ovs is skipped",
		"install openvswitch-switch and openvswitch-switch-dpdk (apt), openvswitch and openvswitch-dpdk (dnf), or openvswitch (apk)"},
	{[]string{"iperf3"}, kernel.ForScenario, "",
		"the cells of workload iperf3 are skipped",
		"install iperf3 (apt, dnf, apk)"},
	{[]string{"iperf"}, kernel.ForScenario, "",
		"the cells of workload iperf are skipped",
		"install iperf, version 2 (apt, apk)"},
	{[]string{"qemu-system-x86_64"}, kernel.ForComparison, "boots the kernels of `linerate kernels`",
		"`linerate kernels` cannot boot any",
		"install qemu-system-x86 (apt) or qemu-system-x86-core (dnf)"},
	{[]string{"chromium", "chromium-browser", "google-chrome"}, kernel.ForComparison, "for the test of the HTML report",
		"the test that opens the HTML report in a browser is skipped; reports are made all the same",
		"install chromium (apt, dnf, apk)"},
}

func toolRows() []Row {
	var rows []Row
	for _, p := range programs {
		row := Row{Name: p.names[0], Status: OK, Need: p.need}
		tool, err := kernel.FindTool(p.names[0], p.names[1:]...)
		if err != nil {
			row.Status, row.Detail, row.Cost, row.Fix = Missing, err.Error(), p.cost, p.fix
			rows = append(rows, row)
			continue
		}
		row.Detail = tool.Path
		if tool.Version != "" {
			row.Detail = tool.Version
		}
		if p.use != "" {
			row.Detail += ": " + p.use
		}
		rows = append(rows, row)
	}
	return rows
}
