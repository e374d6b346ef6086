package plan

// Pktgen are the settings of engine pktgen, the kernel's packet generator, by its own
// names (Documentation/networking/pktgen.rst, Linux 6.18).
type Pktgen struct {
	// CloneSKB is how many times each frame is sent before the next is built.
	CloneSKB int `yaml:"clone_skb,omitempty" json:"clone_skb,omitempty"`
	// Burst is how many times a frame is handed to the driver at once; 0 stands for 1.
	Burst int `yaml:"burst,omitempty" json:"burst,omitempty"`
	// Threads is the number of sending threads; 0 is one for each CPU of the generator.
	Threads int `yaml:"threads,omitempty" json:"threads,omitempty"`
	// FlowPackets is how many frames in a row belong to one flow (flowlen); 0 stands for 1.
	FlowPackets int `yaml:"flow_packets,omitempty" json:"flow_packets,omitempty"`
}

func (c *checker) pktgen(p Pktgen) {
	c.whole("traffic.pktgen.clone_skb", "traffic.pktgen.clone_skb", p.CloneSKB)
	c.whole("traffic.pktgen.burst", "traffic.pktgen.burst", p.Burst)
	c.whole("traffic.pktgen.threads", "traffic.pktgen.threads", p.Threads)
	c.whole("traffic.pktgen.flow_packets", "traffic.pktgen.flow_packets", p.FlowPackets)
}
