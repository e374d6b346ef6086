package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/linerate/linerate/foreign"
	"github.com/linerate/linerate/plan"
	"github.com/linerate/linerate/result"
	"github.com/linerate/linerate/testbed/lab"
)

// largestImportBytes is far above what any of the programs prints.
const largestImportBytes = 256 << 20

func importCommand() *cobra.Command {
	var out, name, scenario string
	cmd := &cobra.Command{
		Use:   "import FILE...",
		Short: "Read outputs of iperf, iperf3, pktgen and TRex into a run",
		Long: `Read what other programs printed into the folder of a run, a cell for each file, to
report it and to compare it. Which program it was is found out by itself:

  iperf3   its JSON (-J), of the client or the server, or its text
  iperf    its rows (-y C) of the server, or its text
  pktgen   the kernel's: the file /proc/net/pktgen/DEVICE after a run
  TRex     the statistics of STLClient.get_stats, as JSON, taken while traffic flows

The receiver's figures are taken where there are any; a file that has the sender's of
UDP only is refused. pktgen and TRex have one load: what arrived of it is no throughput.
What bounded a figure is not known, and the report says so. Files that tell of the same
traffic become cells of their own: the second ends in "no-2".`,
		Example: `  iperf3 -c 192.0.2.1 -P 5 -J > p5.json; linerate import p5.json --scenario route
  iperf -s -u -y C > server.csv    # on the receiver; then: linerate import server.csv
  cat /proc/net/pktgen/eth1 > eth1.txt; linerate import eth1.txt
  linerate import before/*.json --out runs/before
  linerate compare runs/before runs/after`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return badArgument("%s needs the files of outputs", cmd.CommandPath())
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return importFiles(args, scenario, name, out, cmd.OutOrStdout())
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&scenario, "scenario", foreign.Scenario, "what the device was, as a plan names it: `SCENARIO`")
	flags.StringVar(&out, "out", "", "`FOLDER` of the run (default "+runsFolder+"/TIME-imported-NAME)")
	flags.StringVar(&name, "name", "", "`NAME` of the run (default six random digits)")
	return cmd
}

func importFiles(files []string, scenario, name, out string, stdout io.Writer) error {
	s := plan.Scenario(scenario)
	if scenario != foreign.Scenario {
		p := plan.Default()
		if err := p.Set([]string{"scenarios=" + scenario}); err != nil {
			return badArgument("--scenario: %v", err)
		}
	}
	if err := checkName(name); err != nil {
		return err
	}
	if name == "" {
		name = lab.NewID()
	}
	if out == "" {
		out = filepath.Join(runsFolder, time.Now().Format("20060102-150405")+"-imported-"+name)
	}
	run, data, err := readImports(files, s)
	if err != nil {
		return &exitError{exitBadPlan, err}
	}
	run.ID = name
	foreign.Distinct(run.Cells)
	if err := storeImport(out, run, data); err != nil {
		return cannot(err)
	}
	summary := textReport(stdout)
	summary.SummaryOnly = true
	if err := summary.Write(stdout, run, nil); err != nil {
		return err
	}
	fmt.Fprintln(stdout)
	saved(stdout, out, "")
	return nil
}

// readImports is the run of all files, with their contents by the names that they are stored
// under. All files that cannot be read are told at once.
func readImports(files []string, s plan.Scenario) (*result.Run, map[string][]byte, error) {
	run := &result.Run{
		Schema: result.SchemaV1, Outcome: result.Measured, Command: append([]string{"linerate"}, os.Args[1:]...), Plan: plan.Default(),
		Testbed:     result.Testbed{Kind: foreign.Scenario, Links: []string{"not known: the figures are imported"}},
		Environment: result.Environment{Versions: map[string]string{"linerate": linerateVersion(), "go": runtime.Version()}},
		Warnings:    []result.Warning{{Code: "imported", Text: "the figures are those of other programs: linerate measured nothing, neither who was the limit nor whether the machine was disturbed"}},
	}
	run.Plan.Name, run.Plan.Description = foreign.Scenario, "outputs of other programs: "+strings.Join(files, ", ")
	if s != foreign.Scenario {
		run.Plan.Scenarios = []plan.Scenario{s}
	}
	data := map[string][]byte{}
	var problems []error
	for _, file := range files {
		content, err := readImport(file)
		var o foreign.Output
		if err == nil {
			o, err = foreign.Read(content, s)
		}
		if err != nil {
			problems = append(problems, fmt.Errorf("import %s: %w", file, err))
			continue
		}
		stored := filepath.Join("imported", fmt.Sprintf("%d-%s", len(run.Cells)+1, filepath.Base(file)))
		data[stored] = content
		if len(o.Cell.Streams) > 0 {
			o.Cell.Takes = []result.StreamTake{{TotalReceiverL4BPS: o.Cell.TotalReceiverL4BPS, Files: []string{stored}}}
		}
		o.Cell.Evidence = append(o.Cell.Evidence, o.Kind+" in "+file+", kept as "+stored)
		if started := time.Unix(o.StartedUnixS, 0).UTC(); o.StartedUnixS > 0 && (run.Started.IsZero() || started.Before(run.Started)) {
			run.Started = started
		}
		if run.Environment.Kernel == "" {
			run.Environment.Kernel = kernelOf(o.System)
		}
		run.Cells = append(run.Cells, o.Cell)
	}
	if run.Started.IsZero() {
		run.Started = time.Now().UTC()
	}
	run.Finished = run.Started
	return run, data, errors.Join(problems...)
}

// readImport reads a file, of a size that such an output can have.
func readImport(file string) ([]byte, error) {
	f, err := os.Open(file)
	if path := new(os.PathError); errors.As(err, &path) {
		return nil, path.Err // the caller names the file
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.IsDir() {
		return nil, errors.New("it is a folder: name the files in it")
	}
	content, err := io.ReadAll(io.LimitReader(f, largestImportBytes+1))
	if err == nil && len(content) > largestImportBytes {
		err = errors.New("it is larger than 256 MiB: no output of one of these programs")
	}
	return content, err
}

func storeImport(out string, run *result.Run, data map[string][]byte) error {
	store, err := result.Create(out, run)
	if err != nil {
		return err
	}
	for name, content := range data {
		err = errors.Join(err, store.WriteFile(name, content))
	}
	return errors.Join(err, store.Close())
}

// kernelOf is the release in what iperf3 tells of its system, which is that of uname -a.
func kernelOf(system string) string {
	if f := strings.Fields(system); len(f) > 2 {
		return f[2]
	}
	return ""
}
