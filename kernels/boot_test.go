package kernels

import (
	"context"
	"os"
	"testing"
	"time"

	"github.com/linerate/linerate/kernels/guest"
	"github.com/linerate/linerate/testbed/vm"
)

func TestTry(t *testing.T) {
	k, err := vm.Open(context.Background(), os.Getenv("K"), "/tmp/vm/kernels")
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%+v", k)
	names, _ := guest.Modules(guest.Scenarios())
	mods, err := k.Modules(names...)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range mods {
		t.Log(m.Name, len(m.Data), m.Optional)
	}
	q := request{kernel: k, modules: mods, init: "/tmp/vm/linerate", packets: 2000, repetitions: 3, memoryBytes: 512 << 20, limit: 3 * time.Minute}
	for _, s := range []string{"none", "route", "conntrack-nft", "snat-nft", "bridge"} {
		for _, f := range []int{1, 10000} {
			q.cells = append(q.cells, guest.Cell{Scenario: s, Flows: f, FrameSize: 64})
		}
	}
	b, err := q.bootOnce(context.Background(), 1)
	t.Log(b.Wall, b.Booted)
	for _, c := range b.Cells {
		t.Logf("%-14s %6d %v %v %d", c.Scenario, c.Flows, c.BusyNS, c.Failure, c.ConntrackEntries)
	}
	if err != nil {
		t.Fatal(err)
	}
}
