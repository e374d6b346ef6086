package plan

import (
	"reflect"
	"testing"
)

func TestCellsOrderAndNames(t *testing.T) {
	p := Default()
	p.Scenarios = []Scenario{"snat", "route"}
	p.Traffic.FrameSizes = []FrameSize{1518, IMIX}
	p.Traffic.Flows = []int{10_000, 1}
	p.Traffic.Directions = []Direction{Uni, Bi}
	var got []string
	for _, c := range p.Cells() {
		got = append(got, c.ID())
	}
	want := []string{
		"snat-nft/ipv4/1518B/10000f/uni", "snat-nft/ipv4/1518B/10000f/bi", "snat-nft/ipv4/1518B/1f/uni", "snat-nft/ipv4/1518B/1f/bi",
		"snat-nft/ipv4/imix/10000f/uni", "snat-nft/ipv4/imix/10000f/bi", "snat-nft/ipv4/imix/1f/uni", "snat-nft/ipv4/imix/1f/bi",
		"route/ipv4/1518B/10000f/uni", "route/ipv4/1518B/10000f/bi", "route/ipv4/1518B/1f/uni", "route/ipv4/1518B/1f/bi",
		"route/ipv4/imix/10000f/uni", "route/ipv4/imix/10000f/bi", "route/ipv4/imix/1f/uni", "route/ipv4/imix/1f/bi",
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

func TestCellTitles(t *testing.T) {
	tests := []struct {
		cell      Cell
		id, title string
	}{
		{Cell{"snat", "nft", 4, 64, 10_000, Bi, 0, "", ""}, "snat-nft/ipv4/64B/10000f/bi", "snat (nft), IPv4, 64 B, 10,000 flows, both directions"},
		{Cell{"route", "", 6, IMIX, 1, Uni, 0, "", ""}, "route/ipv6/imix/1f/uni", "route, IPv6, IMIX, 1 flow, one direction"},
		{Cell{"limit", "nft", 4, 9018, 1_000_000, Uni, 0, "", ""}, "limit/ipv4/9018B/1000000f/uni", "limit (nft), IPv4, 9,018 B, 1,000,000 flows, one direction"},
	}
	for _, tt := range tests {
		if tt.cell.ID() != tt.id || tt.cell.Title() != tt.title {
			t.Errorf("%+v: %s, %q", tt.cell, tt.cell.ID(), tt.cell.Title())
		}
	}
}
