package vm

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestLibraries holds what is collected for a program to what its interpreter says it loads.
func TestLibraries(t *testing.T) {
	program, err := exec.LookPath("ls")
	if err != nil {
		t.Skip(err)
	}
	out, err := exec.Command("ldd", program).Output()
	if err != nil {
		t.Skipf("ldd: %v", err)
	}
	files := map[string][]byte{}
	if err := Libraries(program, "/there", files); err != nil {
		t.Fatal(err)
	}
	found := 0
	for line := range strings.Lines(string(out)) {
		fields := strings.Fields(line)
		switch {
		case strings.HasPrefix(fields[0], "/"): // the interpreter
			found++
			if files[fields[0]] == nil {
				t.Errorf("the interpreter %s was not collected", fields[0])
			}
		case len(fields) > 2 && fields[1] == "=>":
			found++
			want, err := os.ReadFile(fields[2])
			if err != nil {
				t.Fatal(err)
			}
			if got := files[filepath.Join("/there", fields[0])]; string(got) != string(want) {
				t.Errorf("%s: collected %d bytes, and the interpreter loads %d", fields[0], len(got), len(want))
			}
		}
	}
	if found < 2 || len(files) < found {
		t.Errorf("collected %d files of %d that ldd names", len(files), found)
	}
}

func TestLibrariesOfNoProgram(t *testing.T) {
	text := filepath.Join(t.TempDir(), "text")
	if err := os.WriteFile(text, []byte("text"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := Libraries(text, "/there", map[string][]byte{}); err == nil || !strings.Contains(err.Error(), "collect the libraries of "+text) {
		t.Errorf("error %v, want one that names the file", err)
	}
}
