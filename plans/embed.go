// Package plans holds the plans that linerate ships: YAML files, each with the
// name that it is asked for by. What a plan measures stands in its description.
package plans

import (
	"embed"
	"fmt"
	"io/fs"
	"strings"
)

const extension = ".yaml"

//go:embed *.yaml
var files embed.FS

// Names are the names of the shipped plans, in alphabetical order.
func Names() []string {
	paths, err := fs.Glob(files, "*"+extension)
	if err != nil {
		panic(err) // the pattern is constant
	}
	for i, p := range paths {
		paths[i] = strings.TrimSuffix(p, extension)
	}
	return paths
}

// Read is the YAML of a shipped plan. For another name the error wraps fs.ErrNotExist.
func Read(name string) ([]byte, error) {
	if strings.ContainsAny(name, `/\`) || name == "" {
		return nil, fmt.Errorf("there is no shipped plan %q: %w", name, fs.ErrNotExist)
	}
	data, err := files.ReadFile(name + extension)
	if err != nil {
		return nil, fmt.Errorf("there is no shipped plan %q: %w", name, fs.ErrNotExist)
	}
	return data, nil
}
