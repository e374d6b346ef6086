package generator_test

import (
	"os"
	"regexp"
	"strconv"
	"testing"

	"github.com/linerate/linerate/frame"
	"github.com/linerate/linerate/generator"
)

// TestGoAndHeaderAgree reads the constants that BPF programs take from
// frame/testframe.h and compares them with Go's.
func TestGoAndHeaderAgree(t *testing.T) {
	header, err := os.ReadFile("../frame/testframe.h")
	if err != nil {
		t.Fatal(err)
	}
	defined := map[string]uint64{}
	for _, m := range regexp.MustCompile(`(?m)^#define ([A-Z_]+) (0x[0-9a-f]+|[0-9]+)\b`).FindAllStringSubmatch(string(header), -1) {
		if defined[m[1]], err = strconv.ParseUint(m[2], 0, 64); err != nil {
			t.Fatal(err)
		}
	}
	subBits := defined["HISTOGRAM_SUB_BITS"]
	for _, c := range []struct {
		name    string
		c, inGo uint64
	}{
		{"TEST_MAGIC", defined["TEST_MAGIC"], uint64(frame.Magic)},
		{"MAX_SIZES", defined["MAX_SIZES"], frame.MaxSizes},
		{"TIME_SHIFT", defined["TIME_SHIFT"], generator.TimeShift},
		{"HISTOGRAM_BUCKETS by HISTOGRAM_SUB_BITS", (32 - subBits + 1) << subBits, frame.HistogramBuckets},
	} {
		if c.c != c.inGo {
			t.Errorf("%s is %d in testframe.h and %d in Go", c.name, c.c, c.inGo)
		}
	}
}
