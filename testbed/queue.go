package testbed

// Queue is one receive queue of the DUT, whose frames one NAPI thread forwards.
type Queue struct {
	Netns, Interface string
	// Device is the interface's part in the testbed: "da" or "db" in the lab.
	Device string
	// Number counts the queues of the interface from 0.
	Number int
	// CPU is where the queue's thread runs.
	CPU int
}
