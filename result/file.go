package result

import (
	"os"
	"path/filepath"
	"regexp"
)

// notInFileNames are runs of characters that the name of a file does not get from a cell.
var notInFileNames = regexp.MustCompile(`[^A-Za-z0-9.+_-]+`)

// ProfileFile is where the profile of a cell lies in the run's folder, in the format of pprof.
func ProfileFile(cellID string) string {
	return filepath.Join("profiles", notInFileNames.ReplaceAllString(cellID, "_")+".pb.gz")
}

// WriteFile writes a file of the run's folder that is neither run.json nor
// trials.jsonl; the name may have folders, which are made.
func (s *Store) WriteFile(name string, data []byte) error {
	path := filepath.Join(s.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return storeError("writing a file of the run", path, err)
	}
	if err := os.WriteFile(path, data, 0o644); err != nil {
		return storeError("writing a file of the run", path, err)
	}
	return nil
}
