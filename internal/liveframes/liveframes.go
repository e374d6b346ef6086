// Package liveframes runs XDP programs on frames that the kernel makes for them and
// that really leave (BPF_PROG_TEST_RUN with BPF_F_TEST_XDP_LIVE_FRAMES, Linux 5.18).
package liveframes

import (
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Flag is BPF_F_TEST_XDP_LIVE_FRAMES (include/uapi/linux/bpf.h).
const Flag = 1 << 1

// MostRepeats is the largest number of frames that one call makes: it ends by a
// signal in practice.
const MostRepeats = 1<<31 - 1

const cmdProgTestRun = 10 // BPF_PROG_TEST_RUN of enum bpf_cmd

// testRunAttr is the member "test" of union bpf_attr (include/uapi/linux/bpf.h).
type testRunAttr struct {
	progFD, retval           uint32
	dataSizeIn, dataSizeOut  uint32
	dataIn, dataOut          uint64
	repeat, duration         uint32
	ctxSizeIn, ctxSizeOut    uint32
	ctxIn, ctxOut            uint64
	flags, cpu, batch, spare uint32
}

// Run makes one call: the program runs repeat times, each time on a frame that begins
// as template, and frames are handed on in batches, of the kernel's size (64) if batch
// is 0. The error is a unix.Errno: EINTR when a signal ended the call, which is left to
// the caller because a call that was taken up again could not be stopped.
func Run(programFD int, template []byte, repeat, batch int) error {
	attr := testRunAttr{
		progFD: uint32(programFD), dataSizeIn: uint32(len(template)), dataIn: uint64(uintptr(unsafe.Pointer(&template[0]))),
		repeat: uint32(repeat), flags: Flag, batch: uint32(batch),
	}
	_, _, errno := unix.Syscall(unix.SYS_BPF, cmdProgTestRun, uintptr(unsafe.Pointer(&attr)), unsafe.Sizeof(attr))
	runtime.KeepAlive(template)
	if errno != 0 {
		return errno
	}
	return nil
}
