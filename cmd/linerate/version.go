package main

import (
	"encoding/json"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/linerate/linerate/internal/kernel"
)

// version is set by the linker: -X main.version=v1.2.3.
var version string

// build is what `linerate version` prints.
type build struct {
	Version      string `json:"version"`
	Go           string `json:"go"`
	Architecture string `json:"architecture"`
	Kernel       string `json:"kernel"`
}

func versionCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "version",
		Short:   "The version of linerate, and of the kernel that it would measure",
		Example: "  linerate version\n  linerate version --json",
		Args:    atMost(0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error {
			b := build{linerateVersion(), runtime.Version(), runtime.GOARCH, kernel.Release()}
			if asJSON {
				return writeJSON(cmd.OutOrStdout(), b)
			}
			_, err := fmt.Fprintf(cmd.OutOrStdout(), "linerate %s\n%s linux/%s\nkernel %s\n", b.Version, b.Go, b.Architecture, b.Kernel)
			return err
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print a JSON object")
	return cmd
}

// linerateVersion is that of the linker, of the module, or of the commit, whichever is known first.
func linerateVersion() string {
	if version != "" {
		return version
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	if v := info.Main.Version; v != "" && v != "(devel)" {
		return v
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" && len(s.Value) >= 12 {
			return "commit " + s.Value[:12]
		}
	}
	return "unknown"
}

// writeJSON prints a value as an indented object.
func writeJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}
