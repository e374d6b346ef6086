package kernel

import (
	"fmt"
	"strings"
)

// Missing is one thing that this machine lacks.
type Missing struct {
	Name   string `json:"name"`
	Reason string `json:"reason"`
	Cost   string `json:"cost"`
	Fix    string `json:"fix"`
}

// MissingError says all that this machine lacks for measuring at all. A program
// that ends because of it exits with code 3.
type MissingError struct {
	Missing []Missing
}

// Error names each missing thing with its reason, its cost and its cure, one paragraph each.
func (e *MissingError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "this machine cannot measure: %s", e.Names())
	for _, m := range e.Missing {
		fmt.Fprintf(&b, "\n  %s: %s\n    without it: %s\n    to get it:  %s", m.Name, m.Reason, m.Cost, m.Fix)
	}
	return b.String()
}

// Line says what is missing, why, and what to do, in one line.
func (e *MissingError) Line() string {
	parts := make([]string, len(e.Missing))
	for i, m := range e.Missing {
		parts[i] = fmt.Sprintf("no %s: %s; %s", m.Name, m.Reason, m.Fix)
	}
	return strings.Join(parts, "; ")
}

// Names lists what is missing in one line.
func (e *MissingError) Names() string {
	names := make([]string, len(e.Missing))
	for i, m := range e.Missing {
		names[i] = "no " + m.Name
	}
	return strings.Join(names, ", ")
}

// Require tries what every measurement needs (ForLabFeatures), as `linerate doctor`
// does. The error is a *MissingError with all that is missing.
func Require() error {
	missing := lackingOf(ForLabFeatures())
	if len(missing) == 0 {
		return nil
	}
	return &MissingError{Missing: missing}
}

// lackingOf tries the features. What root alone may try and what was refused for
// that reason is not reported as a lack of the kernel, unless its release rules it out.
func lackingOf(features []Feature) []Missing {
	var missing []Missing
	for _, f := range features {
		_, err := f.Try()
		if err == nil {
			continue
		}
		if f.NotTried(err) {
			if err = tooOld(f.Name, Release()); err == nil {
				continue
			}
		}
		missing = append(missing, f.lack(err))
	}
	return missing
}

func (f Feature) lack(reason error) Missing {
	return Missing{Name: f.Name, Reason: reason.Error(), Cost: f.Cost, Fix: f.Fix}
}

// tooOld judges live frames by the release where they may not be tried. A release that cannot be read passes.
func tooOld(feature, release string) error {
	major, minor, err := version(release)
	if err != nil || feature != LiveFrames.Name {
		return nil
	}
	if major < 5 || major == 5 && minor < 18 {
		return fmt.Errorf("release %s is older than Linux 5.18 (not tried: that needs root)", release)
	}
	return nil
}
