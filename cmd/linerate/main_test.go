package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

var update = flag.Bool("update", false, "write the golden files anew")

// scriptedDisplay makes the test binary show a scripted run, for a test that looks at a terminal.
const scriptedDisplay = "LINERATE_TEST_DISPLAY"

func TestMain(m *testing.M) {
	if os.Getenv(scriptedDisplay) != "" {
		showScript(os.Stderr)
		return
	}
	code := m.Run()
	if built.dir != "" {
		os.RemoveAll(built.dir)
	}
	os.Exit(code)
}

// command runs linerate in this process.
func command(args ...string) (stdout, stderr string, code int) {
	var out, errs bytes.Buffer
	code = execute(args, &out, &errs)
	return out.String(), errs.String(), code
}

// golden compares got with testdata/name.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	g, w := strings.Split(got, "\n"), strings.Split(string(want), "\n")
	for i := range min(len(g), len(w)) {
		if g[i] != w[i] {
			t.Fatalf("%s differs in line %d:\n got %q\nwant %q\nrun 'go test ./cmd/linerate -update' and review the change", path, i+1, g[i], w[i])
		}
	}
	if len(g) != len(w) {
		t.Fatalf("%s has %d lines, got %d", path, len(w), len(g))
	}
}

// built is the binary that the tests of whole runs start.
var built struct {
	sync.Once
	dir, path string
	err       error
}

// builtBinary builds linerate once, where every user may start it.
func builtBinary(t *testing.T) string {
	t.Helper()
	built.Do(func() {
		if built.dir, built.err = os.MkdirTemp("", "linerate-test-"); built.err != nil {
			return
		}
		if built.err = os.Chmod(built.dir, 0o755); built.err != nil {
			return
		}
		built.path = filepath.Join(built.dir, "linerate")
		build := exec.Command("go", "build", "-ldflags", "-X main.version=v1.2.3-test", "-o", built.path, ".")
		build.Env = append(os.Environ(), "CGO_ENABLED=0")
		if out, err := build.CombinedOutput(); err != nil {
			built.err = fmt.Errorf("%w\n%s", err, out)
		}
	})
	if built.err != nil {
		t.Fatal(built.err)
	}
	return built.path
}
