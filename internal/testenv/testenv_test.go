package testenv

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
)

// recorder is a testing.TB that remembers a skip or a failure and goes on.
type recorder struct {
	testing.TB
	skipped, failed string
}

func (r *recorder) Helper()                   {}
func (r *recorder) Skipf(f string, a ...any)  { r.skipped = fmt.Sprintf(f, a...) }
func (r *recorder) Fatalf(f string, a ...any) { r.failed = fmt.Sprintf(f, a...) }

func TestNeed(t *testing.T) {
	missing := errors.New("nft: executable file not found")
	tests := []struct {
		name, requireAll  string
		err               error
		skipped, failedOn bool
	}{
		{"present", "", nil, false, false},
		{"present and required", "1", nil, false, false},
		{"missing", "", missing, true, false},
		{"missing and required", "1", missing, false, true},
		{"another value does not require", "0", missing, true, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Setenv(RequireAll, tt.requireAll)
			r := &recorder{TB: t}
			Need(r, "nftables", tt.err)
			if (r.skipped != "") != tt.skipped || (r.failed != "") != tt.failedOn {
				t.Fatalf("skipped %q, failed %q", r.skipped, r.failed)
			}
			if said := r.skipped + r.failed; tt.err != nil &&
				(!strings.Contains(said, "nftables") || !strings.Contains(said, tt.err.Error())) {
				t.Errorf("%q names neither the capability nor the reason", said)
			}
		})
	}
}

func TestNeedRoot(t *testing.T) {
	t.Setenv(RequireAll, "")
	r := &recorder{TB: t}
	NeedRoot(r)
	if root := os.Geteuid() == 0; root == (r.skipped != "") {
		t.Errorf("running as root is %v, but skipped says %q", root, r.skipped)
	}
	if err := rootError(1000); err == nil || !strings.Contains(err.Error(), "1000") {
		t.Errorf("user 1000: %v", err)
	}
	if err := rootError(0); err != nil {
		t.Errorf("user 0: %v", err)
	}
}
