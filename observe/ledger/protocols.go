package ledger

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"

	"github.com/linerate/linerate/internal/netns"
	"github.com/linerate/linerate/observe"
)

// counterKey names a counter of the kernel.
type counterKey struct{ name, device string }

// explained are the drop reasons that counters of the IP layers tell of (RFC 4293
// names the counters; where they are raised: net/ipv4/ip_input.c, ip_forward.c,
// route.c and their like in net/ipv6, Linux 6.18). A counter without reasons counts
// frames that were not lost.
var explained = map[string][]string{
	"Ip.InHdrErrors": {"IP_INHDR", "IP_CSUM", "PKT_TOO_SMALL"}, "IpExt.InCsumErrors": {"IP_CSUM"},
	"Ip.InAddrErrors": {"IP_INADDRERRORS"}, "IpExt.InNoRoutes": {"IP_INNOROUTES"}, "IpExt.InTruncatedPkts": {"PKT_TOO_SMALL"},
	"Ip.InUnknownProtos": {"IP_NOPROTO"}, "Ip.InDiscards": {"NOMEM"}, "Ip.OutDiscards": {"NEIGH_FAILED", "NOMEM"}, "Ip.OutNoRoutes": {"IP_OUTNOROUTES"},
	"Ip.FragFails": {"PKT_TOO_BIG"}, "Ip.ForwDatagrams": nil,
	"Ip6InHdrErrors": {"IP_INHDR"}, "Ip6InTooBigErrors": {"PKT_TOO_BIG"}, "Ip6InNoRoutes": {"IP_INNOROUTES"}, "Ip6InAddrErrors": {"IP_INADDRERRORS"},
	"Ip6InUnknownProtos": {"IP_NOPROTO"}, "Ip6InTruncatedPkts": {"PKT_TOO_SMALL"}, "Ip6InDiscards": {"NOMEM"}, "Ip6OutDiscards": {"NEIGH_FAILED", "NOMEM"},
	"Ip6OutNoRoutes": {"IP_OUTNOROUTES"}, "Ip6FragFails": {"PKT_TOO_BIG"}, "Ip6OutForwDatagrams": nil,
	"softnet.dropped": {"CPU_BACKLOG"}, "softnet.time_squeeze": nil,
	conntrackDrop: {"NETFILTER_DROP"}, "conntrack.insert_failed": {"NETFILTER_DROP"},
	// The entry that is evicted is of another connection; its frame is not lost.
	"conntrack.early_drop": nil, "conntrack.invalid": nil,
}

const conntrackDrop = "conntrack.drop"

// readProtocols adds the counters of a namespace's IP layers and of its connection
// tracking.
func readProtocols(ns string, tracked bool, counters map[counterKey]uint64) error {
	err := netns.Do(ns, func() error {
		for _, name := range []string{"snmp", "netstat", "snmp6"} {
			b, err := os.ReadFile("/proc/thread-self/net/" + name)
			if errors.Is(err, fs.ErrNotExist) {
				continue // a kernel without IPv6
			}
			if err == nil {
				err = addProtocols(counters, b)
			}
			if err != nil {
				return fmt.Errorf("read counters of the IP layer: %w", err)
			}
		}
		return nil
	})
	if err != nil || !tracked {
		return err
	}
	c, err := observe.ReadConntrack(ns)
	for name, n := range map[string]uint64{conntrackDrop: c.Drop, "conntrack.insert_failed": c.InsertFailed, "conntrack.early_drop": c.EarlyDrop, "conntrack.invalid": c.Invalid} {
		counters[counterKey{name: name}] += n
	}
	return err
}

// addProtocols reads both forms of these files: lines of names with lines of values
// below, both beginning with "Ip:", and lines of one name and one value.
func addProtocols(counters map[counterKey]uint64, file []byte) error {
	lines := bufio.NewScanner(bytes.NewReader(file))
	var names []string
	add := func(name, value string) error {
		if _, wanted := explained[name]; !wanted {
			return nil
		}
		n, err := strconv.ParseUint(value, 10, 64)
		counters[counterKey{name: name}] += n
		return err
	}
	for lines.Scan() {
		f := strings.Fields(lines.Text())
		switch {
		case len(f) == 2 && !strings.HasSuffix(f[0], ":"):
			if err := add(f[0], f[1]); err != nil {
				return err
			}
		case len(names) != len(f) || names[0] != f[0]:
			names = f
		default:
			for i, value := range f[1:] {
				if err := add(strings.TrimSuffix(f[0], ":")+"."+names[i+1], value); err != nil {
					return err
				}
			}
			names = nil
		}
	}
	return lines.Err()
}

// readSoftnet adds up /proc/net/softnet_stat over all CPUs: the second column are
// frames that found a CPU's backlog full, the third how often polling was broken off
// (softnet_seq_show, net/core/net-procfs.c, Linux 6.18). It is the machine's, not a namespace's.
func readSoftnet(counters map[counterKey]uint64) error {
	b, err := os.ReadFile("/proc/net/softnet_stat")
	if err != nil {
		return fmt.Errorf("read softnet counters: %w", err)
	}
	for line := range strings.Lines(string(b)) {
		f := strings.Fields(line)
		for i, name := range []string{"softnet.dropped", "softnet.time_squeeze"} {
			if len(f) < i+2 {
				return fmt.Errorf("read softnet counters: line %q has %d columns", line, len(f))
			}
			n, err := strconv.ParseUint(f[i+1], 16, 64)
			if err != nil {
				return fmt.Errorf("read softnet counters: line %q: %w", line, err)
			}
			counters[counterKey{name: name}] += n
		}
	}
	return nil
}
