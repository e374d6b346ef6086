package ledger

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/cilium/ebpf/btf"
)

// symbols are the functions of the running kernel by rising address.
type symbols []symbol

type symbol struct {
	address uint64
	name    string
}

// kernelSymbols reads /proc/kallsyms once.
var kernelSymbols = sync.OnceValues(func() (symbols, error) {
	f, err := os.Open("/proc/kallsyms")
	if err != nil {
		return nil, fmt.Errorf("read the kernel's symbols: %w", err)
	}
	defer f.Close()
	var list symbols
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		// ffffffff81dbd870 t veth_xmit	[veth]
		f := strings.Fields(lines.Text())
		if len(f) < 3 || !strings.ContainsAny(f[1], "tTwW") {
			continue
		}
		address, err := strconv.ParseUint(f[0], 16, 64)
		if err != nil {
			return nil, fmt.Errorf("read the kernel's symbols: line %q: %w", lines.Text(), err)
		}
		if address != 0 {
			list = append(list, symbol{address, f[2]})
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("read the kernel's symbols: %w", err)
	}
	if len(list) == 0 {
		return nil, errors.New("read the kernel's symbols: /proc/kallsyms shows no address; it needs root and kernel.kptr_restrict below 2")
	}
	slices.SortStableFunc(list, func(a, b symbol) int { return cmp.Compare(a.address, b.address) })
	return list, nil
})

// at names the function that an address is in, and the offset: "ip_forward+0x1a2".
func (s symbols) at(address uint64) string {
	i, found := slices.BinarySearchFunc(s, address, func(s symbol, a uint64) int { return cmp.Compare(s.address, a) })
	if !found {
		i--
	}
	if i < 0 {
		return fmt.Sprintf("%#x", address)
	}
	return fmt.Sprintf("%s+%#x", s[i].name, address-s[i].address)
}

// span is where a function begins and ends; 0, 0 if the kernel has none of that
// name. The compiler may have added a suffix, as in ".isra.0".
func (s symbols) span(name string) (from, to uint64) {
	for i, f := range s {
		if f.name != name && !strings.HasPrefix(f.name, name+".") || strings.HasSuffix(f.name, ".cold") {
			continue
		}
		for _, next := range s[i+1:] {
			if next.address > f.address {
				return f.address, next.address
			}
		}
	}
	return 0, 0
}

const reasonPrefix = "SKB_DROP_REASON_"

// dropReasons are the names of the running kernel's enum skb_drop_reason, and of
// the reasons of its modules, which are above 65535. The numbers are not stable
// between kernels.
var dropReasons = sync.OnceValues(func() (map[uint32]string, error) {
	kernel, err := btf.LoadKernelSpec()
	if err != nil {
		return nil, fmt.Errorf("read the names of drop reasons: %w", err)
	}
	names := map[uint32]string{}
	var reasons *btf.Enum
	if err := kernel.TypeByName("skb_drop_reason", &reasons); err != nil {
		return nil, fmt.Errorf("read the names of drop reasons: %w; it needs Linux 5.17", err)
	}
	addReasons(names, reasons)
	for module, name := range subsystemReasons {
		var e *btf.Enum
		if kernel.TypeByName(name, &e) == nil {
			addReasons(names, e)
		} else if spec, err := btf.LoadKernelModuleSpec(module); err == nil && spec.TypeByName(name, &e) == nil {
			addReasons(names, e)
		}
	}
	return names, nil
})

// subsystemReasons are the enums of the kernel modules that have drop reasons of
// their own (register_drop_reasons_subsys, net/core/skbuff.c, Linux 6.18).
var subsystemReasons = map[string]string{"openvswitch": "ovs_drop_reason", "mac80211": "mac80211_drop_reason"}

func addReasons(names map[uint32]string, e *btf.Enum) {
	for _, v := range e.Values {
		if _, known := names[uint32(v.Value)]; !known {
			names[uint32(v.Value)] = strings.TrimPrefix(v.Name, reasonPrefix)
		}
	}
}

func reasonName(code uint32) string {
	names, err := dropReasons()
	if name := names[code]; err == nil && name != "" {
		return name
	}
	return fmt.Sprintf("REASON_%d", code)
}
