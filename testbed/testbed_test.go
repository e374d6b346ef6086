package testbed

import (
	"maps"
	"testing"
)

func TestRolesOfSharedCPUs(t *testing.T) {
	got := CPUs{DUT: []int{2, 3}, Generators: []int{0, 1}, Sinks: []int{2, 3, 4}}.Roles()
	want := map[int]string{0: "generator", 1: "generator", 2: "dut+sink", 3: "dut+sink", 4: "sink"}
	if !maps.Equal(got, want) {
		t.Errorf("roles are %v, want %v", got, want)
	}
}
