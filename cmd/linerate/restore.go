package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/linerate/linerate/dut/journal"
)

// restoreReport is what `linerate restore --json` prints.
type restoreReport struct {
	Restored []journal.Restored `json:"restored"`
	Alive    []string           `json:"alive"`
}

func restoreCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "restore",
		Short: "Undo what killed runs left on this machine",
		Long: `Undo what killed runs left on this machine: network namespaces, rules, settings.

A run writes each undo into a journal in ` + journal.DefaultDir + ` before it changes anything. A run
that ends, also by Ctrl-C, undoes everything itself; this command is for one that
was killed. Runs that are alive are listed and not touched.`,
		Example: "  sudo linerate restore",
		Args:    atMost(0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return restore(cmd.OutOrStdout(), journal.DefaultDir, os.Geteuid() == 0, asJSON)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print a JSON object")
	return cmd
}

func restore(w io.Writer, dir string, root, asJSON bool) error {
	if !root {
		journals, err := journalsIn(dir)
		if err != nil {
			return cannot(err)
		}
		if len(journals) > 0 {
			return cannot(fmt.Errorf("restore: %s in %s, and only root can undo them; run `sudo linerate restore`", counted(len(journals), "journal"), dir))
		}
	}
	restored, alive, err := journal.Restore(dir)
	r := restoreReport{Restored: append([]journal.Restored{}, restored...), Alive: append([]string{}, alive...)}
	print := r.print
	if asJSON {
		print = func(w io.Writer) error { return writeJSON(w, r) }
	}
	printed := print(w)
	if err != nil {
		return cannot(err)
	}
	failed := 0
	for _, d := range restored {
		failed += len(d.Errors)
	}
	if failed > 0 {
		return cannot(fmt.Errorf("restore: %s failed; the journal is kept: put right what the error says and run `linerate restore` again", counted(failed, "undo action")))
	}
	return printed
}

func journalsIn(dir string) ([]string, error) {
	if _, err := os.ReadDir(dir); err != nil && !os.IsNotExist(err) {
		return nil, fmt.Errorf("list journals: %w", err)
	}
	return filepath.Glob(filepath.Join(dir, "*.journal"))
}

func (r restoreReport) print(w io.Writer) error {
	var b strings.Builder
	for _, d := range r.Restored {
		fmt.Fprintf(&b, "run %s: %s undone\n", d.ID, counted(len(d.Undone), "change"))
		for _, u := range d.Undone {
			fmt.Fprintf(&b, "  %s\n", strings.ReplaceAll(u, "\n", "\n  "))
		}
		for _, e := range d.Errors {
			fmt.Fprintf(&b, "  failed: %s\n", e)
		}
	}
	for _, id := range r.Alive {
		fmt.Fprintf(&b, "run %s is alive: left alone\n", id)
	}
	if b.Len() == 0 {
		b.WriteString("nothing to restore: no run was killed here\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}
