package trial

import (
	"reflect"
	"strings"
	"testing"

	"github.com/linerate/linerate/frame"
	"github.com/linerate/linerate/result"
	"github.com/linerate/linerate/sink"
	"github.com/linerate/linerate/testbed"
)

func TestUnevenCPUs(t *testing.T) {
	core := func(cpu int, role string, idle float64) result.Core {
		return result.Core{CPU: cpu, Role: role, Idle: idle}
	}
	queue := func(cpu int, busy float64) result.QueueShare { return result.QueueShare{CPU: cpu, BusyRatio: busy} }
	tests := []struct {
		name   string
		cores  []result.Core
		queues []result.QueueShare
		want   string
	}{
		{"one full, one idle", []result.Core{core(1, "dut", 0.01), core(2, "dut", 0.98)}, []result.QueueShare{queue(1, 0.97), queue(2, 0.01)}, "CPU 1 of the DUT is 99 % busy, 97 % with forwarding, CPU 2 only 2 %: more flows"},
		{"two queues of the full one together", []result.Core{core(1, "dut", 0.03), core(2, "dut", 0.6)}, []result.QueueShare{queue(1, 0.4), queue(1, 0.4), queue(2, 0.4)}, "CPU 2 only 40 %"},
		{"both full", []result.Core{core(1, "dut", 0.01), core(2, "dut", 0.02)}, []result.QueueShare{queue(1, 0.97), queue(2, 0.95)}, ""},
		{"none full", []result.Core{core(1, "dut", 0.2), core(2, "dut", 0.98)}, []result.QueueShare{queue(1, 0.8)}, ""},
		{"the other at work too", []result.Core{core(1, "dut", 0.01), core(2, "dut", 0.4)}, []result.QueueShare{queue(1, 0.97), queue(2, 0.6)}, ""},
		{"one CPU only", []result.Core{core(1, "dut+sink", 0)}, []result.QueueShare{queue(1, 0.6)}, ""},
		{"the generator fills the first", []result.Core{core(0, "dut+generator", 0), core(1, "dut", 0.7)}, []result.QueueShare{queue(0, 0.1), queue(1, 0.3)}, ""},
		{"the idle one is no CPU of the DUT", []result.Core{core(0, "sink", 0.9), core(1, "dut", 0)}, []result.QueueShare{queue(1, 0.97)}, ""},
		{"nothing known", nil, nil, ""},
	}
	for _, tt := range tests {
		got := unevenCPUs(tt.cores, tt.queues)
		if tt.want == "" && got != "" || !strings.Contains(got, tt.want) {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
	list := doubts(result.Trial{CPU: &result.CPU{PerCore: tests[0].cores}, QueueShares: tests[0].queues})
	if len(list) != 1 || list[0].Code != "uneven-cpus" {
		t.Errorf("doubts %v", list)
	}
}

func TestQueueShares(t *testing.T) {
	queues := []testbed.Queue{
		{Netns: "n", Interface: "da-1", Device: "da", Number: 0, CPU: 2}, {Netns: "n", Interface: "da-1", Device: "da", Number: 1, CPU: 3},
		{Netns: "n", Interface: "db-1", Device: "db", Number: 0, CPU: 2},
	}
	da, db := device{"n", "da-1"}, device{"n", "db-1"}
	before := map[device]map[int]uint64{da: {0: 100, 1: 200}, db: {0: 5}}
	after := map[device]map[int]uint64{da: {0: 150, 1: 900}, db: {0: 5}}
	got := queueShares(queues, []uint64{5e8, 2e9, 0}, 2, before, after)
	want := []result.QueueShare{
		{Device: "da", Queue: 0, CPU: 2, BusyRatio: 0.25, Frames: 50}, {Device: "da", Queue: 1, CPU: 3, BusyRatio: 1, Frames: 700}, {Device: "db", Queue: 0, CPU: 2},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v\nwant %+v", got, want)
	}
	if queueShares(queues, []uint64{1}, 2, before, after) != nil || queueShares(queues, []uint64{1, 2, 3}, 0, before, after) != nil {
		t.Error("shares without the time of every thread")
	}
	if got := perCPU(sink.Counts{PerCPU: []uint64{0, 5, 0, 7}}); !reflect.DeepEqual(got, []result.CPUFrames{{CPU: 1, Frames: 5}, {CPU: 3, Frames: 7}}) {
		t.Errorf("frames per CPU: %v", got)
	}
}

func TestLatencyVariationIsSummarised(t *testing.T) {
	if variationOf(new(frame.Variation)) != nil {
		t.Error("no pairs have a variation")
	}
	v := frame.Variation{MinNS: -9, MaxNS: 20}
	v.Falling[9], v.Rising[2], v.Rising[20] = 1, 2, 1
	want := &result.Variation{Pairs: 4, MinNS: -9, MedianNS: 2, MaxNS: 20, AmountP50NS: 2, AmountP99NS: 20,
		Amounts: []result.Bucket{{UpToNS: 2, Frames: 2}, {UpToNS: 9, Frames: 1}, {UpToNS: 20, Frames: 1}}}
	if got := variationOf(&v); !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v\nwant %+v", got, want)
	}
}
