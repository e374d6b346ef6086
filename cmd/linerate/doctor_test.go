package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"runtime"
	"strings"
	"testing"

	"github.com/linerate/linerate/internal/doctor"
	"github.com/linerate/linerate/internal/kernel"
	"github.com/linerate/linerate/internal/testenv"
)

func TestDoctorJSON(t *testing.T) {
	testenv.NeedRoot(t)
	var out bytes.Buffer
	c := doctorCommand()
	c.SetOut(&out)
	c.SetArgs([]string{"--json"})
	c.SilenceErrors, c.SilenceUsage = true, true
	failed := c.Execute()
	var report doctor.Report
	if err := json.Unmarshal(out.Bytes(), &report); err != nil {
		t.Fatalf("%v in:\n%s", err, out.String())
	}
	if report.Schema != doctor.SchemaV1 || len(report.Groups) != 3 || len(report.Disturbance) != runtime.NumCPU() {
		t.Errorf("the examination is incomplete: %+v", report)
	}
	var missing *kernel.MissingError
	if (report.Verdict == doctor.NotPossible) != errors.As(failed, &missing) {
		t.Errorf("the verdict is %q with the error %v", report.Verdict, failed)
	}
}

func TestDoctorText(t *testing.T) {
	var out bytes.Buffer
	report := doctor.Report{Verdict: doctor.Ready, Summary: "all is well", Groups: []doctor.Group{{Name: "kernel", Rows: []doctor.Row{{Name: "root", Status: doctor.OK, Detail: "it is"}}}}}
	if err := writeExamination(&out, report, false); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), "ready: all is well") || strings.Contains(out.String(), "\x1b") {
		t.Errorf("into a pipe goes %q", out.String())
	}
}

func TestUnfitErrorHoldsWhatIsMissing(t *testing.T) {
	var err error = &unfitError{&kernel.MissingError{Missing: []kernel.Missing{{Name: "BTF"}}}}
	var missing *kernel.MissingError
	if !errors.As(err, &missing) || missing.Names() != "no BTF" {
		t.Errorf("%v", err)
	}
	if strings.Contains(err.Error(), "\n") {
		t.Errorf("the message has several lines: %v", err)
	}
}
