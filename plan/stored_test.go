package plan

import (
	"encoding/json"
	"reflect"
	"testing"
)

// TestComplete takes away what a record of an earlier version lacks, and keeps what it says.
func TestComplete(t *testing.T) {
	p := Default()
	p.VM.Seeds, p.Observe = 5, Observe{}
	text, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	var fields map[string]any
	if err := json.Unmarshal(text, &fields); err != nil {
		t.Fatal(err)
	}
	delete(fields, "cost")
	delete(fields, "ecmp")
	delete(fields, "latency")
	delete(fields, "iperf3")
	for _, name := range []string{"metric", "accelerator", "rounds", "trial_duration", "iptables", "attribute_by"} {
		delete(fields["vm"].(map[string]any), name)
	}
	if text, err = json.Marshal(fields); err != nil {
		t.Fatal(err)
	}
	var stored Plan
	if err := json.Unmarshal(text, &stored); err != nil {
		t.Fatal(err)
	}
	if err := stored.Validate(); err == nil {
		t.Error("a plan without choices is valid before it is completed")
	}
	stored.Complete()
	if err := stored.Validate(); err != nil {
		t.Error(err)
	}
	if stored.VM != p.VM || stored.Cost != p.Cost || stored.Observe != p.Observe || !reflect.DeepEqual(stored.ECMP, p.ECMP) {
		t.Errorf("got  %+v\nwant %+v", stored, p)
	}
}
