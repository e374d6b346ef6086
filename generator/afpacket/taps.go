package afpacket

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"
)

// showToTaps lets packet sockets on the devices see the frames that are sent. What
// bypasses the queueing discipline is hidden from them, and that is how loads are
// offered else: taps cost time (__dev_direct_xmit, net/core/dev.c, Linux 6.18).
func (g *Generator) showToTaps() error {
	var errs []error
	for _, w := range g.workers {
		for _, v := range w.streams {
			if err := unix.SetsockoptInt(v.socket.fd, unix.SOL_PACKET, unix.PACKET_QDISC_BYPASS, 0); err != nil {
				errs = append(errs, fmt.Errorf("clear PACKET_QDISC_BYPASS on %s: %w", v.socket.name, err))
			}
		}
	}
	return errors.Join(errs...)
}
