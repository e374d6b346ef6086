package journal

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// Restored is what Restore did about one dead run.
type Restored struct {
	ID string `json:"id"`
	// Undone are the actions made, as shell lines.
	Undone []string `json:"undone"`
	Errors []string `json:"errors"`
}

// Restore undoes what dead runs left behind and removes their journals. Runs that
// are alive are not touched; their ids are returned apart.
func Restore(dir string) (restored []Restored, alive []string, err error) {
	paths, err := filepath.Glob(filepath.Join(dir, "*"+suffix))
	if err != nil {
		return nil, nil, fmt.Errorf("list journals in %s: %w", dir, err)
	}
	for _, path := range paths {
		id := strings.TrimSuffix(filepath.Base(path), suffix)
		f, err := os.OpenFile(path, os.O_RDWR, 0)
		if errors.Is(err, os.ErrNotExist) {
			continue // its run has ended meanwhile
		}
		if err != nil {
			return restored, alive, fmt.Errorf("open journal %s: %w", path, err)
		}
		if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
			alive = append(alive, id)
			f.Close()
			continue
		}
		restored = append(restored, undoFile(f, id))
		f.Close()
	}
	return restored, alive, nil
}

// undoFile undoes a journal and removes it. If an undo failed, the journal stays
// with the failed ones.
func undoFile(f *os.File, id string) Restored {
	r := Restored{ID: id, Undone: []string{}, Errors: []string{}}
	j, err := load(f)
	if err != nil {
		r.Errors = append(r.Errors, err.Error())
		return r
	}
	undone, errs := j.undoTo(0)
	if len(errs) == 0 {
		if err := os.Remove(f.Name()); err != nil {
			errs = append(errs, err)
		}
	}
	for _, a := range undone {
		r.Undone = append(r.Undone, a.String())
	}
	for _, err := range errs {
		r.Errors = append(r.Errors, err.Error())
	}
	return r
}

// load reads the journal of a dead run.
func load(f *os.File) (*Journal, error) {
	j := &Journal{file: f}
	r := bufio.NewReader(f)
	for end := int64(0); ; {
		line, err := r.ReadBytes('\n')
		end += int64(len(line))
		var a Action
		// What does not parse is a torn last line: its change was never made.
		if len(bytes.TrimSpace(line)) > 0 && json.Unmarshal(line, &a) == nil {
			j.undos = append(j.undos, entry{Action: a, end: end})
		}
		if errors.Is(err, io.EOF) {
			return j, nil
		}
		if err != nil {
			return nil, fmt.Errorf("read journal %s: %w", f.Name(), err)
		}
	}
}
