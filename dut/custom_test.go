package dut

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/linerate/linerate/plan"
)

func customOf(t *testing.T, setup, teardown []string) (s Scenario, log string) {
	t.Helper()
	s = scenarioOf("custom", 4, 7, namespace(t))
	log = filepath.Join(t.TempDir(), "log")
	s.Plan.Custom.Setup, s.Plan.Custom.Teardown = setup, teardown
	for _, commands := range [][]string{setup, teardown} {
		for i := range commands {
			commands[i] = strings.ReplaceAll(commands[i], "LOG", log)
		}
	}
	return s, log
}

func logged(t *testing.T, log string) string {
	t.Helper()
	text, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestCustomCommands runs commands with every variable, in the namespace, in order.
func TestCustomCommands(t *testing.T) {
	s, log := customOf(t,
		[]string{"echo $NETNS $IP_VERSION $FLOWS $FRAME_SIZE $DIRECTIONS >> LOG", "echo $DUT_A $DUT_IP4_A $TESTER_IP4_A $NET4_A $TESTER_MAC_A >> LOG",
			"echo $DUT_B $DUT_IP6_B $TESTER_IP6_B $NET6_B $TESTER_MAC_B >> LOG", "ip -br link show $DUT_A | cut -d@ -f1 >> LOG"},
		[]string{"echo down 1 >> LOG", "echo down 2 >> LOG"})
	applyOnce(t, s, func() {})
	want := s.DUT.Netns + ` 4 7 84 uni
da 198.18.0.1/24 198.18.0.2 198.18.0.0/16 02:00:5e:10:00:0a
db 2001:2:0:8000::1/64 2001:2:0:8000::2 2001:2:0:8000::/49 02:00:5e:10:00:0d
da
down 1
down 2
`
	if got := logged(t, log); got != want {
		t.Errorf("the commands wrote\n%s\nwant\n%s", got, want)
	}
}

// TestCustomSetupFails tears down what the set-up began, and ends what it left running.
func TestCustomSetupFails(t *testing.T) {
	for _, tt := range []struct {
		name, command, says string
	}{
		{"exit code", "echo no such device >&2; exit 3", "exit status 3: no such device"},
		{"no end", "echo waiting; sleep 1000", "it had not ended after 0.3 s and was killed: waiting"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, log := customOf(t, []string{"sleep 1000 & echo $! > LOG", tt.command, "echo never >> LOG"}, []string{"echo down >> LOG"})
			s.Plan.Custom.Timeout = plan.Duration(300 * time.Millisecond)
			steps, err := s.Steps()
			if err != nil {
				t.Fatal(err)
			}
			_, err = Apply(steps, openJournal(t))
			checkRefused(t, err, tt.says)
			lines := strings.Fields(logged(t, log))
			if len(lines) != 2 || lines[1] != "down" {
				t.Fatalf("the commands wrote %q, want a process and down", lines)
			}
			if state, err := os.ReadFile("/proc/" + lines[0] + "/stat"); err == nil && !strings.Contains(string(state), ") Z ") {
				t.Errorf("process %s still runs: %s", lines[0], state)
			}
		})
	}
}
