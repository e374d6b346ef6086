package pktgen

import (
	"errors"
	"fmt"
	"math"

	"github.com/linerate/linerate/generator"
	"github.com/linerate/linerate/internal/netns"
)

// Device is a network device on one of pktgen's threads. Its control file is named by the
// interface with the thread's CPU behind it, so that several threads can send on one
// interface.
type Device struct {
	folder       folder
	name, thread string
}

// deviceOn is the device of an interface on the thread of a CPU.
func deviceOn(d folder, iface string, cpu int) Device {
	return Device{folder: d, name: fmt.Sprintf("%s@%d", iface, cpu), thread: fmt.Sprintf("kpktgend_%d", cpu)}
}

// Bind takes everything off the thread of a CPU in a namespace and puts an interface of
// that namespace on it. The error is a *kernel.MissingError where there is no pktgen.
func Bind(netns, iface string, cpu int) (Device, error) {
	d := deviceOn(folder{netns, controlFolder}, iface, cpu)
	if err := d.folder.check(); err != nil {
		return d, fmt.Errorf("bind %s to pktgen: %w", iface, err)
	}
	if err := errors.Join(d.release(), d.bind()); err != nil {
		return d, fmt.Errorf("bind %s to pktgen: %w", iface, err)
	}
	return d, nil
}

func (d Device) bind() error { return d.folder.write(d.thread, "add_device "+d.name) }

// release takes all devices off the thread.
func (d Device) release() error { return d.folder.write(d.thread, "rem_device_all") }

// Close takes the device off its thread; what has gone with its namespace is no error.
func (d Device) Close() error {
	if d.folder.netns != "" && !netns.Exists(d.folder.netns) {
		return nil
	}
	return d.release()
}

// Shape makes the device send the stream's flows in frames of a size, FCS included, as
// fast as it goes.
func (d Device) Shape(s generator.Stream, sizeBytes int, o Options) error {
	r, err := rangeOf(s.Flows, o.FlowPackets)
	if err != nil {
		return err
	}
	if err := checkSize(sizeBytes, r.first.IPVersion()); err != nil {
		return err
	}
	return d.tell(commands(s, sizeBytes, r, o, 0, 0))
}

func (d Device) tell(lines []string) error {
	for _, line := range lines {
		if err := d.folder.write(d.name, line); err != nil {
			return err
		}
	}
	return nil
}

// Pace makes the device wait between frames, to send so many in a second; 0 is as fast as it
// goes. pktgen knows whole nanoseconds.
func (d Device) Pace(pps float64) error {
	delay := uint64(0)
	if pps > 0 {
		delay = uint64(math.Round(1e9 / pps))
	}
	return d.tell([]string{fmt.Sprintf("delay %d", delay)})
}

// SendExactly sends so many frames from the device, and from any other of its namespace
// that is bound, and returns what pktgen reports of it. Nothing else happens meanwhile: where
// time counts instructions, to ask for progress would be counted.
func (d Device) SendExactly(frames uint64) (Report, error) {
	if err := d.tell([]string{fmt.Sprintf("count %d", frames)}); err != nil {
		return Report{}, err
	}
	if err := d.folder.write("pgctrl", "start"); err != nil {
		return Report{}, err
	}
	r, err := d.Report()
	switch {
	case err != nil:
		return r, err
	case r.DurationUS == 0:
		return r, fmt.Errorf("send by pktgen on %s: it reports no result, but %q", d.name, r.Said)
	case r.Packets != frames:
		return r, fmt.Errorf("send by pktgen on %s: it sent %d of %d frames, and %d were refused", d.name, r.Packets, frames, r.Errors)
	}
	return r, nil
}

// Report reads what pktgen says of the device's last load.
func (d Device) Report() (Report, error) { return d.folder.report(d.name) }
