package capture

import "github.com/cilium/ebpf"

// Copier is a generator whose program copies its frames before they leave, for
// OnDeparture. Those of others are seen by a tap on the device, if at all.
type Copier interface {
	// Copies are the perf event arrays that take the copies (frame/copyframe.h).
	Copies() []*ebpf.Map
}
