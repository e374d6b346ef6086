package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/linerate/linerate/verify"
)

func verifyCommand() *cobra.Command {
	var asJSON bool
	var sizes []int
	cmd := &cobra.Command{
		Use:   "verify FILE...",
		Short: "Check the frames of a capture: is a 64-byte packet 64 bytes?",
		Long: `Check captures of test frames, pcapng or pcap, of linerate or of another tool.

Frames are decoded by a decoder that is not linerate's own (gopacket) and checked:
lengths of frame, IP and UDP, IP header and checksum, UDP checksum, addresses within
the benchmarking blocks, padding, one pair of addresses per flow, no gap in the
sequence of any flow, no frame of an earlier trial.

Sizes are printed in all three readings: the frame with its 4-byte FCS, which no
capture holds and which is counted all the same, the IP packet and the UDP payload.

Exit code 1 if a check failed, or if a file holds no test frame.`,
		Example: `  sudo linerate bench --capture 1000 --out runs/wire
  linerate verify runs/wire/capture/*.pcapng
  linerate verify --frame-size 64,570,1518 imix.pcap`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return fmt.Errorf("verify needs the capture to check: a pcapng or pcap file")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return verifyFiles(args, verify.Options{FrameSizes: sizes}, asJSON, cmd.OutOrStdout())
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the result as JSON")
	cmd.Flags().IntSliceVar(&sizes, "frame-size", nil, "`BYTES` with FCS that frames must have; several with commas")
	return cmd
}

// verifyFiles checks all files and prints what was found, and fails if a check of any failed.
func verifyFiles(paths []string, o verify.Options, asJSON bool, w io.Writer) error {
	var reports []*verify.Report
	failed := 0
	for _, path := range paths {
		r, err := verifyFile(path, o)
		if err != nil {
			return &exitError{exitBadPlan, err}
		}
		reports = append(reports, r)
		if !r.Passed() {
			failed++
		}
	}
	if err := printVerified(w, reports, asJSON); err != nil {
		return err
	}
	if failed > 0 {
		return &exitError{exitThresholdMissed, fmt.Errorf("%d of %s did not pass", failed, counted(len(paths), "capture"))}
	}
	return nil
}

func verifyFile(path string, o verify.Options) (*verify.Report, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("verify: %w", err)
	}
	defer f.Close()
	return verify.Read(f, path, o)
}

func printVerified(w io.Writer, reports []*verify.Report, asJSON bool) error {
	if asJSON {
		data, err := json.MarshalIndent(reports, "", "  ")
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(w, "%s\n", data)
		return err
	}
	for i, r := range reports {
		if i > 0 {
			fmt.Fprintln(w)
		}
		if err := printReport(w, r); err != nil {
			return err
		}
	}
	return nil
}

func printReport(w io.Writer, r *verify.Report) error {
	verdict := "passed"
	switch {
	case r.TestFrames == 0:
		verdict = "FAILED: it holds no test frame"
	case !r.Passed():
		verdict = "FAILED"
	}
	fmt.Fprintf(w, "%s: %s\n", r.File, verdict)
	fmt.Fprintf(w, "%s, %s, %d of them test frames, %s, %s", r.Format, counted(r.Frames, "frame"), r.TestFrames, counted(r.Flows, "flow"), counted(len(r.Epochs), "epoch"))
	if len(r.Interfaces) > 0 {
		fmt.Fprintf(w, ", seen on %s", strings.Join(r.Interfaces, ", "))
	}
	fmt.Fprintf(w, "\n\n")
	t := tabwriter.NewWriter(w, 0, 0, 3, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "frames\tIP\tframe with FCS\tIP length\tUDP payload\t")
	for _, s := range r.Sizes {
		fmt.Fprintf(t, "%d\tv%d\t%d B\t%d B\t%d B\t\n", s.Frames, s.IPVersion, s.FrameBytes, s.IPBytes, s.PayloadBytes)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	fmt.Fprintln(w)
	t = tabwriter.NewWriter(w, 0, 0, 3, ' ', 0)
	fmt.Fprintln(t, "check\tpassed\tfailed\tfirst that failed")
	for _, c := range r.Checks {
		first := ""
		if c.Failed > 0 {
			first = fmt.Sprintf("frame %d: %s", c.FirstFailed, c.Reason)
		}
		fmt.Fprintf(t, "%s\t%d\t%d\t%s\n", c.Name, c.Passed, c.Failed, first)
	}
	return t.Flush()
}
