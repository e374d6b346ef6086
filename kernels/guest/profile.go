package guest

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"sort"
	"strconv"
	"strings"
	"sync"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// periodLasts is how long samples are taken with one period. Packets cost the same to the
// instruction, so that one period would meet the same few places of their path for ever.
const periodLasts = time.Millisecond

const (
	// From leastPeriodNS to mostPeriodNS of the guest's clock, and so of instructions, lie
	// between two samples; the kernel's least is 10,000 (perf_swevent_hrtimer, kernel/events/core.c).
	leastPeriodNS, mostPeriodNS = 15_000, 30_000
	// Groups of samples, one after another, give the scatter of the counts.
	Groups = 15
	// ringPages hold the samples of a profile: a power of two.
	ringPages = 4096
	// Records and contexts of perf (include/uapi/linux/perf_event.h).
	recordLost, recordSample = 2, 9
	firstContext             = ^uint64(4095) + 1
)

// Profile says where the guest's CPU was while a cell's packets were sent. Samples are
// taken by a timer of the kernel, so that code that runs with interrupts off is counted
// where it switches them on again.
type Profile struct {
	Packets int `json:"packets"`
	Samples int `json:"samples"`
	Lost    int `json:"lost"`
	// Names are functions, with their module as in /proc/kallsyms: "br_forward [bridge]".
	Names []string `json:"names"`
	// Stacks are indices into Names, the innermost function first; Counts are their samples in
	// each group, the last groups left out when they have none.
	Stacks [][]int `json:"stacks"`
	Counts [][]int `json:"counts"`
}

// profile sends packets and samples all that the CPU does meanwhile.
func profile(s *source, packets int) (*Profile, error) {
	// The kernel would take fewer samples when they take much of the time, as they do here.
	_ = os.WriteFile("/proc/sys/kernel/perf_cpu_time_max_percent", []byte("0"), 0o644)
	attr := unix.PerfEventAttr{
		Type: unix.PERF_TYPE_SOFTWARE, Config: unix.PERF_COUNT_SW_CPU_CLOCK, Sample: leastPeriodNS,
		Sample_type: unix.PERF_SAMPLE_TID | unix.PERF_SAMPLE_CALLCHAIN,
		// pktgen waits for a while before it starts.
		Bits: unix.PerfBitDisabled | unix.PerfBitExcludeIdle | unix.PerfBitExcludeCallchainUser,
	}
	attr.Size = uint32(unsafe.Sizeof(attr))
	fd, err := unix.PerfEventOpen(&attr, -1, 0, -1, unix.PERF_FLAG_FD_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("sample the CPU: perf_event_open: %w", err)
	}
	defer unix.Close(fd)
	page := os.Getpagesize()
	ring, err := unix.Mmap(fd, 0, (1+ringPages)*page, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return nil, fmt.Errorf("sample the CPU: map the samples: %w", err)
	}
	defer unix.Munmap(ring)
	if err := sampled(fd, func() error {
		_, _, err := s.send(packets)
		return err
	}); err != nil {
		return nil, err
	}
	p := &Profile{Packets: packets}
	return p, p.read(ring[page:], (*unix.PerfEventMmapPage)(unsafe.Pointer(&ring[0])).Data_head)
}

// pack makes a profile small: a serial port carries it.
func (p *Profile) pack() ([]byte, error) {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if err := errors.Join(json.NewEncoder(w).Encode(p), w.Close()); err != nil {
		return nil, fmt.Errorf("pack the samples: %w", err)
	}
	return b.Bytes(), nil
}

// UnpackProfile reads what the guest reported.
func UnpackProfile(packed []byte) (*Profile, error) {
	r, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, fmt.Errorf("unpack the samples: %w", err)
	}
	p := new(Profile)
	if err := json.NewDecoder(r).Decode(p); err != nil {
		return nil, fmt.Errorf("unpack the samples: %w", err)
	}
	return p, nil
}

// sampled does the work while the event samples with periods drawn by chance.
func sampled(fd int, work func() error) error {
	if err := unix.IoctlSetInt(fd, unix.PERF_EVENT_IOC_ENABLE, 0); err != nil {
		return fmt.Errorf("sample the CPU: %w", err)
	}
	stop, stopped := make(chan struct{}), make(chan error, 1)
	go func() {
		draw := rand.New(rand.NewPCG(1, 1))
		for {
			select {
			case <-stop:
				stopped <- nil
				return
			case <-time.After(periodLasts):
			}
			periodNS := leastPeriodNS + draw.Uint64N(mostPeriodNS-leastPeriodNS)
			if _, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(fd), unix.PERF_EVENT_IOC_PERIOD, uintptr(unsafe.Pointer(&periodNS))); errno != 0 {
				stopped <- fmt.Errorf("sample the CPU: set the period: %w", errno)
				return
			}
		}
	}()
	err := work()
	close(stop)
	err = errors.Join(err, <-stopped)
	if off := unix.IoctlSetInt(fd, unix.PERF_EVENT_IOC_DISABLE, 0); off != nil {
		err = errors.Join(err, fmt.Errorf("sample the CPU: %w", off))
	}
	return err
}

// read goes through the records. Nothing has been overwritten: the kernel counts what it had no room for.
func (p *Profile) read(data []byte, head uint64) error {
	symbols, err := readSymbols()
	if err != nil {
		return err
	}
	names, stacks := map[string]int{}, map[string]int{}
	for at := uint64(0); at+8 <= head; {
		group := int(at * Groups / head)
		kind, size := binary.NativeEndian.Uint32(data[at:]), uint64(binary.NativeEndian.Uint16(data[at+6:]))
		if size < 8 || at+size > head {
			return fmt.Errorf("read the samples: a record of %d bytes at %d of %d", size, at, head)
		}
		body := data[at+8 : at+size]
		at += size
		switch kind {
		case recordLost:
			p.Lost += int(binary.NativeEndian.Uint64(body[8:]))
		case recordSample:
			if binary.NativeEndian.Uint32(body) == uint32(os.Getpid()) {
				continue // this program, which starts the generator
			}
			p.Samples++
			i, known := stacks[string(body[8:])]
			if !known {
				i = len(p.Stacks)
				stacks[string(body[8:])] = i
				p.Stacks, p.Counts = append(p.Stacks, p.stackOf(body[8:], symbols, names)), append(p.Counts, nil)
			}
			for len(p.Counts[i]) <= group {
				p.Counts[i] = append(p.Counts[i], 0)
			}
			p.Counts[i][group]++
		}
	}
	return nil
}

// stackOf is a sample's call chain as indices into Names.
func (p *Profile) stackOf(body []byte, symbols []symbol, names map[string]int) []int {
	var stack []int
	add := func(name string) {
		i, known := names[name]
		if !known {
			i = len(p.Names)
			names[name] = i
			p.Names = append(p.Names, name)
		}
		stack = append(stack, i)
	}
	for n := binary.NativeEndian.Uint64(body); n > 0; n-- {
		body = body[8:]
		if ip := binary.NativeEndian.Uint64(body); ip < firstContext {
			add(nameAt(symbols, ip))
		}
	}
	if len(stack) == 0 {
		add("[user]")
	}
	return stack
}

type symbol struct {
	at   uint64
	name string
}

// readSymbols reads the functions of the kernel and its modules, by address, once.
var readSymbols = sync.OnceValues(func() ([]symbol, error) {
	f, err := os.Open("/proc/kallsyms")
	if err != nil {
		return nil, fmt.Errorf("read the kernel's symbols: %w; is CONFIG_KALLSYMS on?", err)
	}
	defer f.Close()
	var list []symbol
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		fields := strings.Fields(lines.Text())
		// __pfx_ is the padding before a function, at most one byte before it.
		if len(fields) < 3 || !strings.Contains("tTwW", fields[1]) || strings.HasPrefix(fields[2], "__pfx_") {
			continue
		}
		at, err := strconv.ParseUint(fields[0], 16, 64)
		if err != nil || at == 0 {
			continue
		}
		list = append(list, symbol{at, strings.Join(fields[2:], " ")})
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("read the kernel's symbols: /proc/kallsyms has none")
	}
	sort.SliceStable(list, func(i, j int) bool { return list[i].at < list[j].at })
	return list, lines.Err()
})

// nameAt is the function that holds an address.
func nameAt(symbols []symbol, ip uint64) string {
	i := sort.Search(len(symbols), func(i int) bool { return symbols[i].at > ip })
	if i == 0 {
		return "[unknown]"
	}
	// Of names for one address the first is taken, always the same.
	for i > 1 && symbols[i-2].at == symbols[i-1].at {
		i--
	}
	return symbols[i-1].name
}
