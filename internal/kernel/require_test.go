package kernel

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/linerate/linerate/internal/testenv"
)

const askRequire = "LINERATE_TEST_ASK_REQUIRE"

// TestMain lets the test program be its own child without root.
func TestMain(m *testing.M) {
	if os.Getenv(askRequire) == "1" {
		fmt.Print(Require())
		return
	}
	os.Exit(m.Run())
}

func TestRequire(t *testing.T) {
	testenv.NeedRoot(t)
	if err := Require(); err != nil {
		var missing *MissingError
		if !errors.As(err, &missing) {
			t.Fatalf("%v is a %T", err, err)
		}
		testenv.Need(t, "a machine that can measure", err)
	}
}

func TestRequireWithoutRoot(t *testing.T) {
	testenv.NeedRoot(t)
	const nobody = 65534
	child := exec.Command("/proc/self/exe")
	child.Env = append(os.Environ(), askRequire+"=1")
	child.Dir = "/"
	child.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	out, err := child.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	said := string(out)
	for _, want := range []string{"no root", "65534", "sudo"} {
		if !strings.Contains(said, want) {
			t.Errorf("does not say %q:\n%s", want, said)
		}
	}
	// A kernel that has them must not be said to lack them because they could not be tried.
	if strings.Contains(said, LiveFrames.Name) {
		if _, err := LiveFrames.Try(); err == nil {
			t.Errorf("blames the kernel for what only root may try:\n%s", said)
		}
	}
}

func TestMissingErrorNamesEverything(t *testing.T) {
	lacks := func(name, reason string) Feature {
		return Feature{Name: name, Cost: "cost of " + name, Fix: "fix of " + name, try: func() (string, error) { return "", errors.New(reason) }}
	}
	present := Feature{Name: "present", try: func() (string, error) { return "seen", nil }}
	err := &MissingError{Missing: lackingOf([]Feature{lacks("first", "reason one"), present, lacks("second", "reason two")})}
	for _, want := range []string{"no first, no second", "reason one", "cost of first", "fix of first", "reason two", "cost of second", "fix of second"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("does not say %q:\n%v", want, err)
		}
	}
	if strings.Contains(err.Error(), "present") {
		t.Errorf("names what is there:\n%v", err)
	}
}
