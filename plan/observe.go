package plan

// Observe switches what watches the DUT during trials. All of it is on by default; it is
// switched off to learn what the watching itself costs.
type Observe struct {
	// Ledger counts where the frames went that did not arrive.
	Ledger bool `yaml:"ledger" json:"ledger"`
	// Threads take the CPU time of the DUT's threads, of the sinks' and of others'.
	Threads bool `yaml:"threads" json:"threads"`
	// CPUSpeed times a loop on each CPU.
	CPUSpeed bool `yaml:"cpu_speed" json:"cpu_speed"`
}

func defaultObserve() Observe { return Observe{Ledger: true, Threads: true, CPUSpeed: true} }
