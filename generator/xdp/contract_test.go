package xdp_test

import (
	"testing"

	"github.com/linerate/linerate/generator"
	"github.com/linerate/linerate/generator/contract"
	"github.com/linerate/linerate/generator/xdp"
)

func TestContract(t *testing.T) {
	contract.Run(t, func(c generator.Config) (generator.Generator, error) { return xdp.New(c) })
}
