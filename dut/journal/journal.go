package journal

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// DefaultDir holds the journals of the runs of a machine. It is gone after a
// reboot, and so is everything a journal could undo.
const DefaultDir = "/run/linerate"

const suffix = ".journal"

// Journal is a file of undo actions, one JSON object a line. Its process holds a
// lock on it for as long as it lives. The file holds what is still to be undone
// and no more, so that the journal of a killed run does not repeat an undo.
type Journal struct {
	file  *os.File
	undos []entry
}

// entry is an undo and the offset in the file after its line.
type entry struct {
	Action
	end int64
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

// ProcessDir is the folder below which the run's processes have their own
// (Process.Dir). It is made and removed with them.
func (j *Journal) ProcessDir() string {
	return strings.TrimSuffix(j.file.Name(), suffix) + ".processes"
}

// Record writes an undo to disk; call it before the change is made.
func (j *Journal) Record(undo Action) error {
	before := len(j.undos)
	err := j.replace(before, undo)
	if err == nil {
		err = j.file.Sync()
	}
	if err != nil {
		return errors.Join(fmt.Errorf("journal %v: %w; nothing was changed", undo, err), j.replace(before))
	}
	return nil
}

// replace makes the tail what follows the first n undos. A process killed meanwhile
// leaves undos twice rather than not at all.
func (j *Journal) replace(n int, tail ...Action) error {
	j.undos = j.undos[:n]
	var end int64
	if n > 0 {
		end = j.undos[n-1].end
	}
	var lines []byte
	for _, a := range tail {
		line, err := json.Marshal(a)
		if err != nil {
			return err
		}
		lines = append(append(lines, line...), '\n')
		j.undos = append(j.undos, entry{Action: a, end: end + int64(len(lines))})
	}
	if _, err := j.file.WriteAt(lines, end); err != nil {
		return err
	}
	return j.file.Truncate(end + int64(len(lines)))
}

// Mark is a place in the journal to which UndoTo goes back.
func (j *Journal) Mark() int { return len(j.undos) }

// Forget takes out what was recorded after the mark, for changes that were not made.
func (j *Journal) Forget(mark int) error {
	if err := j.replace(mark); err != nil {
		return fmt.Errorf("shorten journal %s: %w", j.file.Name(), err)
	}
	return nil
}

// UndoTo undoes everything recorded after the mark, last first. It goes on after
// an error and returns them all. What could not be undone stays in the journal,
// to be tried again by Close or Restore.
func (j *Journal) UndoTo(mark int) error {
	_, errs := j.undoTo(mark)
	return errors.Join(errs...)
}

// undoTo returns what it undid too. An undo that fails in a namespace is of no
// consequence if a later one removes that namespace, as when the process was
// killed between the record of an undo and its change.
func (j *Journal) undoTo(mark int) (undone []Action, errs []error) {
	type failure struct {
		action Action
		err    error
	}
	var failures []failure // last of the journal first
	keep := func(n int) {
		var tail []Action
		for _, f := range slices.Backward(failures) {
			tail = append(tail, f.action)
		}
		if err := j.replace(n, tail...); err != nil {
			errs = append(errs, fmt.Errorf("shorten journal %s: %w", j.file.Name(), err))
		}
	}
	for i := len(j.undos) - 1; i >= mark; i-- {
		a := j.undos[i].Action
		if a.gone() {
			continue
		}
		if err := a.Run(); err != nil {
			failures = append(failures, failure{a, err})
			continue
		}
		undone = append(undone, a)
		keep(i)
	}
	failures = slices.DeleteFunc(failures, func(f failure) bool { return f.action.gone() })
	for _, f := range failures {
		errs = append(errs, fmt.Errorf("undo: %w", f.err))
	}
	keep(mark)
	return undone, errs
}

// Close undoes what is left and removes the journal. If an undo fails, the journal
// stays, with what is still to be undone, for Restore.
func (j *Journal) Close() error {
	_, errs := j.undoTo(0)
	if len(errs) == 0 {
		return errors.Join(os.Remove(j.file.Name()), j.file.Close())
	}
	return errors.Join(fmt.Errorf("%w; the journal is kept: run `linerate restore`", errors.Join(errs...)), j.file.Close())
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
