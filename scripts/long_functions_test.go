package scripts_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// function is gofmt's form of a function with that many lines, its braces included.
func function(name string, lines int) string {
	return "func " + name + "() {\n" + strings.Repeat("\tprintln()\n", lines-2) + "}\n\n"
}

func TestLongFunctions(t *testing.T) {
	const head = "package p\n\n"
	tests := []struct {
		name, source string
		want         []string
	}{
		{"at the limit", head + function("a", 80), nil},
		{"above the limit", head + function("a", 81), []string{"f.go:3: 81 lines", "func a()"}},
		{"one of three", head + function("a", 80) + function("b", 81) + function("c", 3), []string{"f.go:84: 81 lines", "func b()"}},
		{"a method after a short function", head + "func a() {}\n\n" + strings.Replace(function("b", 90), "func ", "func (x T) ", 1), []string{"f.go:5: 90 lines", "func (x T) b()"}},
		{"a one-line function before a long type", head + "func a() int { return 1 }\n\ntype t struct {\n" + strings.Repeat("\t_ int\n", 100) + "}\n", nil},
		{"a long argument list", head + "func a(\n" + strings.Repeat("\t_ int,\n", 80) + ") {\n}\n", []string{"f.go:3: 83 lines"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "f.go")
			if err := os.WriteFile(file, []byte(tt.source), 0o644); err != nil {
				t.Fatal(err)
			}
			out, err := exec.Command("awk", "-v", "max=80", "-f", "long-functions.awk", file).CombinedOutput()
			if failed := err != nil; failed != (tt.want != nil) {
				t.Errorf("failed: %v (%v), said %q", failed, err, out)
			}
			if n := strings.Count(string(out), "\n"); n != min(1, len(tt.want)) {
				t.Errorf("%d functions named:\n%s", n, out)
			}
			for _, w := range tt.want {
				if !strings.Contains(string(out), w) {
					t.Errorf("it does not say %q: %s", w, out)
				}
			}
		})
	}
}
