package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/linerate/linerate/report"
	"github.com/linerate/linerate/result"
)

// htmlReportFile is the page in a run's folder.
const htmlReportFile = "report.html"

// reportExtensions are the endings of the files of each format.
var reportExtensions = map[string]string{"text": ".txt", "markdown": ".md", "csv": ".csv", "json": ".json", "html": ".html"}

func reportCommand() *cobra.Command {
	var formats []string
	var output string
	cmd := &cobra.Command{
		Use:   "report [FOLDER]",
		Short: "Write a report of a stored run",
		Long: `Write a report of a stored run: of the FOLDER that bench printed, or of the newest
run below ./` + runsFolder + `.

One format goes to standard output, but html goes to ` + htmlReportFile + ` in the run's folder.
Several formats go to files report.txt, report.md and so on in the run's folder, or
in the folder --output. The page is one file that needs no network.`,
		Example: `  linerate report
  linerate report runs/first --format markdown > first.md
  linerate report --format html --output page.html
  linerate report --format html --output - | less
  linerate report --format csv,json,html`,
		Args:              atMost(1, "the folder of one run"),
		ValidArgsFunction: completeFolders,
		RunE: func(cmd *cobra.Command, args []string) error {
			dir, err := runFolder(args)
			if err != nil {
				return err
			}
			return reportRun(dir, formats, output, cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	cmd.Flags().StringSliceVarP(&formats, "format", "f", []string{"text"}, "`FORMAT`: "+strings.Join(report.Formats(), ", ")+"; several with commas")
	cmd.Flags().StringVarP(&output, "output", "o", "", "`FILE` to write, or folder for several formats; - is standard output")
	_ = cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(report.Formats(), cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// runFolder is the folder that was named, or that of the newest run.
func runFolder(args []string) (string, error) {
	if len(args) > 0 {
		return args[0], nil
	}
	records, err := filepath.Glob(filepath.Join(runsFolder, "*", "run.json"))
	if err != nil {
		return "", err
	}
	newest, at := "", time.Time{}
	for _, path := range records {
		// A run rewrites its record until it ends, so this is when it ended.
		if info, err := os.Stat(path); err == nil && info.ModTime().After(at) {
			newest, at = filepath.Dir(path), info.ModTime()
		}
	}
	if newest == "" {
		return "", badArgument("there is no run below ./%s: name the folder of a run, or measure one with `linerate bench`", runsFolder)
	}
	return newest, nil
}

// reportRun writes the reports of the run in dir.
func reportRun(dir string, formats []string, output string, stdout, stderr io.Writer) error {
	for _, format := range formats {
		if _, err := report.For(format); err != nil {
			return &exitError{exitBadPlan, err}
		}
	}
	formats = slices.Compact(slices.Sorted(slices.Values(formats)))
	if len(formats) > 1 && output == "-" {
		return badArgument("--output -: standard output takes one format, not %s", strings.Join(formats, ", "))
	}
	run, trials, err := openRun(dir)
	if err != nil {
		return err
	}
	if len(formats) == 1 {
		return reportOne(dir, formats[0], output, run, trials, stdout, stderr)
	}
	folder := dir
	if output != "" {
		folder = output
		if err := os.MkdirAll(folder, 0o755); err != nil {
			return cannot(fmt.Errorf("make the folder of the reports: %w", err))
		}
	}
	for _, format := range formats {
		path := filepath.Join(folder, "report"+reportExtensions[format])
		if err := writeReport(path, format, run, trials); err != nil {
			return cannot(err)
		}
		fmt.Fprintf(stderr, "wrote %s\n", path)
	}
	return nil
}

func reportOne(dir, format, output string, run *result.Run, trials []result.Trial, stdout, stderr io.Writer) error {
	if output == "" && format == "html" {
		output = filepath.Join(dir, htmlReportFile)
	}
	if output == "" || output == "-" {
		w, err := report.For(format)
		if err != nil {
			return err
		}
		if format == "text" {
			w = textReport(stdout)
		}
		return w.Write(stdout, run, trials)
	}
	if err := writeReport(output, format, run, trials); err != nil {
		return cannot(err)
	}
	fmt.Fprintf(stderr, "wrote %s\n", output)
	return nil
}

// openRun reads a run. A folder without one is a bad argument.
func openRun(dir string) (*result.Run, []result.Trial, error) {
	run, trials, err := result.Open(dir)
	if err != nil {
		return nil, nil, &exitError{exitBadPlan, err}
	}
	return run, trials, nil
}

// writeReport writes a file, whole or not at all.
func writeReport(path, format string, run *result.Run, trials []result.Trial) error {
	w, err := report.For(format)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := w.Write(&b, run, trials); err != nil {
		return err
	}
	if err := replaceFile(path, b.Bytes()); err != nil {
		return fmt.Errorf("write the %s report: %w; choose another place with --output", format, err)
	}
	return nil
}

// replaceFile leaves an old file as it was until the new one is whole. What is not
// a file, a device or a pipe, is written to.
func replaceFile(path string, data []byte) error {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return os.WriteFile(path, data, 0o644)
	}
	tmp, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	_, err = tmp.Write(data)
	if err == nil {
		err = tmp.Chmod(0o644)
	}
	if closed := tmp.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = os.Rename(tmp.Name(), path)
	}
	if err != nil {
		os.Remove(tmp.Name())
	}
	return err
}

func completeFolders(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return nil, cobra.ShellCompDirectiveFilterDirs
}
