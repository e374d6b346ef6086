package report

// term is one word of the method with its explanation for a reader who is new to RFC 2544.
type term struct{ Name, Text string }

// methodTerms explain every word that a report uses.
var methodTerms = []term{
	{"Trial", "One load, sent for one duration. Everything sent is counted and everything that comes back is counted; a trial yields counts, and ratios are derived from them (RFC 2544 section 23)."},
	{"Loss ratio", "(sent - received + unsent) / intended. Frames that the generator could not send in time count like lost ones, so that a slow generator never makes the device look good."},
	{"NDR", "Non-drop rate: the highest load at which no frame was lost, by the rules below. It is the lower bound that the search found, and it depends on how long was tested: the same device has a lower NDR over 60 s than over 1 s."},
	{"PDR", "Partial-drop rate: the same search with a little loss allowed, 0.5 % unless the plan says otherwise. It is steadier than the NDR where a rare hiccup of the machine loses a few frames."},
	{"Conditional throughput", "What still arrives at the PDR's lower bound: that load, less the loss of its worst trial among those that the decision rests on (RFC 9971). Every PDR figure here is one."},
	{"d and S", "d is the duration of a full trial. S is the trial time that decides about one load: with d = 1 s and S = 5 s, up to five trials."},
	{"e", "Exceed ratio: the share of the deciding trial time that may have more loss than the goal allows, before the load counts as too high. It keeps one glitch from deciding."},
	{"w", "Width: the search ends when (upper bound - lower bound) / upper bound is at most w. A figure is therefore quantised to about w."},
	{"Frame size", "In bytes, with the 4-byte FCS (RFC 2544 section 9.1). IMIX is 7:4:1 frames of 64 (84 over IPv6), 570 and 1518 bytes."},
	{"Gbit/s L1", "Bits on an Ethernet wire: each frame with 20 bytes of preamble, start delimiter and gap. At 10 Gbit/s, 64-byte frames make 14.88 Mpps; that is what line rate means."},
	{"Ceiling", "What generator and sink carry with no device between them. No figure above it can be true, and none is printed."},
	{"Latency", "From the time stamp that the generator writes into a frame to the sink's XDP program, on one clock: the waiting in queues and the waking of threads are in it. RFC 1242 section 3.8 has two definitions for wires: store-and-forward, from the last bit in to the first bit out, and bit-forwarding, from first to first. No bit moves here; a whole frame is stamped and a whole frame arrives, which is nearest to store-and-forward."},
	{"Jitter", "PDV is the spread of the latencies (P99.9 less the least), IPDV the difference between a frame and the one before it in its flow (RFC 8219 section 7.3). Voice and video suffer from both."},
	{"Ledger", "Where every frame of a trial went: sent = received + each named drop + unexplained. The names are the kernel's own drop reasons, and the full rings, queues and tables that linerate reads. It is made of the trials at the upper bound of a cell; where these leave frames unexplained, one more is made there with the kernel's drops traced, after the search and not counted."},
	{"Verdict", "What set the figure: dut-bound is the device itself; generator-bound and receiver-bound are limits of the tester, so the figure is only a lower bound; link-bound is the wire; unstable ended with its bounds far apart; undefined means that no load passes. Each goal has its own; a cell shows that of the goal that it is described at."},
}
