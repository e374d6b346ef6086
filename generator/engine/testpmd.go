package engine

import (
	"cmp"
	"strings"

	"github.com/linerate/linerate/generator"
	"github.com/linerate/linerate/generator/testpmd"
	"github.com/linerate/linerate/plan"
)

func openTestpmd(c Config) (generator.Generator, error) {
	g, err := testpmd.New(c.Config, cmp.Or(testpmd.Driver(c.Traffic.TestpmdDriver), testpmd.AFPacket))
	if err != nil {
		return nil, err
	}
	return g, nil
}

// Unpaced tells whether an engine sends as fast as it goes or not at all. The name may be a
// plan's or a record's, which says more: "testpmd (af_xdp)".
func Unpaced(name string) bool { return recorded(name).Unpaced }

// PastTaps tells whether an engine's frames leave unseen by packet sockets. The name may be a record's.
func PastTaps(name string) bool { return recorded(name).PastTaps }

func recorded(name string) plan.EngineInfo {
	name, _, _ = strings.Cut(name, " ")
	info, _ := plan.EngineNamed(name)
	return info
}

// sendsOneFlow tells whether an engine's frames are of one flow.
func sendsOneFlow(name string) bool {
	info, _ := plan.EngineNamed(name)
	return info.OneFlow
}

// unmarked tells whether an engine's frames carry no mark.
func unmarked(name string) bool {
	info, _ := plan.EngineNamed(name)
	return info.Unmarked
}
