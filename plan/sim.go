package plan

// Sim is the device of testbed sim: a preset, and what is changed of it. A field
// that is nil has the preset's value.
type Sim struct {
	// Preset is one of SimPresets; empty for linux-like.
	Preset string `yaml:"preset,omitempty" json:"preset,omitempty"`
	// CapacityPPS is what the device forwards in each direction.
	CapacityPPS *float64 `yaml:"capacity_pps,omitempty" json:"capacity_pps,omitempty"`
	// QueueFrames may wait in the device at the end of a trial.
	QueueFrames *int `yaml:"queue_frames,omitempty" json:"queue_frames,omitempty"`
	// Knee is the width of the gradual onset of loss, as a share of the capacity.
	Knee *Ratio `yaml:"knee,omitempty" json:"knee,omitempty"`
	// Jitter is the standard deviation of the capacity from second to second, as a share of it.
	Jitter *Ratio `yaml:"jitter,omitempty" json:"jitter,omitempty"`
	// BackgroundLoss is the share of frames that are lost at any load.
	BackgroundLoss *Ratio `yaml:"background_loss,omitempty" json:"background_loss,omitempty"`
	// GlitchProbability is the share of trials with a burst of loss.
	GlitchProbability *Ratio `yaml:"glitch_probability,omitempty" json:"glitch_probability,omitempty"`
	// Collapse is the capacity in frames that each frame above the capacity costs.
	Collapse *Ratio `yaml:"collapse,omitempty" json:"collapse,omitempty"`
	// MaxLoadPPS is the load that the simulated tester reaches in each direction.
	MaxLoadPPS *float64 `yaml:"max_load_pps,omitempty" json:"max_load_pps,omitempty"`
	// Seed fixes the noise: two runs with one seed have the same trials.
	Seed int64 `yaml:"seed,omitempty" json:"seed,omitempty"`
}

// SimPresets are the devices that testbed sim knows by name.
func SimPresets() []string { return textChoices["sim.preset"] }

func (c *checker) sim(s Sim) {
	if s.Preset != "" {
		c.choice("sim.preset", s.Preset)
	}
	if v := s.CapacityPPS; v != nil {
		c.load("sim.capacity_pps", *v, "above 0", *v > 0)
	}
	if v := s.MaxLoadPPS; v != nil {
		c.load("sim.max_load_pps", *v, "above 0", *v > 0)
	}
	if s.QueueFrames != nil {
		c.whole("sim.queue_frames", "sim.queue_frames", *s.QueueFrames)
	}
	for _, share := range []struct {
		name  string
		value *Ratio
		// all says that the whole, 1, is a value too.
		all bool
	}{
		{"knee", s.Knee, true}, {"jitter", s.Jitter, false}, {"background_loss", s.BackgroundLoss, false},
		{"glitch_probability", s.GlitchProbability, true}, {"collapse", s.Collapse, true},
	} {
		if share.value == nil {
			continue
		}
		v, wanted := *share.value, "at least 0 and below 1"
		if share.all {
			wanted = "0 to 1"
		}
		c.share("sim."+share.name, v, v >= 0 && (v < 1 || share.all && v == 1), wanted)
	}
}
