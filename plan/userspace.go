package plan

// Testpmd are the parameters of scenario "testpmd".
type Testpmd struct {
	// Cores forward, on the DUT's CPUs in turn. The main core, which only waits, is not counted.
	Cores int `yaml:"cores" json:"cores"`
}
