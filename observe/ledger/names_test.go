package ledger

import (
	"strings"
	"testing"

	"github.com/linerate/linerate/internal/testenv"
)

func TestSymbols(t *testing.T) {
	s := symbols{{0x1000, "ip_rcv"}, {0x1100, "ip_forward"}, {0x1200, "veth_xdp_rcv_skb.isra.0.cold"}, {0x1300, "veth_xdp_rcv_skb.isra.0"}, {0x1400, "veth_poll"}}
	for address, want := range map[uint64]string{0xfff: "0xfff", 0x1000: "ip_rcv+0x0", 0x10ff: "ip_rcv+0xff", 0x1123: "ip_forward+0x23", 0x2000: "veth_poll+0xc00"} {
		if got := s.at(address); got != want {
			t.Errorf("%#x is %s, want %s", address, got, want)
		}
	}
	if from, to := s.span("veth_xdp_rcv_skb"); from != 0x1300 || to != 0x1400 {
		t.Errorf("the function is %#x to %#x, want 0x1300 to 0x1400", from, to)
	}
	if from, to := s.span("veth_xdp"); from != 0 || to != 0 {
		t.Errorf("a name that is only the beginning of a function's is %#x to %#x", from, to)
	}
}

// TestNamesOfThisKernel reads the running kernel's own names.
func TestNamesOfThisKernel(t *testing.T) {
	testenv.NeedRoot(t)
	names, err := dropReasons()
	testenv.Need(t, "BTF of the running kernel", err)
	found := map[string]bool{}
	for _, name := range names {
		if strings.HasPrefix(name, reasonPrefix) {
			t.Errorf("%s still has its prefix", name)
		}
		found[name] = true
	}
	for _, want := range []string{"NOT_SPECIFIED", "NETFILTER_DROP", "IP_CSUM", "IP_INHDR", "QDISC_DROP"} {
		if !found[want] {
			t.Errorf("this kernel's drop reasons lack %s", want)
		}
	}
	if got := reasonName(0xffff_fffe); got != "REASON_4294967294" {
		t.Errorf("a reason that does not exist is %s", got)
	}
	list, err := kernelSymbols()
	if err != nil {
		t.Fatal(err)
	}
	from, to := list.span("ip_forward")
	if from == 0 || to <= from || list.at(from+1) != "ip_forward+0x1" {
		t.Errorf("ip_forward is %#x to %#x, its second byte %s", from, to, list.at(from+1))
	}
}
