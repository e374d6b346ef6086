package vm

import (
	"encoding/binary"
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"
)

func packed(values ...uint64) []byte {
	var b []byte
	for _, v := range values {
		b = binary.NativeEndian.AppendUint64(b, v)
	}
	return b
}

func TestWindows(t *testing.T) {
	kernel := uint64(0xffffffff81000000)
	got, err := parseWindows(packed(0, 2, 0, 7, kernel, 3, 1, 0, 2, 1, kernel, 5))
	want := []Window{{0: 7, kernel: 3}, {}, {kernel: 5}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%v, error %v, want %v", got, err, want)
	}
	for name, data := range map[string][]byte{
		"a window is missing":  packed(1, 0),
		"addresses are cut":    packed(0, 2, kernel, 3),
		"the heading is cut":   packed(0),
		"a number is not real": packed(0, 1<<60, kernel, 3),
	} {
		if w, err := parseWindows(data); err == nil {
			t.Errorf("%s: %v", name, w)
		}
	}
}

// TestMarksOfPluginAndGuestAgree compares what is compiled into two programs.
func TestMarksOfPluginAndGuestAgree(t *testing.T) {
	plugin, err := os.ReadFile("counter.c")
	if err != nil {
		t.Fatal(err)
	}
	guest, err := os.ReadFile("../../kernels/guest/emulator_amd64.s")
	if err != nil {
		t.Fatal(err)
	}
	marks := regexp.MustCompile(`MARK_(ARM|BEGIN|END) = (0x[0-9a-f]+)`).FindAllStringSubmatch(string(plugin), -1)
	if len(marks) != 3 {
		t.Fatalf("marks of the plugin: %v", marks)
	}
	for _, m := range marks {
		name := m[1][:1] + strings.ToLower(m[1][1:])
		stub := regexp.MustCompile(`TEXT ·mark` + name + `\(SB\), NOSPLIT, \$0-0\n\tBYTE \$0x0f; BYTE \$0x1f; BYTE \$0x80; LONG \$` + m[2] + `\n\tRET`)
		if !stub.Match(guest) {
			t.Errorf("the guest's mark%s is not %s of the plugin", name, m[2])
		}
	}
}
