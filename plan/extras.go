package plan

// extra is what a plan may ask for in each cell besides its tests, in trials of its own.
type extra struct {
	on   bool
	path string
	what string
}

func (p Plan) extras() []extra {
	return []extra{
		{p.Cost.Enabled, "cost.enabled", "where the CPU time of a packet goes"},
		{p.Capture.Frames > 0, "capture.frames", "a capture"},
	}
}

// extras refuses what would not be done: the measurements of a comparison or a sweep and those of
// kernels have no trials besides, and an engine that cannot be paced none at a load.
func (c *checker) extras(p Plan) {
	engine, _ := EngineNamed(p.Traffic.Engine)
	for _, e := range p.extras() {
		if !e.on {
			continue
		}
		for _, other := range []struct {
			on   bool
			path string
		}{{p.AB.On(), "ab"}, {p.Sweep.On(), "sweep"}} {
			if other.on {
				c.add(e.path, other.path, "leave one of them out, and take it by a run of its own", "%s is not taken in the short measurements of %s", e.what, other.path)
			}
		}
		switch {
		case p.Testbed == "vm":
			c.add(e.path, "testbed", "leave it out, or set testbed to lab", "%s is not taken in testbed vm", e.what)
		case engine.Unpaced && !p.OfStreams():
			c.add(e.path, "traffic.engine", "leave it out, or use another engine", "engine %s cannot be paced: it sends as fast as it goes, and %s is taken at a load", p.Traffic.Engine, e.what)
		}
	}
}
