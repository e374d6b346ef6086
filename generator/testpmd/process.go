package testpmd

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/linerate/linerate/generator"
	"github.com/linerate/linerate/internal/netns"
	"github.com/linerate/linerate/internal/sched"
	"golang.org/x/sys/unix"
)

const (
	// prompt is printed when testpmd is ready, and after each command that is done.
	prompt = "testpmd> "
	// readyPatience allows for a hundred drivers to be loaded on a slow machine.
	readyPatience = 20 * time.Second
	// donePatience is for a command, and for the end.
	donePatience = 5 * time.Second
	pollInterval = 200 * time.Microsecond
)

// process is a testpmd that takes commands. It ends with this process at the latest, even
// if that is killed.
type process struct {
	pid   int
	input io.WriteCloser
	ended chan struct{}
	// state is how it ended, once ended is closed.
	state *os.ProcessState

	mutex   sync.Mutex
	said    bytes.Buffer
	prompts int
}

// Write takes what the process prints.
func (p *process) Write(b []byte) (int, error) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.said.Write(b)
	p.prompts = bytes.Count(p.said.Bytes(), []byte(prompt))
	return len(b), nil
}

// start starts testpmd on the CPUs in a namespace and waits until it takes commands.
func start(ns string, cpus []int, argv []string) (*process, error) {
	p := &process{ended: make(chan struct{})}
	started := make(chan error, 1)
	// The kernel ends the process with the thread that started it (PR_SET_PDEATHSIG),
	// which therefore waits for it.
	_ = sched.Go(func() error {
		defer close(p.ended)
		c, err := p.spawn(ns, cpus, argv)
		started <- err
		if err == nil {
			_ = c.Wait() // its state is what is wanted
			p.state = c.ProcessState
		}
		return nil
	})
	if err := <-started; err != nil {
		return nil, err
	}
	err := p.await(1, readyPatience)
	if err == nil {
		err = p.refusal()
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("start `%s`: %w", strings.Join(argv, " "), err), p.kill())
	}
	return p, nil
}

func (p *process) spawn(ns string, cpus []int, argv []string) (*exec.Cmd, error) {
	if ns != "" {
		if err := netns.Enter(ns); err != nil {
			return nil, err
		}
	}
	if err := errors.Join(sched.Pin(0, cpus...), sched.Normal(0), ownRun()); err != nil {
		return nil, err
	}
	c := exec.Command(argv[0], argv[1:]...)
	// Without a folder for its state, which it then does without (--no-shconf), nothing is left of it.
	c.Env = append(os.Environ(), "RUNTIME_DIRECTORY=/proc")
	c.Stdout, c.Stderr, c.WaitDelay = p, p, donePatience
	c.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setpgid: true}
	var err error
	if p.input, err = c.StdinPipe(); err != nil {
		return nil, err
	}
	if err := c.Start(); err != nil {
		return nil, err
	}
	p.pid = c.Process.Pid
	return c, nil
}

// ownRun gives the calling thread, and the process that it starts, an empty /run: libxdp makes a
// folder there, below the driver for AF_XDP, and leaves it behind.
func ownRun() error {
	if err := unix.Unshare(unix.CLONE_NEWNS); err != nil {
		return fmt.Errorf("unshare mount namespace: %w", err)
	}
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("make mounts private: %w", err)
	}
	if err := unix.Mount("tmpfs", "/run", "tmpfs", 0, "size=1m"); err != nil {
		return fmt.Errorf("mount a private /run: %w", err)
	}
	return nil
}

// tell gives a command and waits until it is done.
func (p *process) tell(command string) error {
	p.mutex.Lock()
	before := p.prompts
	p.mutex.Unlock()
	if _, err := io.WriteString(p.input, command+"\n"); err != nil {
		select { // a pipe that nobody reads any more: its end is known in a moment
		case <-p.ended:
			return fmt.Errorf("tell testpmd %q: %w", command, p.endedError())
		case <-time.After(donePatience):
			return fmt.Errorf("tell testpmd %q: %w%s", command, err, p.lastWords())
		}
	}
	if err := p.await(before+1, donePatience); err != nil {
		return fmt.Errorf("tell testpmd %q: %w", command, err)
	}
	return nil
}

// await waits for so many prompts in all.
func (p *process) await(prompts int, patience time.Duration) error {
	for end := time.Now().Add(patience); ; time.Sleep(pollInterval) {
		p.mutex.Lock()
		seen := p.prompts
		p.mutex.Unlock()
		if seen >= prompts {
			return nil
		}
		select {
		case <-p.ended:
			return p.endedError()
		default:
		}
		if time.Now().After(end) {
			return fmt.Errorf("it is not done after %v%s", patience, p.lastWords())
		}
	}
}

// alive is nil while the process runs.
func (p *process) alive() error {
	select {
	case <-p.ended:
		return p.endedError()
	default:
		return nil
	}
}

func (p *process) endedError() error {
	return &generator.EndedError{Program: "testpmd", How: p.how() + p.lastWords()}
}

// how the process ended; its end is known when ended is closed.
func (p *process) how() string {
	if p.state == nil || p.state.Success() {
		return ""
	}
	return ": " + p.state.String()
}

// refusal is why testpmd takes commands and has no port to send by; nil if it has one.
func (p *process) refusal() error {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if !strings.Contains(p.said.String(), "Start ports failed") {
		return nil
	}
	var said []string
	for line := range strings.Lines(p.said.String()) {
		if strings.Contains(line, "Kernel error message") || strings.Contains(line, "Fail") {
			said = append(said, strings.TrimSpace(line))
		}
	}
	return errors.New("it could not open its port: " + strings.Join(said, " / "))
}

// lastWords are the last lines that it printed, to put behind an error.
func (p *process) lastWords() string {
	const most = 3
	p.mutex.Lock()
	defer p.mutex.Unlock()
	lines := strings.Split(strings.TrimSpace(p.said.String()), "\n")
	text := strings.TrimSpace(strings.Join(lines[max(0, len(lines)-most):], " / "))
	if text == "" {
		return ""
	}
	return "; it printed last: " + text
}

// threads are the process's: those that send, and the others.
func (p *process) threads() (workers, others []int, err error) {
	tasks, err := os.ReadDir(fmt.Sprintf("/proc/%d/task", p.pid))
	if err != nil {
		return nil, nil, errors.Join(p.alive(), fmt.Errorf("list the threads of testpmd: %w", err))
	}
	for _, t := range tasks {
		tid, err := strconv.Atoi(t.Name())
		if err != nil {
			continue
		}
		name, err := os.ReadFile(filepath.Join(fmt.Sprintf("/proc/%d/task", p.pid), t.Name(), "comm"))
		if err != nil {
			continue // it has ended
		}
		// lcore-worker-N, and dpdk-workerN from DPDK 23.03 on (eal_thread.c).
		if strings.Contains(string(name), "worker") {
			workers = append(workers, tid)
		} else {
			others = append(others, tid)
		}
	}
	return workers, others, nil
}

// quit ends the process in good order, or by force if it does not.
func (p *process) quit() error {
	_, _ = io.WriteString(p.input, "quit\n") // it may have ended
	select {
	case <-p.ended:
		return nil
	case <-time.After(donePatience):
	}
	return p.kill()
}

func (p *process) kill() error {
	select {
	case <-p.ended:
		return nil
	default:
	}
	if err := syscall.Kill(p.pid, syscall.SIGKILL); err != nil && !errors.Is(err, syscall.ESRCH) {
		return fmt.Errorf("end testpmd, process %d: %w", p.pid, err)
	}
	<-p.ended
	return nil
}
