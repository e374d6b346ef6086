package engine

import (
	"github.com/linerate/linerate/generator"
	"github.com/linerate/linerate/generator/xdp"
)

func openXDP(c Config) (generator.Generator, error) {
	g, err := xdp.New(c.Config)
	if err != nil {
		return nil, err
	}
	g.Priority, g.Batch = c.Priority, c.Traffic.Batch
	return g, nil
}
