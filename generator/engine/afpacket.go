package engine

import (
	"github.com/linerate/linerate/generator"
	"github.com/linerate/linerate/generator/afpacket"
)

func openAFPacket(c Config) (generator.Generator, error) {
	g, err := afpacket.New(c.Config)
	if err != nil {
		return nil, err
	}
	g.Priority = c.Priority
	return g, nil
}
