package result

import "testing"

func TestRatios(t *testing.T) {
	tests := []struct {
		name         string
		trial        Trial
		loss, unsent float64
	}{
		{"nothing was asked for", Trial{Lost: 3, Unsent: 2}, 0, 0},
		{"all arrived", Trial{Intended: 1000, Sent: 1000, Received: 1000}, 0, 0},
		{"some were lost", Trial{Intended: 1000, Sent: 1000, Received: 995, Lost: 5}, 0.005, 0},
		{"what could not be offered counts as not passed", Trial{Intended: 1000, Sent: 990, Unsent: 10, Received: 990}, 0.01, 0.01},
		{"lost and unsent add up", Trial{Intended: 1000, Sent: 990, Unsent: 10, Received: 960, Lost: 30}, 0.04, 0.01},
		{"nothing was sent", Trial{Intended: 1000, Unsent: 1000}, 1, 1},
		{"duplicates do not make up for loss", Trial{Intended: 1000, Sent: 1000, Received: 990, Lost: 10, Duplicated: 10}, 0.01, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := tt.trial.LossRatio(); got != tt.loss {
				t.Errorf("loss ratio %v, want %v", got, tt.loss)
			}
			if got := tt.trial.UnsentRatio(); got != tt.unsent {
				t.Errorf("unsent ratio %v, want %v", got, tt.unsent)
			}
		})
	}
}

func TestForwardingRate(t *testing.T) {
	if got := (Trial{Received: 5000, ActualDurationS: 0.5}).ReceivedPPS(); got != 10_000 {
		t.Errorf("%v pps, want 10000", got)
	}
	if got := (Trial{Received: 5000}).ReceivedPPS(); got != 0 {
		t.Errorf("%v pps without a duration, want 0", got)
	}
}
