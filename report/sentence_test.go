package report

import "testing"

func TestSeparated(t *testing.T) {
	for in, want := range map[string]string{
		"at 1234567 pps 12345 frames were lost":    "at 1,234,567 pps 12,345 frames were lost",
		"of 10000 (99999), 123456: 654321.":        "of 10,000 (99,999), 123,456: 654,321.",
		"0.123456 of 9999 and 0x12345 and a12345b": "0.123456 of 9999 and 0x12345 and a12345b",
		"set net.core.rmem_max=1234567":            "set net.core.rmem_max=1234567",
	} {
		if got := separated(in); got != want {
			t.Errorf("%q is shown as %q, want %q", in, got, want)
		}
	}
}
