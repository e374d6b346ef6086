package engine

import (
	"github.com/linerate/linerate/generator"
	"github.com/linerate/linerate/generator/testpmd"
	"github.com/linerate/linerate/plan"
)

func openTestpmd(c Config) (generator.Generator, error) {
	g, err := testpmd.New(c.Config)
	if err != nil {
		return nil, err
	}
	return g, nil
}

// Unpaced tells whether an engine sends as fast as it goes or not at all.
func Unpaced(name string) bool {
	info, _ := plan.EngineNamed(name)
	return info.Unpaced
}

// sendsOneFlow tells whether an engine's frames are of one flow and carry no mark.
func sendsOneFlow(name string) bool {
	info, _ := plan.EngineNamed(name)
	return info.OneFlow
}
