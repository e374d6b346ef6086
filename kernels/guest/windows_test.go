package guest

import (
	"slices"
	"testing"
)

func TestSymbolsArePackedAndUnpacked(t *testing.T) {
	list := []symbol{{0xffffffff81000000, "_text"}, {0xffffffff81000000, "_stext"}, {0xffffffff81000040, "ip_forward"}, {0xffffffffc0000000, "br_forward [bridge]"}}
	data, err := packSymbols(list)
	if err != nil {
		t.Fatal(err)
	}
	s, err := UnpackSymbols(data)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(s.list, list) {
		t.Errorf("%v became %v", list, s.list)
	}
	for address, want := range map[uint64]string{
		0: "[user]", 0xffffffff80ffffff: "[unknown]", 0xffffffff8100003f: "_text", 0xffffffff81000040: "ip_forward", 0xffffffffc0000123: "br_forward [bridge]",
	} {
		if got := s.At(address); got != want {
			t.Errorf("address %#x is in %s, want %s", address, got, want)
		}
	}
}

func TestSymbolsThatAreNone(t *testing.T) {
	empty, err := packSymbols(nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, data := range [][]byte{nil, []byte("plain text"), empty} {
		if s, err := UnpackSymbols(data); err == nil {
			t.Errorf("%q became %v", data, s)
		}
	}
}
