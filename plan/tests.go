package plan

import (
	"slices"
	"time"
)

// Test is one of the tests that a cell is put through, named as in RFC 2544 section 26.
type Test string

// The values of Test.
const (
	// Throughput searches for the goals of Search (RFC 2544 section 26.1, RFC 9971).
	Throughput Test = "throughput"
	// LossRate measures loss against load (RFC 2544 section 26.3).
	LossRate Test = "frame-loss-rate"
	// Bursts looks for the longest burst without loss (RFC 9004).
	Bursts Test = "back-to-back"
	// Recovery measures how long loss goes on after an overload (RFC 2544 section 26.5).
	Recovery Test = "system-recovery"
)

// Tests are all tests, in the order in which a cell is put through them.
func Tests() []Test { return []Test{Throughput, LossRate, Bursts, Recovery} }

// Has tells whether the plan asks for a test.
func (p Plan) Has(t Test) bool { return slices.Contains(p.Tests, t) }

// Capture keeps frames for a reader to look at.
type Capture struct {
	// Frames is how many frames of each port are kept, in a trial of their own; 0 keeps none.
	Frames int `yaml:"frames" json:"frames"`
}

// FrameLossRate says how loss is measured against load (RFC 2544 section 26.3).
type FrameLossRate struct {
	// Step is the distance of two loads as a share of the maximum load, 0.1 at most.
	Step Ratio `yaml:"step" json:"step"`
	// TrialDuration is that of each load.
	TrialDuration Duration `yaml:"trial_duration" json:"trial_duration"`
}

// BackToBack says how the longest burst without loss is looked for (RFC 9004 section 6).
type BackToBack struct {
	// Repeats is N: how many times the whole search is made.
	Repeats int `yaml:"repeats" json:"repeats"`
	// MaxFrames is the longest burst that is tried.
	MaxFrames int `yaml:"max_frames" json:"max_frames"`
	// StepFrames is the least distance of two burst lengths: the resolution of the result.
	StepFrames int `yaml:"step_frames" json:"step_frames"`
	// Verifications is how often a burst that lost frames is sent again before its loss is believed.
	Verifications int `yaml:"verifications" json:"verifications"`
	// Idle is waited between two bursts, after the last frame has arrived, so that buffers are empty.
	Idle Duration `yaml:"idle" json:"idle"`
}

// SystemRecovery says how the recovery from an overload is measured (RFC 2544 section 26.5).
type SystemRecovery struct {
	// OverloadDuration is how long 110 % of the throughput is offered.
	OverloadDuration Duration `yaml:"overload_duration" json:"overload_duration"`
	// RecoveryDuration is how long half of that is offered then.
	RecoveryDuration Duration `yaml:"recovery_duration" json:"recovery_duration"`
	// Repeats is how many times it is measured.
	Repeats int `yaml:"repeats" json:"repeats"`
}

func defaultFrameLossRate() FrameLossRate {
	return FrameLossRate{Step: 0.1, TrialDuration: Duration(time.Second)}
}

func defaultBackToBack() BackToBack {
	return BackToBack{Repeats: 5, MaxFrames: 1 << 20, StepFrames: 1, Verifications: 1, Idle: Duration(20 * time.Millisecond)}
}

func defaultSystemRecovery() SystemRecovery {
	return SystemRecovery{OverloadDuration: Duration(time.Second), RecoveryDuration: Duration(time.Second), Repeats: 3}
}

// tests checks which tests there are and what each of them is given.
func (c *checker) tests(p Plan) {
	choices := textChoices["tests"]
	listRule(c, "tests", p.Tests, "test", plainText[Test], func(path string, t Test) {
		if !slices.Contains(choices, string(t)) {
			c.add(path, "", didYouMean(string(t), choices), "%s is not known to this version", shown(string(t)))
		}
	})
	if p.Has(Recovery) && !p.Has(Throughput) {
		c.add("tests", "", "add throughput to the list", "system-recovery overloads by 110 %% of the throughput, which no test of the list measures")
	}
	c.whole("capture.frames", "capture.frames", p.Capture.Frames)
	c.share("frame_loss_rate.step", p.FrameLossRate.Step, p.FrameLossRate.Step >= 0.001 && p.FrameLossRate.Step <= 0.1, "0.1% to 10% (RFC 2544 section 26.3)")
	c.duration("frame_loss_rate.trial_duration", p.FrameLossRate.TrialDuration)
	b := p.BackToBack
	c.whole("back_to_back.repeats", "back_to_back.repeats", b.Repeats)
	c.whole("back_to_back.max_frames", "back_to_back.max_frames", b.MaxFrames)
	c.whole("back_to_back.step_frames", "back_to_back.step_frames", b.StepFrames)
	c.whole("back_to_back.verifications", "back_to_back.verifications", b.Verifications)
	c.duration("back_to_back.idle", b.Idle)
	if b.StepFrames > b.MaxFrames {
		c.add("back_to_back.step_frames", "back_to_back.max_frames", "", "%d is more than max_frames %d", b.StepFrames, b.MaxFrames)
	}
	r := p.SystemRecovery
	c.duration("system_recovery.overload_duration", r.OverloadDuration)
	c.duration("system_recovery.recovery_duration", r.RecoveryDuration)
	c.whole("system_recovery.repeats", "system_recovery.repeats", r.Repeats)
}
