package observe

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/linerate/linerate/internal/netns"
	"github.com/linerate/linerate/result"
)

// ReadConntrack reads the connection tracking counters of a namespace. Counters
// grow for as long as the namespace lives; Entries and Max are as they stand.
func ReadConntrack(ns string) (c result.Conntrack, err error) {
	err = netns.Do(ns, func() error {
		for key, v := range map[string]*uint64{"nf_conntrack_count": &c.Entries, "nf_conntrack_max": &c.Max} {
			b, err := os.ReadFile("/proc/sys/net/netfilter/" + key)
			if err != nil {
				return fmt.Errorf("read %s: %w", key, err)
			}
			if *v, err = strconv.ParseUint(strings.TrimSpace(string(b)), 10, 64); err != nil {
				return fmt.Errorf("read %s: %w", key, err)
			}
		}
		b, err := os.ReadFile("/proc/thread-self/net/stat/nf_conntrack")
		if err != nil {
			return fmt.Errorf("read conntrack counters: %w", err)
		}
		return addConntrackStat(&c, b)
	})
	return c, err
}

// addConntrackStat adds up the rows of all CPUs; the first line names the columns,
// the values are hexadecimal.
func addConntrackStat(c *result.Conntrack, stat []byte) error {
	lines := bufio.NewScanner(bytes.NewReader(stat))
	var names []string
	for lines.Scan() {
		f := strings.Fields(lines.Text())
		if names == nil {
			names = f
			continue
		}
		for i, text := range f {
			if i >= len(names) {
				break
			}
			n, err := strconv.ParseUint(text, 16, 64)
			if err != nil {
				return fmt.Errorf("read conntrack counters: %q: %w", lines.Text(), err)
			}
			switch names[i] {
			case "insert_failed":
				c.InsertFailed += n
			case "drop":
				c.Drop += n
			case "early_drop":
				c.EarlyDrop += n
			case "invalid":
				c.Invalid += n
			}
		}
	}
	return nil
}

// ConntrackSince is the growth of the counters, with entries and maximum as they stand.
func ConntrackSince(before, now result.Conntrack) *result.Conntrack {
	now.InsertFailed -= before.InsertFailed
	now.Drop -= before.Drop
	now.EarlyDrop -= before.EarlyDrop
	now.Invalid -= before.Invalid
	return &now
}
