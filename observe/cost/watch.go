// Package cost samples what the DUT's CPUs do and says which functions of the kernel the
// time of a packet goes to.
package cost

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/linerate/linerate/attribution"
	"github.com/linerate/linerate/internal/sampling"
)

const (
	// ringPages hold the samples between two readings: at the greatest frequency and with the
	// deepest call chains (127 functions) for a quarter of a second, in usual ones for seconds.
	ringPages  = 2048
	readsApart = 100 * time.Millisecond
)

// Config says whose work is looked for on which CPUs.
type Config struct {
	CPUs        []int
	FrequencyHz int
	// DUT and Sinks are the threads that do their work. A thread that starts later belongs to
	// whom its process does, by the thread whose number is the process's.
	DUT, Sinks []int
}

// Watch samples CPUs. It is used by one goroutine.
type Watch struct {
	config   Config
	samplers []*sampling.Sampler
	taken    Taken
	owners   map[uint32]string
	chains   map[string]int
	stop     chan struct{}
	stopped  chan error
}

// Taken are the samples of a trial.
type Taken struct {
	frequencyHz int
	cpus        int
	samples     []sample
	lost        int
	throttled   int
	// chains are the DUT's call chains as addresses, with the process for those in user mode.
	chains []chain
}

type sample struct {
	timeNS uint64
	// owner is whose work it was; empty for the DUT's, whose call chain is chains[chain].
	owner string
	chain int
}

type chain struct {
	addresses []uint64
	pid       uint32
}

// Names of those who have the DUT's CPUs beside it.
const (
	Sink     = "sink"
	Linerate = "linerate, with its generator"
	Idle     = "idle"
)

// Open prepares to sample; see sampling.Open for the errors of a kernel that cannot.
func Open(c Config) (*Watch, error) {
	w := &Watch{config: c, owners: map[uint32]string{}, chains: map[string]int{}}
	w.taken = Taken{frequencyHz: c.FrequencyHz, cpus: len(c.CPUs)}
	for _, tid := range c.Sinks {
		w.owners[uint32(tid)] = Sink
	}
	for _, tid := range c.DUT {
		w.owners[uint32(tid)] = ""
	}
	for _, cpu := range c.CPUs {
		s, err := sampling.Open(sampling.Config{CPU: cpu, PeriodNS: uint64(time.Second.Nanoseconds()) / uint64(c.FrequencyHz), Pages: ringPages})
		if err != nil {
			return nil, errors.Join(err, w.Close())
		}
		w.samplers = append(w.samplers, s)
	}
	return w, nil
}

// Begin starts to sample.
func (w *Watch) Begin() error {
	for _, s := range w.samplers {
		if err := s.Start(); err != nil {
			return err
		}
	}
	w.stop, w.stopped = make(chan struct{}), make(chan error, 1)
	go func() {
		tick := time.NewTicker(readsApart)
		defer tick.Stop()
		var err error
		for {
			select {
			case <-w.stop:
				w.stopped <- err
				return
			case <-tick.C:
				err = errors.Join(err, w.read())
			}
		}
	}()
	return nil
}

// End stops and returns what was taken since Begin.
func (w *Watch) End() (*Taken, error) {
	close(w.stop)
	err := <-w.stopped
	for _, s := range w.samplers {
		err = errors.Join(err, s.Stop())
	}
	return &w.taken, errors.Join(err, w.read())
}

func (w *Watch) read() error {
	for _, s := range w.samplers {
		missing, err := s.Read(w.take)
		w.taken.lost += missing.Lost
		w.taken.throttled += missing.ThrottledTimes
		if err != nil {
			return err
		}
	}
	return nil
}

func (w *Watch) take(s sampling.Sample) {
	owner, known := w.owners[s.TID]
	if !known {
		// A process of the DUT may start threads during the trial.
		if owner, known = w.owners[s.PID]; !known {
			owner = nameOf(s.PID)
		}
		w.owners[s.TID] = owner
	}
	one := sample{timeNS: s.TimeNS, owner: owner}
	if owner == "" {
		key := string(s.Chain)
		if len(s.Chain) == 0 {
			key = strconv.Itoa(int(s.PID))
		}
		if one.chain, known = w.chains[key]; !known {
			one.chain = len(w.taken.chains)
			w.chains[key] = one.chain
			w.taken.chains = append(w.taken.chains, chain{sampling.Addresses(s.Chain), s.PID})
		}
	}
	w.taken.samples = append(w.taken.samples, one)
}

// nameOf is who a process is that has no part in the DUT: its name without what tells
// the threads of one kind apart.
func nameOf(pid uint32) string {
	switch pid {
	case 0:
		return Idle
	case uint32(os.Getpid()):
		return Linerate
	}
	comm, err := os.ReadFile(fmt.Sprintf("/proc/%d/comm", pid))
	if err != nil {
		return "processes that have ended"
	}
	name, _, _ := strings.Cut(strings.TrimSpace(string(comm)), "/")
	return name
}

// Close ends the sampling.
func (w *Watch) Close() error {
	var errs []error
	for _, s := range w.samplers {
		errs = append(errs, s.Close())
	}
	return errors.Join(errs...)
}

// stackOf names the functions of a call chain of the DUT, the innermost first.
func stackOf(c chain, symbols *attribution.Symbols) []string {
	if len(c.addresses) == 0 {
		return []string{attribution.User + " " + nameOf(c.pid)}
	}
	names := make([]string, len(c.addresses))
	for i, ip := range c.addresses {
		names[i] = symbols.At(ip)
	}
	return names
}
