package result

// InstructionsPerPacket are the instructions that the guest's CPU executed for one packet, all of
// the kernel's work counted: the generator, the devices, the DUT and the sink. QEMU's icount with
// shift=0 executes one instruction in a nanosecond of the guest's time, so that a duration measured
// in the guest is a number of instructions (docs/kernels.md).
type InstructionsPerPacket struct {
	// Value is the median over the boots of the median of each boot's repetitions.
	Value float64 `json:"value"`
	// SinkOnly is the Value of the same kernel and traffic without a DUT: generator, one device and
	// sink. Value less SinkOnly is the DUT's share. 0 if the plan does not have the scenario none.
	SinkOnly float64 `json:"sink_only"`
	// EndHostShareRatio is SinkOnly/Value, the share that is not the DUT's; 0 without SinkOnly.
	EndHostShareRatio float64 `json:"end_host_share_ratio"`
	// Min and Max are the least and the greatest of the boots.
	Min float64 `json:"min"`
	Max float64 `json:"max"`
	// Boots is the number of boots with a figure.
	Boots int `json:"boots"`
	// PerBoot are their figures, in the order of the kernel's boots.
	PerBoot []float64 `json:"per_boot"`
}

// Kernel is one that a run booted.
type Kernel struct {
	// Name tells it apart in this run; AskedFor is what the plan says.
	Name     string `json:"name"`
	AskedFor string `json:"asked_for"`
	// Release and Version are those of uname(2), in the guest.
	Release string `json:"release"`
	Version string `json:"version"`
	// Source is where it came from: package, version and hash, or file.
	Source string `json:"source"`
	// CommandLine is the kernel's; QEMU is the emulator's, with INITRAMFS for the archive that linerate builds.
	CommandLine string   `json:"command_line"`
	QEMU        []string `json:"qemu"`
	// Modules were loaded, in this order; ModulesRefused are optional ones that were not.
	Modules        []string     `json:"modules"`
	ModulesRefused []string     `json:"modules_refused"`
	Boots          []KernelBoot `json:"boots"`
	// Error says why the kernel was not measured, or not as often as the plan asks; empty if it was.
	Error string `json:"error"`
}

// KernelBoot is one boot of a kernel.
type KernelBoot struct {
	Seed int64 `json:"seed"`
	// Accelerator is "kvm" or "tcg" if the boot was one for rates; empty if it counted instructions.
	Accelerator string `json:"accelerator,omitempty"`
	// WallS is the real time from the start of the emulator to its end, in seconds; of a boot for rates, to the end of the boot.
	WallS float64 `json:"wall_s"`
	Error string  `json:"error,omitempty"`
}

// KernelPair is kernel B beside kernel A in one cell.
type KernelPair struct {
	A string `json:"a"`
	B string `json:"b"`
	// CellA and CellB are the cells' IDs.
	CellA string `json:"cell_a"`
	CellB string `json:"cell_b"`
	// ChangeInstructions is B's value less A's, and ChangeRatio that as a share of A's value: 0.008 is 0.8 %.
	ChangeInstructions float64 `json:"change_instructions"`
	ChangeRatio        float64 `json:"change_ratio"`
	// SinkOnlyChangeInstructions is the part of it that generator, device and sink have without a DUT.
	SinkOnlyChangeInstructions float64 `json:"sink_only_change_instructions"`
	// Verdict is "changed": beyond the margin, and every boot of one is beyond every boot of the
	// other; "equivalent": within the margin; or "inconclusive".
	Verdict string `json:"verdict"`
	KernelBound
}
