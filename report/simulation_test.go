package report

import (
	"strings"
	"testing"

	"github.com/linerate/linerate/result"
)

// simulatedFixture is the run of the fixture as if it were a simulation.
func simulatedFixture() (*result.Run, []result.Trial) {
	run, trials := fixture()
	run.Plan.Testbed, run.Testbed.Kind = "sim", "sim"
	run.Sim = &result.Sim{Preset: "queue", CapacityPPS: 1.23e6, QueueFrames: 4096, MaxLoadPPS: 14.88e6, Seed: 7, Truth: result.Truth{NDRPPS: new(1.234e6), PDRPPS: new(1.2402e6)}}
	return run, trials
}

// No format of a simulation may pass for a measurement, and its head says so.
func TestEveryReportOfASimulationSaysSo(t *testing.T) {
	run, trials := simulatedFixture()
	measured, _ := fixture()
	for _, format := range Formats() {
		w, err := For(format)
		if err != nil {
			t.Fatal(err)
		}
		text := string(written(t, w, run, trials))
		plain := string(written(t, w, measured, trials))
		head := text[:min(len(text), 1500)]
		want := map[string][]string{
			"text":     {"linerate: linux-router (simulation)", "SIMULATION: no frame was sent", "preset queue, with capacity 1.230 Mpps and queue of 4,096 frames; seed 7", "NDR 1.234 Mpps"},
			"markdown": {"# linerate: linux-router (simulation)", "SIMULATION: no frame was sent"},
			"csv":      {",testbed\n"},
			"json":     {},
			"html":     {"<title>linerate: linux-router (simulation)</title>"},
		}[format]
		for _, s := range want {
			if !strings.Contains(head, s) {
				t.Errorf("the head of the %s report does not say %q:\n%s", format, s, head)
			}
		}
		marks := map[string]string{"csv": ",sim\n", "json": `"SIMULATION: no frame was sent`, "html": `<p class="problem" role="alert">SIMULATION: no frame was sent`}
		if mark := marks[format]; !strings.Contains(text, mark) || mark != "" && strings.Contains(plain, mark) {
			t.Errorf("the %s report does not tell a simulation by %q", format, mark)
		}
		for _, answer := range []string{"10 Gbit/s with 64-byte frames", "The limit is the device itself"} {
			if strings.Contains(text, answer) {
				t.Errorf("the %s report of a simulation answers for a device: %q", format, answer)
			}
		}
		if strings.Contains(strings.ToLower(plain), "simulation") {
			t.Errorf("the %s report of a measurement speaks of a simulation", format)
		}
	}
}

func TestSimulationWithoutNDR(t *testing.T) {
	run, trials := simulatedFixture()
	run.Sim.BackgroundLoss, run.Sim.Truth.NDRPPS = 1e-5, nil
	said := strings.Join(headline(digestOf(run, trials)), " ")
	if !strings.Contains(said, "NDR not defined, for frames are lost at any load; PDR 1.240 Mpps") || !strings.Contains(said, "background loss of") {
		t.Error(said)
	}
}
