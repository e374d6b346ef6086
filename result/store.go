package result

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// The two files of a run's folder.
const (
	runFile    = "run.json"
	trialsFile = "trials.jsonl"
)

// Store is the folder of a run that is being measured. It is used by one
// goroutine at a time, and only one process writes to a folder.
type Store struct {
	dir    string
	trials *os.File
	// size is the length of trials.jsonl in whole lines, in bytes.
	size int64
}

// Create makes the folder, with its parents, and writes run into it. It refuses
// a folder that already holds a run: errors.Is(err, fs.ErrExist). On a full disk
// errors.Is(err, syscall.ENOSPC) holds and the folder is left as it was found.
func Create(dir string, run *Run) (*Store, error) {
	_, statErr := os.Stat(dir)
	made := errors.Is(statErr, fs.ErrNotExist)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, storeError("creating run folder", dir, err)
	}
	for _, name := range []string{runFile, trialsFile} {
		if _, err := os.Lstat(filepath.Join(dir, name)); err == nil {
			return nil, occupied(dir, name)
		}
	}
	// O_EXCL decides between two processes that were given the same folder.
	trials, err := os.OpenFile(filepath.Join(dir, trialsFile), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return nil, occupied(dir, trialsFile)
	}
	if err != nil {
		return nil, storeError("creating run folder", dir, err)
	}
	s := &Store{dir: dir, trials: trials}
	if err := s.SaveRun(run); err != nil {
		trials.Close()
		os.Remove(filepath.Join(dir, trialsFile))
		if made {
			os.Remove(dir)
		}
		return nil, err
	}
	return s, nil
}

// AppendTrial adds one line to trials.jsonl and waits until it is on the disk.
// When that fails, the file keeps exactly the trials that were added before.
func (s *Store) AppendTrial(t Trial) error {
	line, err := json.Marshal(t)
	if err != nil {
		return fmt.Errorf("storing trial %d in %s: encoding it: %w", t.Number, s.dir, err)
	}
	line = append(line, '\n')
	if _, err = s.trials.WriteAt(line, s.size); err == nil {
		err = s.trials.Sync()
	}
	if err != nil {
		// Half a line would be joined by the next trial into one unreadable line.
		if cut := s.trials.Truncate(s.size); cut != nil {
			err = fmt.Errorf("%w (and cutting off the half-written line: %v)", err, cut)
		}
		return storeError(fmt.Sprintf("storing trial %d", t.Number), s.dir, err)
	}
	s.size += int64(len(line))
	return nil
}

// SaveRun replaces run.json in one step: a reader, and a run that dies, sees
// either the record of before or the whole new one.
func (s *Store) SaveRun(run *Run) error {
	data, err := json.MarshalIndent(nonNull(run), "", "  ")
	if err != nil {
		return fmt.Errorf("storing the run in %s: encoding it: %w", s.dir, err)
	}
	if err := replaceFile(s.dir, runFile, append(data, '\n')); err != nil {
		return storeError("storing the run", s.dir, err)
	}
	return nil
}

// Close ends the writing. The folder stays.
func (s *Store) Close() error {
	if err := s.trials.Close(); err != nil {
		return storeError("closing the trial log", s.dir, err)
	}
	return nil
}

// replaceFile writes dir/name through a temporary file in the same folder.
func replaceFile(dir, name string, data []byte) (err error) {
	tmp, err := os.CreateTemp(dir, "."+name+".*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			os.Remove(tmp.Name())
		}
	}()
	_, err = tmp.Write(data)
	if err == nil {
		err = tmp.Chmod(0o644)
	}
	if err == nil {
		err = tmp.Sync()
	}
	if closed := tmp.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return err
	}
	if err = os.Rename(tmp.Name(), filepath.Join(dir, name)); err != nil {
		return err
	}
	return syncFolder(dir)
}

// syncFolder makes a rename in dir durable.
func syncFolder(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}

func occupied(dir, name string) error {
	return fmt.Errorf("creating run folder %s: it already holds a %s: "+
		"choose another folder, or move this run away: %w", dir, name, fs.ErrExist)
}

func storeError(operation, dir string, err error) error {
	advice := ""
	switch {
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		advice = ": the disk is full: free some space, or choose a folder on another disk; what was stored before is intact"
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		advice = ": choose a folder that this user may write to"
	}
	return fmt.Errorf("%s in %s: %w%s", operation, dir, err, advice)
}
