package lab

import (
	"reflect"
	"testing"

	"github.com/linerate/linerate/plan"
	"github.com/linerate/linerate/testbed"
)

func TestDeal(t *testing.T) {
	type list = []int
	tests := []struct {
		name                       string
		online, dut, tester, sinks list
		want                       testbed.CPUs
		shared, sinksBesideDUT     bool
	}{
		{"one CPU is shared", list{0}, nil, nil, nil, testbed.CPUs{DUT: list{0}, Generators: list{0}, Sinks: list{0}}, true, true},
		{"two: the sinks go beside the DUT", list{0, 1}, nil, nil, nil, testbed.CPUs{DUT: list{1}, Generators: list{0}, Sinks: list{1}}, false, true},
		{"two, the sinks where the plan says", list{0, 1}, nil, nil, list{0}, testbed.CPUs{DUT: list{1}, Generators: list{0}, Sinks: list{0}}, false, false},
		{"two, the DUT on the other", list{0, 1}, list{0}, nil, nil, testbed.CPUs{DUT: list{0}, Generators: list{1}, Sinks: list{0}}, false, true},
		{"three: one each", list{0, 1, 2}, nil, nil, nil, testbed.CPUs{DUT: list{2}, Generators: list{0}, Sinks: list{1}}, false, false},
		{"four", list{0, 1, 2, 3}, nil, nil, nil, testbed.CPUs{DUT: list{3}, Generators: list{0, 1}, Sinks: list{2}}, false, false},
		{"eight: as many generators as DUT CPUs", list{0, 1, 2, 3, 4, 5, 6, 7}, nil, nil, nil, testbed.CPUs{DUT: list{5, 6, 7}, Generators: list{0, 1, 2, 3}, Sinks: list{4}}, false, false},
		{"the tester only", list{0, 1, 2, 3}, nil, list{1}, nil, testbed.CPUs{DUT: list{0, 2, 3}, Generators: list{1}, Sinks: list{0, 2, 3}}, false, true},
		{"all named", list{0, 1, 2, 3}, list{0, 1}, list{2, 3}, list{3}, testbed.CPUs{DUT: list{0, 1}, Generators: list{2}, Sinks: list{3}}, false, false},
		{"DUT on every CPU", list{0, 1}, list{0, 1}, nil, nil, testbed.CPUs{DUT: list{0, 1}, Generators: list{0}, Sinks: list{0, 1}}, true, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := deal(tt.online, tt.dut, tt.tester, tt.sinks)
			if !reflect.DeepEqual(got, tt.want) {
				t.Errorf("got %+v, want %+v", got, tt.want)
			}
			if got.Shared() != tt.shared || got.SinksBesideDUT() != tt.sinksBesideDUT {
				t.Errorf("shared %v, sinks beside the DUT %v", got.Shared(), got.SinksBesideDUT())
			}
		})
	}
}

func TestPlaceRefusesWhatIsNotThere(t *testing.T) {
	_, err := Place(plan.Lab{DUTCPUs: plan.CPUList{8000}})
	if err == nil {
		t.Fatal("CPU 8000 was accepted")
	}
	t.Log(err)
}
