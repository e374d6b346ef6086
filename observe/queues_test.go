package observe

import (
	"maps"
	"strings"
	"testing"
)

func TestSoftnetIsParsed(t *testing.T) {
	const modern = `00019b5b 00000000 00000000 0 0 0 0 0 0 0 00000000 00000000 00000000 00000000 00000000
9c07f227 00000001 00000000 0 0 0 0 0 0 0 00000000 00000000 00000003 00000000 00000000
`
	for text, want := range map[string]map[int]uint64{
		modern:                         {0: 0x19b5b, 3: 0x9c07f227},
		"0000000a 0 0\n00000010 0 0\n": {0: 10, 1: 16},
		"":                             {},
	} {
		got, err := parseSoftnet([]byte(text))
		if err != nil || !maps.Equal(got, want) {
			t.Errorf("%q: %v, %v; want %v", text, got, err, want)
		}
	}
	if _, err := parseSoftnet([]byte("xyz 0\n")); err == nil || !strings.Contains(err.Error(), "softnet_stat") {
		t.Errorf("a line without numbers: %v", err)
	}
}

func TestQueueCountersAreFound(t *testing.T) {
	got, err := queueFrames(map[string]uint64{"rx_queue_0_xdp_packets": 5, "rx_queue_11_xdp_packets": 7, "rx_queue_0_drops": 9, "tx_queue_0_xdp_xmit": 3, "peer_ifindex": 2})
	if want := map[int]uint64{0: 5, 11: 7}; err != nil || !maps.Equal(got, want) {
		t.Errorf("%v, %v; want %v", got, err, want)
	}
	if got, err := queueFrames(map[string]uint64{"rx_packets": 5}); err != nil || len(got) != 0 {
		t.Errorf("a driver without counters of queues: %v, %v", got, err)
	}
}
