package kernels

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/linerate/linerate/plan"
	"github.com/linerate/linerate/result"
	"github.com/linerate/linerate/testbed/vm"
)

// TestEmulatorWithoutPlugins falls back to samples and says why, or fails if they were ruled out.
func TestEmulatorWithoutPlugins(t *testing.T) {
	dir := t.TempDir()
	script := "#!/bin/sh\necho 'qemu-system-x86_64: -plugin: invalid option' >&2\nexit 1\n"
	if err := os.WriteFile(filepath.Join(dir, vm.Emulator), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	for _, tt := range []struct {
		by, method string
		warned     bool
	}{{plan.ByEither, result.BySampling, true}, {plan.BySampling, result.BySampling, false}} {
		r := &run{options: Options{Plan: plan.Default()}}
		r.options.Plan.VM.Attribute, r.options.Plan.VM.AttributeBy = true, tt.by
		if err := r.chooseMethod(context.Background()); err != nil || r.method != tt.method {
			t.Errorf("%s: method %q, error %v, want %q", tt.by, r.method, err, tt.method)
		}
		if warned := len(r.record.Warnings) == 1 && strings.Contains(r.record.Warnings[0].Text, "-plugin: invalid option"); warned != tt.warned {
			t.Errorf("%s: warnings %+v", tt.by, r.record.Warnings)
		}
	}
	r := &run{options: Options{Plan: plan.Default()}}
	r.options.Plan.VM.Attribute, r.options.Plan.VM.AttributeBy = true, plan.ByPlugin
	if err := r.chooseMethod(context.Background()); err == nil || !strings.Contains(err.Error(), "-plugin: invalid option") {
		t.Errorf("the plugin was asked for: error %v", err)
	}
}
