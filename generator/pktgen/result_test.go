package pktgen

import (
	"reflect"
	"strings"
	"testing"
)

// deviceText is a device's control file as pktgen_if_show of Linux 6.1 writes it, after a load.
const deviceText = `Params: count 1000  min_pkt_size: 60  max_pkt_size: 60
     frags: 0  delay: 0  clone_skb: 0  ifname: g0@0
     flows: 0 flowlen: 0
     queue_map_min: 0  queue_map_max: 0
     dst_min: 198.19.1.1  dst_max: 198.19.1.1
     src_min: 198.18.1.1  src_max: 198.18.1.1
     src_mac: 02:00:5e:10:00:0a dst_mac: 02:00:5e:10:00:0b
     udp_src_min: 1024  udp_src_max: 1034  udp_dst_min: 9  udp_dst_max: 9
     src_mac_count: 0  dst_mac_count: 0
     Flags: UDPSRC_RND  UDPCSUM  
Current:
     pkts-sofar: 1000  errors: 3
     started: 5000us  stopped: 8765us idle: 40us
     seq_num: 1001  cur_dst_mac_offset: 0  cur_src_mac_offset: 0
     cur_saddr: 198.18.1.1  cur_daddr: 198.19.1.1
     cur_udp_dst: 9  cur_udp_src: 1028
     cur_queue_map: 0
     flows: 0
Result: OK: 3765(c3725+d40) usec, 1000 (60byte,0frags)
  265590pps 123Mb/sec (123233760bps) errors: 3
`

func TestParse(t *testing.T) {
	whole := Report{Packets: 1000, Errors: 3, FrameBytes: 60, DurationUS: 3765, BusyUS: 3725, IdleUS: 40, PPS: 265590, Flags: []string{"UDPSRC_RND", "UDPCSUM"}}
	running, echo := whole, whole
	running.Running, running.Said = true, "Running"
	echo.Said = "OK: flag=UDPCSUM"
	for _, r := range []*Report{&running, &echo} {
		r.FrameBytes, r.DurationUS, r.BusyUS, r.IdleUS, r.PPS = 0, 0, 0, 0, 0
	}
	at := strings.Index(deviceText, "Result:")
	for _, tt := range []struct {
		name, text string
		want       Report
	}{
		{"after a load", deviceText, whole},
		{"while it sends", deviceText[:at] + "Result: Running\n", running},
		{"after another command", deviceText[:at] + "Result: OK: flag=UDPCSUM\n", echo},
		{"the article's", "     pkts-sofar: 17662390  errors: 0\nResult: OK: 5331000(c5330000+d1000) usec, 17662390 (60byte,0frags)\n  3313141pps 1590Mb/sec (1590307680bps) errors: 0\n",
			Report{Packets: 17662390, FrameBytes: 60, DurationUS: 5331000, BusyUS: 5330000, IdleUS: 1000, PPS: 3313141}},
		{"never used", "Current:\n     pkts-sofar: 0  errors: 0\nResult: Idle\n", Report{Said: "Idle"}},
	} {
		if got, err := Parse(tt.text); err != nil || !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%s: %+v, %v\nwant %+v", tt.name, got, err, tt.want)
		}
	}
	for _, text := range []string{"", "Running:\n\nStopped: g0@0\nResult: OK: max_before_softirq=10000\n",
		"     pkts-sofar: 999  errors: 0\nResult: OK: 3765(c3725+d40) usec, 1000 (60byte,0frags)\n"} {
		if r, err := Parse(text); err == nil {
			t.Errorf("%q is read as %+v", text, r)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add(deviceText)
	f.Fuzz(func(t *testing.T, text string) {
		if r, err := Parse(text); err == nil && !strings.Contains(text, "pkts-sofar") {
			t.Errorf("%q is read as %+v", text, r)
		}
	})
}
