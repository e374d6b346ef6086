package afxdp_test

import (
	"testing"

	"github.com/linerate/linerate/generator"
	"github.com/linerate/linerate/generator/afxdp"
	"github.com/linerate/linerate/generator/contract"
)

func TestContract(t *testing.T) {
	contract.Run(t, func(c generator.Config) (generator.Generator, error) { return afxdp.New(c, afxdp.Auto) })
}
