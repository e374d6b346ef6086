package docs_test

import (
	"encoding/binary"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/linerate/linerate/frame"
	"github.com/linerate/linerate/plan"
)

func TestMethodsFrameLayout(t *testing.T) {
	p := frame.Payload{Epoch: 0x1234, Flow: 0x56789abc, Sequence: 0x01020304, SentNS: 0x0a0b0c0d}
	flows := []frame.Flow{
		{Source: netip.MustParseAddr("198.18.1.7"), Destination: netip.MustParseAddr("198.19.1.9")},
		{Source: netip.MustParseAddr("2001:2:0:1::7"), Destination: netip.MustParseAddr("2001:2:0:8001::9")},
	}
	source, destination := net.HardwareAddr{2, 0, 0, 0, 0, 1}, net.HardwareAddr{2, 0, 0, 0, 0, 2}
	little := func(v uint32) []byte { return binary.LittleEndian.AppendUint32(nil, v) }
	rows := table(t, "docs/methods.md", "## The test frame")
	for i, f := range flows {
		f.SourcePort, f.DestinationPort = 0x4321, 0x0877
		b := frame.Build(f, source, destination, frame.MinSizeBytes(f.IPVersion()), p)
		udpLength := len(b) - frame.EthernetBytes - []int{frame.IPv4Bytes, frame.IPv6Bytes}[i]
		for field, want := range map[string][]byte{
			"destination MAC":                destination,
			"source MAC":                     source,
			"EtherType":                      [][]byte{{0x08, 0x00}, {0x86, 0xdd}}[i],
			"source and destination address": append(f.Source.AsSlice(), f.Destination.AsSlice()...),
			"source and destination port":    {0x43, 0x21, 0x08, 0x77},
			"UDP length and checksum":        {byte(udpLength >> 8), byte(udpLength)},
			"epoch":                          {0x34, 0x12},
			"signature":                      []byte("LTR1"),
			"flow":                           little(p.Flow),
			"sequence":                       little(p.Sequence),
			"time stamp":                     little(p.SentNS),
		} {
			at := slices.IndexFunc(rows, func(r []string) bool { return r[2] == field })
			if at < 0 {
				t.Errorf("docs/methods.md does not say where %s is in a test frame", field)
				continue
			}
			first, last, _ := strings.Cut(rows[at][i], "-")
			from, _ := strconv.Atoi(first)
			to, err := strconv.Atoi(last)
			if err != nil || to >= len(b) || from > to || !strings.HasPrefix(string(b[from:to+1]), string(want)) {
				t.Errorf("docs/methods.md: IPv%d %s is in bytes %s; the frame has % x there, not % x", f.IPVersion(), field, rows[at][i], b[min(from, len(b)):], want)
			}
		}
		padding := rows[len(rows)-1]
		if want := fmt.Sprintf("%d-", len(b)); padding[2] != "padding" || padding[i] != want {
			t.Errorf("docs/methods.md: padding of IPv%d begins at %q, and the payload ends before %s", f.IPVersion(), padding[i], want)
		}
	}
}

func TestMethodsDefaultGoals(t *testing.T) {
	rows := table(t, "docs/methods.md", "## Search: MLRsearch (RFC 9971)")
	goals := plan.DefaultGoals()
	if len(rows) != len(goals) {
		t.Fatalf("docs/methods.md has %d default goals, plan.DefaultGoals %d", len(rows), len(goals))
	}
	percent := func(r plan.Ratio) string {
		if r == 0 {
			return "0"
		}
		return fmt.Sprintf("%g %%", float64(r)*100)
	}
	seconds := func(d plan.Duration) string { return fmt.Sprintf("%g s", time.Duration(d).Seconds()) }
	for i, g := range goals {
		want := []string{g.Name, percent(g.LossRatio), fmt.Sprintf("%g", float64(g.ExceedRatio)), seconds(g.TrialDuration), seconds(g.DurationSum), percent(g.Width)}
		if !slices.Equal(rows[i], want) {
			t.Errorf("docs/methods.md says of a default goal %q, plan.DefaultGoals %q", rows[i], want)
		}
	}
}
