// Package sampling takes samples of what a CPU does, by a timer of the kernel (perf's
// cpu-clock), which needs no hardware counter.
package sampling

import (
	"fmt"
	"os"
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/unix"
)

// LeastPeriodNS is the shortest time between two samples that the kernel allows
// (perf_swevent_start_hrtimer, kernel/events/core.c, 6.18).
const LeastPeriodNS = 10_000

// Config says what is sampled.
type Config struct {
	CPU int
	// PeriodNS lie between two samples.
	PeriodNS uint64
	// Pages of the ring in which samples wait to be read; a power of two.
	Pages int
	// ExcludeIdle leaves out what the idle task does, the interrupts on top of it included.
	ExcludeIdle bool
}

// Sampler samples one CPU, whatever runs on it.
type Sampler struct {
	fd   int
	mem  []byte
	page *unix.PerfEventMmapPage
	ring []byte
}

// Open prepares a sampler; it samples once it is started. An error of the system call
// is unix.ENOENT or unix.ENOSYS for a kernel without perf events, and unix.EACCES or
// unix.EPERM where they are not allowed.
func Open(c Config) (*Sampler, error) {
	attr := unix.PerfEventAttr{
		Type: unix.PERF_TYPE_SOFTWARE, Config: unix.PERF_COUNT_SW_CPU_CLOCK, Sample: max(c.PeriodNS, LeastPeriodNS),
		Sample_type: unix.PERF_SAMPLE_TID | unix.PERF_SAMPLE_TIME | unix.PERF_SAMPLE_CALLCHAIN,
		Bits:        unix.PerfBitDisabled | unix.PerfBitExcludeCallchainUser | unix.PerfBitUseClockID,
		Clockid:     unix.CLOCK_MONOTONIC,
	}
	if c.ExcludeIdle {
		attr.Bits |= unix.PerfBitExcludeIdle
	}
	attr.Size = uint32(unsafe.Sizeof(attr))
	fd, err := unix.PerfEventOpen(&attr, -1, c.CPU, -1, unix.PERF_FLAG_FD_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("sample CPU %d: perf_event_open: %w", c.CPU, err)
	}
	size := os.Getpagesize()
	mem, err := unix.Mmap(fd, 0, (1+c.Pages)*size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		unix.Close(fd)
		return nil, fmt.Errorf("sample CPU %d: map %d pages for the samples: %w", c.CPU, c.Pages, err)
	}
	return &Sampler{fd: fd, mem: mem, page: (*unix.PerfEventMmapPage)(unsafe.Pointer(&mem[0])), ring: mem[size:]}, nil
}

// Start begins to sample.
func (s *Sampler) Start() error { return s.control(unix.PERF_EVENT_IOC_ENABLE, "start") }

// Stop ends the sampling; what was taken can still be read.
func (s *Sampler) Stop() error { return s.control(unix.PERF_EVENT_IOC_DISABLE, "stop") }

func (s *Sampler) control(request uint, what string) error {
	if err := unix.IoctlSetInt(s.fd, request, 0); err != nil {
		return fmt.Errorf("%s sampling: %w", what, err)
	}
	return nil
}

// SetPeriod changes the time between two samples.
func (s *Sampler) SetPeriod(ns uint64) error {
	if _, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(s.fd), unix.PERF_EVENT_IOC_PERIOD, uintptr(unsafe.Pointer(&ns))); errno != 0 {
		return fmt.Errorf("set the period of samples: %w", errno)
	}
	return nil
}

// Close ends the sampling and forgets what was not read.
func (s *Sampler) Close() error {
	if s == nil {
		return nil
	}
	err := unix.Munmap(s.mem)
	if closed := unix.Close(s.fd); err == nil {
		err = closed
	}
	return err
}

// head is how far the kernel has written; the ring's bytes up to it are there to be read.
func (s *Sampler) head() uint64 { return atomic.LoadUint64(&s.page.Data_head) }
func (s *Sampler) release(tail uint64) {
	atomic.StoreUint64(&s.page.Data_tail, tail)
}
