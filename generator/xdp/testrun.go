package xdp

import (
	"fmt"
	"os"
	"runtime"
	"unsafe"

	"github.com/linerate/linerate/internal/sched"
	"golang.org/x/sys/unix"
)

const (
	cmdProgTestRun      = 10     // enum bpf_cmd
	flagXDPLiveFrames   = 1 << 1 // BPF_F_TEST_XDP_LIVE_FRAMES, Linux 5.18
	repeatAlmostForever = 1<<31 - 1
)

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

// thread runs a program on live frames until it is stopped.
type thread struct {
	tid  chan int
	done chan error
}

// startThread runs prog over and over on one CPU with frames that begin as
// template. The raw call is used because a wrapper that restarts after EINTR
// could not be stopped.
func startThread(progFD int, template []byte, batch, cpu, priority int) *thread {
	t := &thread{tid: make(chan int, 1), done: make(chan error, 1)}
	go func() {
		runtime.LockOSThread() // never unlocked: the thread ends with its masks and priority
		tid := unix.Gettid()
		if err := prepareThread(cpu, priority); err != nil {
			t.tid <- tid
			t.done <- err
			return
		}
		t.tid <- tid
		t.done <- runLive(progFD, template, batch)
	}()
	return t
}

func prepareThread(cpu, priority int) error {
	// Only the stop signal may end a call: a window that is resized must not.
	var all unix.Sigset_t
	for i := range all.Val {
		all.Val[i] = ^uint64(0)
	}
	all.Val[0] &^= 1 << (unix.SIGURG - 1)
	if err := unix.PthreadSigmask(unix.SIG_SETMASK, &all, nil); err != nil {
		return fmt.Errorf("mask signals of the sending thread: %w", err)
	}
	if cpu >= 0 {
		if err := sched.Pin(0, cpu); err != nil {
			return err
		}
	}
	if priority < 0 {
		return sched.Nice(0, priority)
	}
	if priority > 0 {
		return sched.FIFO(0, priority)
	}
	return nil
}

func runLive(progFD int, template []byte, batch int) error {
	attr := testRunAttr{
		progFD: uint32(progFD), dataSizeIn: uint32(len(template)), dataIn: uint64(uintptr(unsafe.Pointer(&template[0]))),
		repeat: repeatAlmostForever, flags: flagXDPLiveFrames, batch: uint32(batch),
	}
	_, _, errno := unix.Syscall(unix.SYS_BPF, cmdProgTestRun, uintptr(unsafe.Pointer(&attr)), unsafe.Sizeof(attr))
	runtime.KeepAlive(template)
	switch errno {
	case 0, unix.EINTR:
		return nil
	case unix.EINVAL:
		return fmt.Errorf("run XDP program on live frames of %d bytes: %w; the kernel takes frames of up to about 3,300 bytes here, and must be Linux 5.18 or later", len(template), errno)
	}
	return fmt.Errorf("run XDP program on live frames of %d bytes: %w", len(template), errno)
}

// interrupt ends a call of the thread; it has to be repeated until the thread is done.
func interrupt(tid int) { _ = unix.Tgkill(os.Getpid(), tid, unix.SIGURG) }
