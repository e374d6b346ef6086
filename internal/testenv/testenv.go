// Package testenv decides what a test does when the machine lacks something
// that the test needs: it skips and says why, or fails where everything must be there.
package testenv

import (
	"fmt"
	"os"
	"testing"
)

// RequireAll is the environment variable that turns every skip into a failure
// when its value is "1", so that a complete test machine cannot pass by skipping.
const RequireAll = "LINERATE_REQUIRE_ALL"

// Need skips the test when err is not nil, naming the capability and the
// reason; with LINERATE_REQUIRE_ALL=1 it fails the test instead.
func Need(t testing.TB, capability string, err error) {
	t.Helper()
	if err == nil {
		return
	}
	if os.Getenv(RequireAll) == "1" {
		t.Fatalf("this test needs %s, and %s=1 forbids skipping it: %v", capability, RequireAll, err)
		return
	}
	t.Skipf("this test needs %s: %v", capability, err)
}

// NeedRoot is Need for an effective user ID of 0.
func NeedRoot(t testing.TB) {
	t.Helper()
	Need(t, "root", rootError(os.Geteuid()))
}

func rootError(euid int) error {
	if euid == 0 {
		return nil
	}
	return fmt.Errorf("effective user ID is %d: run the test with sudo", euid)
}
