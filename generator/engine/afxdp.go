package engine

import (
	"cmp"

	"github.com/linerate/linerate/generator"
	"github.com/linerate/linerate/generator/afxdp"
)

func openAFXDP(c Config) (generator.Generator, error) {
	g, err := afxdp.New(c.Config, cmp.Or(afxdp.Mode(c.Traffic.AFXDPMode), afxdp.Auto))
	if err != nil {
		return nil, err
	}
	g.Priority = c.Priority
	return g, nil
}
