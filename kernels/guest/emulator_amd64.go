package guest

import (
	"fmt"
	"runtime"

	"golang.org/x/sys/unix"
)

// markArm lets the emulator's counter start, markBegin begins a window in which it counts,
// and markEnd ends it. Without a counter they do nothing.
func markArm()
func markBegin()
func markEnd()

func outBytes(port uint16, data *byte, n int)

// writeRaw writes to an I/O port behind which the emulator has a file. The serial port would
// need an interrupt for every few bytes, of which PREEMPT_RT takes so many for spurious that
// it disables it.
func writeRaw(port uint16, data []byte) error {
	if len(data) == 0 {
		return nil
	}
	// The right to a port is the thread's.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := unix.Ioperm(int(port), 1, 1); err != nil {
		return fmt.Errorf("write to I/O port %#x: ioperm: %w; is CONFIG_X86_IOPL_IOPERM on?", port, err)
	}
	outBytes(port, &data[0], len(data))
	return nil
}
