package attribution

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"sort"
	"strconv"
	"strings"
)

// Symbols are the functions of a kernel, its modules and its BPF programs by address.
type Symbols struct{ list []symbol }

type symbol struct {
	at   uint64
	name string
}

// Unknown is the name of an address that no function is known at, User that of code in
// user mode.
const (
	Unknown = "[unknown]"
	User    = "[user]"
)

// mostFunctionBytes bounds a function: what lies farther behind a symbol has none.
const mostFunctionBytes = 1 << 20

// ReadSymbols reads the text of /proc/kallsyms, whose addresses are zero for who may not
// see them.
func ReadSymbols(r io.Reader) (*Symbols, error) {
	s := &Symbols{}
	lines := bufio.NewScanner(r)
	for lines.Scan() {
		fields := strings.Fields(lines.Text())
		// __pfx_ is the padding before a function, at most one byte before it.
		if len(fields) < 3 || !strings.Contains("tTwW", fields[1]) || strings.HasPrefix(fields[2], "__pfx_") {
			continue
		}
		at, err := strconv.ParseUint(fields[0], 16, 64)
		if err != nil || at == 0 {
			continue
		}
		s.list = append(s.list, symbol{at, strings.Join(fields[2:], " ")})
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("read the kernel's symbols: %w", err)
	}
	if len(s.list) == 0 {
		return nil, errors.New("read the kernel's symbols: /proc/kallsyms shows no address: root, kernel.kptr_restrict of at most 1 and CONFIG_KALLSYMS are needed")
	}
	sort.SliceStable(s.list, func(i, j int) bool { return s.list[i].at < s.list[j].at })
	return s, nil
}

// At is the function that holds an address, with its module as in /proc/kallsyms:
// "br_forward [bridge]".
func (s *Symbols) At(ip uint64) string {
	i := sort.Search(len(s.list), func(i int) bool { return s.list[i].at > ip })
	if i == 0 || ip-s.list[i-1].at > mostFunctionBytes {
		return Unknown
	}
	// Of names for one address the first is taken, always the same.
	for i > 1 && s.list[i-2].at == s.list[i-1].at {
		i--
	}
	return s.list[i-1].name
}
