package main

import (
	"bytes"
	"encoding/json"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"
	"github.com/gopacket/gopacket/pcapgo"

	"github.com/linerate/linerate/frame"
	"github.com/linerate/linerate/verify"
)

// writeCapture writes n frames of one flow; the last one has a wrong checksum if spoil is set.
func writeCapture(t *testing.T, n int, spoil bool) string {
	t.Helper()
	flow := frame.Flow{Source: netip.MustParseAddr("198.18.1.1"), Destination: netip.MustParseAddr("198.19.1.1"), SourcePort: 2000, DestinationPort: 3000}
	mac := net.HardwareAddr{2, 0, 0, 0, 0, 1}
	var b bytes.Buffer
	w, err := pcapgo.NewNgWriterInterface(&b, pcapgo.NgInterface{Name: "eth9", LinkType: layers.LinkTypeEthernet}, pcapgo.DefaultNgWriterOptions)
	if err != nil {
		t.Fatal(err)
	}
	for i := range n {
		data := frame.Build(flow, mac, mac, 64, frame.Payload{Epoch: 1, Sequence: uint32(i)})
		if spoil && i == n-1 {
			data[40] ^= 1
		}
		if err := w.WritePacket(gopacket.CaptureInfo{Timestamp: time.Unix(1, int64(i)), CaptureLength: len(data), Length: len(data)}, data); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "frames.pcapng")
	if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestVerify(t *testing.T) {
	good, bad := writeCapture(t, 5, false), writeCapture(t, 5, true)
	out, errs, code := command("verify", good)
	if code != exitMeasured || errs != "" {
		t.Fatalf("exit %d, stderr %q", code, errs)
	}
	golden(t, "verify.txt", strings.ReplaceAll(out, filepath.Dir(good)+"/", ""))
	out, errs, code = command("verify", good, bad)
	if code != exitThresholdMissed || !strings.Contains(errs, "1 of 2 captures did not pass") || !strings.Contains(out, "frame 5: 0x") {
		t.Errorf("exit %d, stderr %q, stdout:\n%s", code, errs, out)
	}
	out, _, code = command("verify", "--json", bad)
	var reports []verify.Report
	if err := json.Unmarshal([]byte(out), &reports); err != nil || code != exitThresholdMissed || len(reports) != 1 || reports[0].Sizes[0].FrameBytes != 64 {
		t.Errorf("exit %d, %v:\n%s", code, err, out)
	}
	if _, _, code := command("verify", "--frame-size", "128", good); code != exitThresholdMissed {
		t.Errorf("a wanted size that no frame has: exit %d", code)
	}
	if _, _, code := command("verify", writeCapture(t, 0, false)); code != exitThresholdMissed {
		t.Errorf("an empty capture: exit %d", code)
	}
	for _, args := range [][]string{{"verify"}, {"verify", "/nowhere"}, {"verify", "verify_test.go"}, {"verify", "--frame-size", "x", good}} {
		if _, errs, code := command(args...); code != exitBadPlan || errs == "" {
			t.Errorf("%v: exit %d, stderr %q", args, code, errs)
		}
	}
}

// TestCaptureFlagSetsTheField, wherever it stands among the --set.
func TestCaptureFlagSetsTheField(t *testing.T) {
	for _, args := range [][]string{
		{"bench", "--dry-run", "--capture", "5", "--set", "traffic.flows=7"},
		{"bench", "--dry-run", "--set", "traffic.flows=7", "--capture", "5"},
	} {
		if out, errs, code := command(args...); code != exitMeasured || !strings.Contains(out, "capture: 5 frames of each port") || !strings.Contains(out, "7 flows") {
			t.Errorf("%v: exit %d, stderr %q, stdout:\n%s", args, code, errs, out)
		}
	}
	if _, errs, code := command("bench", "--dry-run", "--capture", "x"); code != exitBadPlan || !strings.Contains(errs, "capture.frames") {
		t.Errorf("exit %d, %q", code, errs)
	}
}
