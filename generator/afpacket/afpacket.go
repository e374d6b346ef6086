// Package afpacket is the generator that sends through AF_PACKET sockets. It is
// slower than live XDP frames, and the engine for what those cannot carry: jumbo
// frames, and veths whose peer has neither XDP nor GRO.
package afpacket

import (
	"github.com/linerate/linerate/frame"
	"github.com/linerate/linerate/generator"
	"github.com/linerate/linerate/generator/userspace"
)

// Generator is the engine "afpacket".
type Generator struct{ *userspace.Generator }

// New opens one socket per stream and CPU. The devices must be up.
func New(config generator.Config) (*Generator, error) {
	g, err := userspace.New("afpacket", config, func(s generator.Stream, sizes frame.Sizes, _ int) (userspace.Output, error) {
		k, err := openSocket(s, sizes, config.CopyFrames > 0)
		if err != nil {
			return nil, err
		}
		r := newRing(s, sizes)
		r.socket = k
		return r, nil
	})
	if err != nil {
		return nil, err
	}
	return &Generator{g}, nil
}
