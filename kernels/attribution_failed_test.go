package kernels

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/linerate/linerate/kernels/guest"
	"github.com/linerate/linerate/result"
)

func packed(t *testing.T, p guest.Profile) []byte {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if err := json.NewEncoder(w).Encode(p); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func newStore(t *testing.T, dir string) *result.Store {
	t.Helper()
	store, err := result.Create(dir, &result.Run{Schema: result.SchemaV1, ID: "x"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	return store
}

// TestCountsStandWithoutAttribution: a kernel whose counts are complete stays measured, whatever
// came of its samples.
func TestCountsStandWithoutAttribution(t *testing.T) {
	sound := packed(t, guest.Profile{Packets: 1, Samples: 1, Names: []string{"ip_forward"}, Stacks: [][]int{{0}}, Counts: [][]int{{1}}})
	for _, tt := range []struct {
		name          string
		measured      guest.Measured
		full          bool
		ofCell, ofRun string
		attributed    bool
	}{
		{name: "no samples", measured: guest.Measured{Profile: packed(t, guest.Profile{})}, ofCell: "no sample was taken"},
		{name: "no perf events", measured: guest.Measured{ProfileFailure: "sample the CPU: function not implemented"}, ofCell: "function not implemented"},
		{name: "damaged", measured: guest.Measured{Profile: []byte("x")}, ofRun: "k: read the samples: "},
		{name: "disk", measured: guest.Measured{Profile: sound}, full: true, ofRun: "k: read the samples: ", attributed: true},
		{name: "sound", measured: guest.Measured{Profile: sound}, attributed: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			store := newStore(t, dir)
			if tt.full { // a file where the folder would be
				if err := os.WriteFile(filepath.Join(dir, "profiles"), nil, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			r := &run{store: store, method: result.BySampling}
			cells := []result.Cell{counted("k", 6000)}
			tt.measured.Cell = guest.Cell{Scenario: "route", Flows: 1, FrameSize: 64}
			if err := r.attributeKernel(context.Background(), "k", request{}, cells, boot{Cells: []guest.Measured{tt.measured}}); err != nil {
				t.Fatal(err)
			}
			for _, w := range []struct {
				list []result.Warning
				want string
			}{{cells[0].Warnings, tt.ofCell}, {r.record.Warnings, tt.ofRun}} {
				if w.want == "" && len(w.list) > 0 || w.want != "" && (len(w.list) != 1 || w.list[0].Code != "attribution-failed" || !strings.Contains(w.list[0].Text, w.want)) {
					t.Errorf("warnings %+v, want %q", w.list, w.want)
				}
			}
			if (cells[0].Attribution != nil) != tt.attributed || cells[0].Skipped != "" || cells[0].InstructionsPerPacket == nil {
				t.Errorf("cell %+v", cells[0])
			}
		})
	}
}
