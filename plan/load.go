package plan

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/linerate/linerate/plans"
)

// Load reads a plan by the name of a shipped plan ("baseline") or by the path of
// a file. What has a separator or ends in .yaml, .yml or .json is a path. The
// error is *Problems for a plan that is wrong; it wraps fs.ErrNotExist for one
// that is not there.
func Load(name string) (Plan, error) {
	if !isPath(name) {
		data, err := plans.Read(name)
		if errors.Is(err, fs.ErrNotExist) {
			return Plan{}, fmt.Errorf("%w; %s, or give the path of a .yaml file", err, didYouMean(name, plans.Names()))
		}
		if err != nil {
			return Plan{}, err
		}
		return Parse(name+".yaml", data)
	}
	data, err := readFile(name)
	if err != nil {
		return Plan{}, err
	}
	return Parse(name, data)
}

func isPath(name string) bool {
	switch filepath.Ext(name) {
	case ".yaml", ".yml", ".json":
		return true
	}
	return strings.ContainsRune(name, filepath.Separator)
}

// readFile stops after maxFileBytes, so that a device or a core dump given by mistake ends in a message.
func readFile(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("read plan: %w", err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxFileBytes+1))
	if err != nil {
		return nil, fmt.Errorf("read plan: %w", err)
	}
	return data, nil
}
