package afpacket_test

import (
	"testing"

	"github.com/linerate/linerate/generator"
	"github.com/linerate/linerate/generator/afpacket"
	"github.com/linerate/linerate/generator/contract"
)

func TestContract(t *testing.T) {
	contract.Run(t, func(c generator.Config) (generator.Generator, error) { return afpacket.New(c) })
}
