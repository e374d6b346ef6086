package result

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// TornTrialLog is the code of the warning that Open adds when the last line of
// trials.jsonl was not written to its end.
const TornTrialLog = "torn-trial-log"

// Open reads a run's folder. A torn last line of trials.jsonl, as a killed run
// leaves it, is left out and named by a warning in Run.Warnings; any other
// unreadable line is an error with its line number. A run of another schema is
// refused. A folder without run.json gives fs.ErrNotExist.
func Open(dir string) (*Run, []Trial, error) {
	run, err := readRun(dir)
	if err != nil {
		return nil, nil, err
	}
	trials, torn, err := readTrials(dir)
	if err != nil {
		return nil, nil, err
	}
	if torn > 0 {
		run.Warnings = append(run.Warnings, Warning{
			Code: TornTrialLog,
			Text: fmt.Sprintf("The last line (line %d) of %s was not written to its end and is left out: "+
				"the run ended while it stored that trial.", torn, trialsFile),
		})
	}
	return run, trials, nil
}

func readRun(dir string) (*Run, error) {
	path := filepath.Join(dir, runFile)
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("reading run %s: it holds no %s: name the folder of a run: %w", dir, runFile, fs.ErrNotExist)
	}
	if err != nil {
		return nil, fmt.Errorf("reading run %s: %w", dir, err)
	}
	// The schema is looked at first: the rest of another schema need not fit these types.
	var head struct {
		Schema string `json:"schema"`
	}
	if err := json.Unmarshal(data, &head); err != nil {
		return nil, fmt.Errorf("reading %s: it is not a JSON object: %w: restore it from a copy, or measure again", path, err)
	}
	if head.Schema != SchemaV1 {
		return nil, fmt.Errorf("reading %s: its schema is %q, and this linerate reads %q: use the version that wrote it", path, head.Schema, SchemaV1)
	}
	run := new(Run)
	if err := json.Unmarshal(data, run); err != nil {
		return nil, fmt.Errorf("reading %s: %w: restore it from a copy, or measure again", path, err)
	}
	run.Plan.Complete()
	return run, nil
}

// readTrials gives the number of the torn last line, or 0.
func readTrials(dir string) (trials []Trial, torn int, err error) {
	path := filepath.Join(dir, trialsFile)
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, 0, fmt.Errorf("reading run %s: its trial log: %w: restore it from a copy, or measure again", dir, err)
	}
	for number := 1; len(data) > 0; number++ {
		line, rest, _ := bytes.Cut(data, []byte("\n"))
		data = rest
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		var t Trial
		if err := json.Unmarshal(line, &t); err != nil {
			if len(data) == 0 {
				return trials, number, nil
			}
			return nil, 0, fmt.Errorf("reading %s: line %d: %w: restore the file from a copy, or measure again", path, number, err)
		}
		trials = append(trials, t)
	}
	return trials, 0, nil
}
