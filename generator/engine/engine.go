// Package engine is the registry of generators: it opens each by the name that a plan
// gives it, so that who measures knows none of them. What they can do stands in
// plan.Engines; a new engine is a row there and a file here.
package engine

import (
	"fmt"

	"github.com/linerate/linerate/frame"
	"github.com/linerate/linerate/generator"
	"github.com/linerate/linerate/plan"
)

// Config is what a generator is opened with.
type Config struct {
	generator.Config
	// Priority is the SCHED_FIFO priority of the sending threads, or their nice value if
	// it is negative; 0 leaves them as they are.
	Priority int
	// Traffic has the engine's settings of a plan.
	Traffic plan.Traffic
}

// openers are the engines by name.
var openers = map[string]func(Config) (generator.Generator, error){
	"xdp":      openXDP,
	"afpacket": openAFPacket,
	"afxdp":    openAFXDP,
	"pktgen":   openPktgen,
	"testpmd":  openTestpmd,
}

// Open opens the generator of a name, which is not "auto". An error of type
// *kernel.MissingError means that this machine cannot have it.
func Open(name string, c Config) (generator.Generator, error) {
	open, found := openers[name]
	if !found {
		return nil, fmt.Errorf("open generator %s: there is none of this name; write %s", name, plan.EngineList())
	}
	return open(c)
}

// Choose is the engine that a plan's engine stands for: itself, or for "auto" the
// first that can send all sizes.
func Choose(name string, sizes frame.Sizes) string {
	if name != plan.EngineAuto {
		return name
	}
	most := sizes.MaxBytes()
	for _, e := range plan.Engines() {
		if e.Chosen {
			name = e.Name
			if most <= e.MaxFrameBytes {
				break
			}
		}
	}
	return name
}
