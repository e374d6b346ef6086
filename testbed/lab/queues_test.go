package lab

import (
	"slices"
	"testing"
)

func TestEachGeneratorHasAQueue(t *testing.T) {
	type list = []int
	tests := []struct {
		name             string
		generators, cpus list
		count            int
		used             list
		homes            list
	}{
		{"one", list{0}, list{1}, 1, list{0}, list{1}},
		{"one on a high CPU", list{7}, list{0}, 1, list{0}, list{0}},
		{"neighbours", list{0, 1}, list{2, 3}, 2, list{0, 1}, list{2, 3}},
		{"neighbours off zero", list{3, 4}, list{0, 1}, 2, list{1, 0}, list{1, 0}},
		{"0 and 2 share one queue of two", list{0, 2}, list{1, 3}, 3, list{0, 2}, list{1, 1, 3}},
		{"0 and 6", list{0, 6}, list{1, 2}, 4, list{0, 2}, list{1, 1, 2, 2}},
		{"even CPUs", list{0, 2, 4, 6}, list{1, 3, 5, 7}, 5, list{0, 2, 4, 1}, list{1, 7, 3, 1, 5}},
		{"0, 2 and 4", list{0, 2, 4}, list{1, 3}, 3, list{0, 2, 1}, list{1, 1, 3}},
		{"0, 3 and 6: the fourth comes last", list{0, 3, 6}, list{1, 2}, 4, list{0, 3, 2}, list{1, 2, 1, 2}},
		{"far apart", list{0, 64, 128, 192}, list{1}, 5, list{0, 4, 3, 2}, list{1, 1, 1, 1, 1}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			count := queueCount(tt.generators)
			if count != tt.count {
				t.Fatalf("%d queues, want %d", count, tt.count)
			}
			if got := usedQueues(count, tt.generators); !slices.Equal(got, tt.used) {
				t.Errorf("used are %v, want %v", got, tt.used)
			}
			if got := homes(count, tt.generators, tt.cpus); !slices.Equal(got, tt.homes) {
				t.Errorf("the queues are on %v, want %v", got, tt.homes)
			}
		})
	}
}

func TestQueueCountOfOddCases(t *testing.T) {
	const apart = 5342931457063200 // the least common multiple of the numbers up to 40
	if got := queueCount([]int{0, apart}); got != 41 {
		t.Errorf("%d queues for CPUs %d apart, want 41", got, apart)
	}
	if got := queueCount([]int{5, 5}); got != 2 {
		t.Errorf("%d queues for a CPU named twice, which no number tells apart, want 2", got)
	}
	if got := queueCount(nil); got != 1 {
		t.Errorf("%d queues without generators, want 1", got)
	}
}
