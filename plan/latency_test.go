package plan

import (
	"strings"
	"testing"
)

func TestLatencyProblems(t *testing.T) {
	for text, want := range map[string]string{
		"latency: {enabled: maybe}":                          `latency.enabled: "maybe" is neither true nor false; write true or false`,
		"latency: {enabled: yes}":                            `"yes" is neither true nor false`,
		"latency: {enabled: \"true\"}":                       "is neither true nor false",
		"latency: {enabled: true, loads: []}":                "p.yaml:1:33: latency.loads: is empty, and so is load_pps",
		"latency: {loads: [0.1, 10]}":                        "latency.loads[1]: 10 is out of range: above 0 and at most 2, in shares of the throughput; if percent is meant, write 10%",
		"latency: {loads: [50%, 0.5]}":                       "latency.loads[1]: 50% is the same as latency.loads[0]",
		"latency: {load_pps: [0]}":                           "latency.load_pps[0]: 0 is out of range",
		"latency: {throughput_goal: MRR}":                    `p.yaml:1:28: latency.throughput_goal: "MRR" is not a goal of this plan`,
		"latency: {trial_duration: 0s}\nname: x":             "latency.trial_duration: 0s is out of range",
		"latency: {enabled: true, trial_duration: 0s}":       "latency.trial_duration: 0s is out of range",
		"latency: {enabled: true, loads: [], load_pps: [5]}": "",
		"latency: {enabled: true, throughput_goal: ndr}":     "",
	} {
		_, err := Parse("p.yaml", []byte(text))
		if want == "" {
			if err != nil {
				t.Errorf("%s: %v", text, err)
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s:\ngot  %v\nwant %s", text, err, want)
		}
	}
}
