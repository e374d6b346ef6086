package kernels

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"time"

	"github.com/linerate/linerate/kernels/guest"
	"github.com/linerate/linerate/testbed/vm"
)

// boot is one guest from its start to its end.
type boot struct {
	Seed    int64
	Wall    time.Duration
	Booted  guest.Booted
	Cells   []guest.Measured
	Command []string
	// Counts are of each instruction, with the kernel's symbols as Raw, if that was asked for.
	Counts vm.Counts
}

// request is what every boot of a kernel has in common.
type request struct {
	kernel         *vm.Kernel
	modules        []vm.Module
	init           string
	cells          []guest.Cell
	packets        int
	repetitions    int
	profilePackets int
	windowPackets  int
	memoryBytes    uint64
	limit          time.Duration
	// cards are those of the guest, by MAC address.
	cards []string
	// files are more files of the guest: the programs that scenarios need.
	files map[string][]byte
	// versions are those of the programs.
	versions map[string]string
	// rate and accelerator are those of guests whose rates are measured.
	rate        *guest.Rate
	accelerator vm.Accelerator
}

// guest is the virtual machine that does what is asked, of these modules.
func (q request) guest(asked guest.Request) (vm.Guest, error) {
	for _, m := range q.modules {
		asked.Modules = append(asked.Modules, guest.Module{Name: m.Name, Path: vm.ModulePath(m.Name), Optional: m.Optional})
	}
	text, err := json.Marshal(asked)
	if err != nil {
		return vm.Guest{}, fmt.Errorf("encode the guest's request: %w", err)
	}
	files := map[string][]byte{guest.RequestFile: text}
	maps.Copy(files, q.files)
	return vm.Guest{
		Kernel: q.kernel, Init: q.init, Arguments: []string{guest.Argument},
		Files: files, Modules: q.modules,
		MemoryBytes: q.memoryBytes, Seed: asked.Seed, TimeLimit: q.limit, Cards: q.cards,
	}, nil
}

// bootOnce boots the kernel and collects what it reports.
func (q request) bootOnce(ctx context.Context, seed int64) (boot, error) {
	b := boot{Seed: seed}
	asked := guest.Request{Seed: seed, Cells: q.cells, Packets: q.packets, Repetitions: q.repetitions, ProfilePackets: q.profilePackets, WindowPackets: q.windowPackets, SymbolPort: vm.RawPort}
	machine, err := q.guest(asked)
	if err != nil {
		return b, err
	}
	b.Command = machine.Command("INITRAMFS")
	if q.windowPackets > 0 {
		machine.Counts = &b.Counts
	}
	done, failure := false, ""
	var unread []byte
	began := time.Now()
	console, err := machine.Run(ctx, func(line []byte) {
		var r guest.Report
		if err := json.Unmarshal(line, &r); err != nil {
			unread = bytes.TrimSpace(line)
			return
		}
		switch {
		case r.Booted != nil:
			b.Booted = *r.Booted
		case r.Cell != nil:
			b.Cells = append(b.Cells, *r.Cell)
		case r.Error != "":
			failure = r.Error
		case r.Done:
			done = true
		}
	})
	b.Wall = time.Since(began)
	switch {
	case err != nil:
		return b, err
	case failure != "":
		return b, fmt.Errorf("boot kernel %s: in the guest: %s", q.kernel.Name, failure)
	case unread != nil:
		return b, fmt.Errorf("boot kernel %s: the guest reported what is not understood: %.100q", q.kernel.Name, unread)
	case !done:
		return b, &vm.Error{Kernel: q.kernel.Name, Reason: fmt.Sprintf("the guest ended after %d of %d cells", len(b.Cells), len(q.cells)), Console: console}
	}
	return b, nil
}
