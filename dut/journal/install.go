package journal

// packages are the Debian packages of the tools that linerate runs.
var packages = map[string]string{
	"bridge":            "iproute2",
	"bird":              "bird2",
	"birdc":             "bird2",
	"dpdk-testpmd":      "dpdk-dev",
	"ethtool":           "ethtool",
	"ip":                "iproute2",
	"ip6tables":         "iptables",
	"ip6tables-restore": "iptables",
	"iptables":          "iptables",
	"iptables-restore":  "iptables",
	"nft":               "nftables",
	"ovs-ofctl":         "openvswitch-switch",
	"ovs-vsctl":         "openvswitch-switch",
	"ovs-vswitchd":      "openvswitch-switch",
	"ovsdb-server":      "openvswitch-switch",
	"ovsdb-tool":        "openvswitch-switch",
}

// InstallHint says which package holds a tool that linerate runs.
func InstallHint(tool string) string {
	if p, ok := packages[tool]; ok {
		return "install it with `apt-get install " + p + "` or your distribution's package " + p
	}
	return "install the package that holds it"
}
