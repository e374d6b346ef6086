package capture

import (
	"cmp"
	"slices"
	"time"
)

// Frame is one frame as a tap saw it.
type Frame struct {
	Time time.Time
	// Data is the frame without its FCS.
	Data []byte
	// Leaving is true if the frame left by the port, false if it arrived at it.
	Leaving bool
}

// Tap sees the frames of one place until it is stopped.
type Tap interface {
	// Stop ends the tap and returns its frames in the order in which it saw them.
	Stop() ([]Frame, error)
	// Where says in a few words where the frames are seen.
	Where() string
}

// inOrder sorts frames by time, and keeps the order of frames of one time.
func inOrder(frames []Frame) {
	slices.SortStableFunc(frames, func(a, b Frame) int { return cmp.Compare(a.Time.UnixNano(), b.Time.UnixNano()) })
}
