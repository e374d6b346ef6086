package journal

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// DefaultDir holds the journals of the runs of a machine. It is gone after a
// reboot, and so is everything a journal could undo.
const DefaultDir = "/run/linerate"

const suffix = ".journal"

// Journal is a file of undo actions, one JSON object a line. Its process holds a
// lock on it for as long as it lives.
type Journal struct {
	file  *os.File
	undos []Action
}

// Create begins a journal for the run with the given id. It fails if the id is taken.
func Create(dir, id string) (*Journal, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("create journal folder %s: %w", dir, err)
	}
	path := filepath.Join(dir, id+suffix)
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, os.ErrExist) {
		return nil, fmt.Errorf("create journal %s: the name %s is taken by another run; choose another, or run `linerate restore` if that run is dead: %w", path, id, err)
	}
	if err != nil {
		return nil, fmt.Errorf("create journal %s: %w", path, err)
	}
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		return nil, errors.Join(fmt.Errorf("lock journal %s: %w", path, err), f.Close())
	}
	return &Journal{file: f}, nil
}

// Record writes an undo to disk; call it before the change is made.
func (j *Journal) Record(undo Action) error {
	line, err := json.Marshal(undo)
	if err != nil {
		return fmt.Errorf("journal %v: %w", undo, err)
	}
	if _, err := j.file.Write(append(line, '\n')); err != nil {
		return fmt.Errorf("journal %v: %w; nothing was changed", undo, err)
	}
	if err := j.file.Sync(); err != nil {
		return fmt.Errorf("journal %v: %w; nothing was changed", undo, err)
	}
	j.undos = append(j.undos, undo)
	return nil
}

// Mark is a place in the journal to which UndoTo goes back.
func (j *Journal) Mark() int { return len(j.undos) }

// UndoTo undoes everything recorded after the mark, last first. It goes on after
// an error and returns them all.
func (j *Journal) UndoTo(mark int) error {
	var errs []error
	for len(j.undos) > mark {
		last := j.undos[len(j.undos)-1]
		if err := last.Run(); err != nil {
			errs = append(errs, fmt.Errorf("undo: %w", err))
		}
		j.undos = j.undos[:len(j.undos)-1]
	}
	return errors.Join(errs...)
}

// Close undoes what is left and removes the journal.
func (j *Journal) Close() error {
	err := j.UndoTo(0)
	return errors.Join(err, os.Remove(j.file.Name()), j.file.Close())
}

// Others are the ids of the other runs that are alive now.
func (j *Journal) Others() ([]string, error) {
	paths, err := filepath.Glob(filepath.Join(filepath.Dir(j.file.Name()), "*"+suffix))
	if err != nil {
		return nil, fmt.Errorf("list journals: %w", err)
	}
	var ids []string
	for _, path := range paths {
		if path == j.file.Name() {
			continue
		}
		f, err := os.Open(path)
		if err != nil {
			continue // its run has ended meanwhile
		}
		if unix.Flock(int(f.Fd()), unix.LOCK_SH|unix.LOCK_NB) != nil {
			ids = append(ids, strings.TrimSuffix(filepath.Base(path), suffix))
		}
		f.Close()
	}
	return ids, nil
}

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

// undoFile undoes a journal and removes it, unless an undo failed for another
// reason than that its namespace is gone.
func undoFile(f *os.File, id string) Restored {
	r := Restored{ID: id, Undone: []string{}, Errors: []string{}}
	var undos []Action
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var a Action
		line := bytes.TrimSpace(lines.Bytes())
		if len(line) == 0 {
			continue
		}
		if err := json.Unmarshal(line, &a); err != nil {
			continue // a torn last line: its change was never made
		}
		undos = append(undos, a)
	}
	for i := len(undos) - 1; i >= 0; i-- {
		if undos[i].gone() {
			continue
		}
		if err := undos[i].Run(); err != nil {
			r.Errors = append(r.Errors, err.Error())
			continue
		}
		r.Undone = append(r.Undone, undos[i].String())
	}
	if len(r.Errors) == 0 {
		if err := os.Remove(f.Name()); err != nil {
			r.Errors = append(r.Errors, err.Error())
		}
	}
	return r
}
