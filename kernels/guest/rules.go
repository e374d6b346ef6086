package guest

import (
	"fmt"
	"net"
	"net/netip"

	"github.com/google/nftables"
	"github.com/google/nftables/binaryutil"
	"github.com/google/nftables/expr"
	"golang.org/x/sys/unix"
)

// Offset of the source address in an IPv4 header.
const ipv4SourceOffset = 12

// ruleset is a table with one chain, loaded in one step and read back.
type ruleset struct {
	table *nftables.Table
	chain *nftables.Chain
	rules [][]expr.Any
}

// load replaces nothing: the namespace is new. A kernel that lacks the module of an
// expression can leave a rule out without an error, so the rules are read back.
func (l *lab) load(r ruleset) error {
	conn, err := nftables.New(nftables.WithNetNSFd(int(l.handle)))
	if err != nil {
		return fmt.Errorf("open nftables: %w", err)
	}
	conn.AddTable(r.table)
	conn.AddChain(r.chain)
	for _, e := range r.rules {
		conn.AddRule(&nftables.Rule{Table: r.table, Chain: r.chain, Exprs: e})
	}
	if err := conn.Flush(); err != nil {
		return fmt.Errorf("load nftables rules: %w; is a module missing?", err)
	}
	there, err := conn.GetRules(r.table, r.chain)
	if err != nil {
		return fmt.Errorf("read nftables rules back: %w", err)
	}
	if len(there) != len(r.rules) {
		return fmt.Errorf("load nftables rules: %d of %d are there", len(there), len(r.rules))
	}
	return nil
}

// forwardChain hooks into what is forwarded.
func forwardChain(policy nftables.ChainPolicy) (*nftables.Table, *nftables.Chain) {
	table := &nftables.Table{Family: nftables.TableFamilyINet, Name: "linerate"}
	return table, &nftables.Chain{Name: "forward", Table: table, Type: nftables.ChainTypeFilter,
		Hooknum: nftables.ChainHookForward, Priority: nftables.ChainPriorityFilter, Policy: &policy}
}

// stateful accepts what belongs to a tracked connection, and new ones from side A.
func (l *lab) stateful(extra int) error {
	table, chain := forwardChain(nftables.ChainPolicyDrop)
	rules := append(missing(extra),
		append(stateIs(expr.CtStateBitESTABLISHED|expr.CtStateBitRELATED), accept()),
		append(append(interfaceIs(expr.MetaKeyIIFNAME, dutIn), stateIs(expr.CtStateBitNEW)...), accept()))
	l.did("nft add table inet linerate; chain forward { type filter hook forward priority filter; policy drop; %sct state established,related accept; iifname %q ct state new accept }", missingText(extra), dutIn)
	return l.load(ruleset{table, chain, rules})
}

// accept is a chain that accepts everything, with rules that match nothing.
func (l *lab) accept(extra int) error {
	table, chain := forwardChain(nftables.ChainPolicyAccept)
	l.did("nft add table inet linerate; chain forward { type filter hook forward priority filter; policy accept; %s}", missingText(extra))
	return l.load(ruleset{table, chain, missing(extra)})
}

// sourceNAT gives everything from side A the DUT's address on side B.
func (l *lab) sourceNAT(extra int) error {
	table := &nftables.Table{Family: nftables.TableFamilyIPv4, Name: "linerate"}
	chain := &nftables.Chain{Name: "postrouting", Table: table, Type: nftables.ChainTypeNAT,
		Hooknum: nftables.ChainHookPostrouting, Priority: nftables.ChainPriorityNATSource}
	to := l.sideB.DUT4.Addr()
	rule := append(interfaceIs(expr.MetaKeyOIFNAME, dutOut), sourceWithin(l.sideA.Net4)...)
	rule = append(rule,
		&expr.Immediate{Register: 1, Data: to.AsSlice()},
		&expr.NAT{Type: expr.NATTypeSourceNAT, Family: unix.NFPROTO_IPV4, RegAddrMin: 1})
	l.did("nft add table ip linerate; chain postrouting { type nat hook postrouting priority srcnat; %soifname %q ip saddr %s snat to %s }", missingText(extra), dutOut, l.sideA.Net4, to)
	return l.load(ruleset{table, chain, append(missing(extra), rule)})
}

// missing are rules that look at the source address and do not match.
func missing(n int) [][]expr.Any {
	var rules [][]expr.Any
	for i := range n {
		rules = append(rules, append(sourceWithin(missingNetwork(i)), &expr.Verdict{Kind: expr.VerdictDrop}))
	}
	return rules
}

func missingNetwork(i int) netip.Prefix {
	return netip.PrefixFrom(netip.AddrFrom4([4]byte{192, 0, 2, byte(i)}), 32)
}

func missingText(n int) string {
	text := ""
	for i := range n {
		text += fmt.Sprintf("ip saddr %s drop; ", missingNetwork(i).Addr())
	}
	return text
}

func accept() expr.Any { return &expr.Verdict{Kind: expr.VerdictAccept} }

func stateIs(bits uint32) []expr.Any {
	return []expr.Any{
		&expr.Ct{Key: expr.CtKeySTATE, Register: 1},
		&expr.Bitwise{SourceRegister: 1, DestRegister: 1, Len: 4, Mask: binaryutil.NativeEndian.PutUint32(bits), Xor: make([]byte, 4)},
		&expr.Cmp{Op: expr.CmpOpNeq, Register: 1, Data: make([]byte, 4)},
	}
}

func interfaceIs(key expr.MetaKey, name string) []expr.Any {
	data := make([]byte, unix.IFNAMSIZ)
	copy(data, name)
	return []expr.Any{&expr.Meta{Key: key, Register: 1}, &expr.Cmp{Op: expr.CmpOpEq, Register: 1, Data: data}}
}

func sourceWithin(p netip.Prefix) []expr.Any {
	return []expr.Any{
		&expr.Payload{DestRegister: 1, Base: expr.PayloadBaseNetworkHeader, Offset: ipv4SourceOffset, Len: 4},
		&expr.Bitwise{SourceRegister: 1, DestRegister: 1, Len: 4, Mask: net.CIDRMask(p.Bits(), 32), Xor: make([]byte, 4)},
		&expr.Cmp{Op: expr.CmpOpEq, Register: 1, Data: p.Masked().Addr().AsSlice()},
	}
}
