package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/linerate/linerate/generator/contract"
	"github.com/linerate/linerate/internal/device"
	"github.com/linerate/linerate/internal/testenv"
	"github.com/linerate/linerate/sink"
)

// output is a buffer that one goroutine writes and another looks at.
type output struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (o *output) Write(b []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.buf.Write(b)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.buf.String()
}

// startedCommand is a command that has been started in this process.
type startedCommand struct {
	out, errs output
	code      chan int
}

func startCommand(args ...string) *startedCommand {
	r := &startedCommand{code: make(chan int, 1)}
	go func() { r.code <- execute(args, &r.out, &r.errs) }()
	return r
}

// says waits until the command has written text to stderr.
func (r *startedCommand) says(t *testing.T, text string) {
	t.Helper()
	for end := time.Now().Add(5 * time.Second); !strings.Contains(r.errs.String(), text); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("the command never said %q; it said %q", text, r.errs.String())
		}
	}
}

func (r *startedCommand) exit(t *testing.T) int {
	t.Helper()
	select {
	case code := <-r.code:
		return code
	case <-time.After(10 * time.Second):
		t.Fatalf("the command does not end; it said %q", r.errs.String())
		return -1
	}
}

// interrupt presses Ctrl-C once what has been sent must have arrived.
func (r *startedCommand) interrupt(t *testing.T) int {
	t.Helper()
	time.Sleep(100 * time.Millisecond)
	interruptSelf(t)
	return r.exit(t)
}

// interruptSelf is Ctrl-C for every command that runs in this process.
func interruptSelf(t *testing.T) {
	t.Helper()
	if err := syscall.Kill(os.Getpid(), syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
}

// run runs a tool of the machine.
func run(t *testing.T, tool string, args ...string) {
	t.Helper()
	_, err := exec.LookPath(tool)
	testenv.Need(t, tool, err)
	if out, err := exec.Command(tool, args...).CombinedOutput(); err != nil {
		t.Fatalf("%s %v: %v: %s", tool, args, err, out)
	}
}

// decode reads the JSON summary that a command printed.
func decode[T any](t *testing.T, text string) (v T) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatalf("%v in %q", err, text)
	}
	return v
}

// xdpProgram tells whether a device has an XDP program.
func xdpProgram(t *testing.T, e contract.End) bool {
	t.Helper()
	d, err := device.Look(e.Netns, e.Ifindex)
	if err != nil {
		t.Fatal(err)
	}
	return d.XDPProgram
}

// TestSendReceive joins the two commands by a veth, with both engines and IP
// versions, and compares what each of them counted.
func TestSendReceive(t *testing.T) {
	for _, tt := range []struct {
		name, engine string
		frames       uint64
		flags        []string
	}{
		{"auto is xdp", engineXDP, 5000, []string{"--frame-size", "64"}},
		{"afpacket", engineAFPacket, 5000, []string{"--engine", "afpacket"}},
		{"IPv6", engineXDP, 5000, []string{"--ip", "6"}},
		{"jumbo frames", engineAFPacket, 5000, []string{"--frame-size", "9018"}},
		{"other prefixes", engineXDP, 5000, []string{"--source-prefix", "198.18.77.0/30", "--destination-prefix", "198.19.0.1/32"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a, b := contract.Link(t, 9000)
			receive := startCommand("receive", "--netns", b.Netns, "--interface", b.Interface, "--flows", "50", "--epoch", "9", "--json")
			receive.says(t, "receiving")
			args := append([]string{"send", "--netns", a.Netns, "--interface", a.Interface, "--flows", "50", "--epoch", "9",
				"--pps", "10000", "--duration", "500ms", "--json"}, tt.flags...)
			out, errs, code := command(args...)
			if code != exitMeasured {
				t.Fatalf("send: exit code %d: %s", code, errs)
			}
			s := decode[sendSummary](t, out)
			if s.Engine != tt.engine || s.Sent == 0 || s.Sent+s.Unsent != tt.frames || s.Intended != tt.frames || s.DestinationMAC != b.MAC.String() {
				t.Errorf("send: %+v", s)
			}
			if code := receive.interrupt(t); code != exitInterrupted {
				t.Fatalf("receive: exit code %d: %s", code, receive.errs.String())
			}
			r := decode[receiveSummary](t, receive.out.String())
			if r.Received != s.Sent || r.ReceivedBytes != s.SentBytes || r.Duplicated+r.Reordered+r.Late+r.Foreign+r.WrongFlow+r.WrongSize != 0 || !r.Interrupted {
				t.Errorf("sent %+v, received %+v", s, r)
			}
			if r.P50NS == 0 || r.P99NS < r.P50NS || uint64(r.MaxNS) < r.P50NS/2 {
				t.Errorf("latencies %d, %d and %d ns", r.P50NS, r.P99NS, r.MaxNS)
			}
			if tx := a.Counters(t).TxPackets; tx != s.Sent {
				t.Errorf("sent %d, the kernel counted %d", s.Sent, tx)
			}
			if xdpProgram(t, b) {
				t.Error("the sink's program is still attached")
			}
		})
	}
}

// TestReceiveNamesWhatDoesNotFit sends with another epoch and more flows than are counted.
func TestReceiveNamesWhatDoesNotFit(t *testing.T) {
	a, b := contract.Link(t, 1500)
	receive := startCommand("receive", "--netns", b.Netns, "--interface", b.Interface, "--flows", "10")
	receive.says(t, "receiving")
	for _, flags := range [][]string{{"--epoch", "2"}, {"--flows", "20"}} {
		args := append([]string{"send", "--netns", a.Netns, "--interface", a.Interface, "--flows", "10", "--pps", "10000", "--duration", "100ms"}, flags...)
		if out, errs, code := command(args...); code != exitMeasured || !strings.Contains(out, "sent ") || !strings.Contains(out, "intended") {
			t.Fatalf("exit code %d: %s%s", code, out, errs)
		}
	}
	receive.interrupt(t)
	for _, want := range []string{"another epoch than 1", "beyond the 10 counted", "received    ", "latency "} {
		if !strings.Contains(receive.out.String(), want) {
			t.Errorf("receive does not say %q:\n%s", want, receive.out.String())
		}
	}
}

// TestReceiveEndsByItself gives a duration, and ends as measured.
func TestReceiveEndsByItself(t *testing.T) {
	_, b := contract.Link(t, 1500)
	out, errs, code := command("receive", "--netns", b.Netns, "--interface", b.Interface, "--duration", "50ms", "--json")
	if code != exitMeasured {
		t.Fatalf("exit code %d: %s", code, errs)
	}
	if r := decode[receiveSummary](t, out); r.Received != 0 || r.Interrupted || r.P50NS != 0 {
		t.Errorf("nothing was sent, and the summary is %+v", r)
	}
}

// TestLostFramesAreGaps takes the link down while frames are sent: those of the
// meantime are missing between the first and the last of each flow.
func TestLostFramesAreGaps(t *testing.T) {
	if _, ok := any((*sink.Sink)(nil)).(gapCounter); !ok {
		testenv.Need(t, "a sink that counts gaps", errors.New("package sink has no method Missing"))
	}
	a, b := contract.Link(t, 1500)
	receive := startCommand("receive", "--netns", b.Netns, "--interface", b.Interface, "--flows", "7", "--json")
	receive.says(t, "receiving")
	send := startCommand("send", "--netns", a.Netns, "--interface", a.Interface, "--flows", "7", "--pps", "10000", "--duration", "1500ms", "--engine", "xdp", "--json")
	for end := time.Now().Add(5 * time.Second); b.Counters(t).RxPackets < 200 && time.Now().Before(end); {
		time.Sleep(5 * time.Millisecond)
	}
	b.SetDown(t)
	time.Sleep(200 * time.Millisecond)
	b.SetUp(t)
	if code := send.exit(t); code != exitMeasured {
		t.Fatalf("send: exit code %d: %s", code, send.errs.String())
	}
	receive.interrupt(t)
	s, r := decode[sendSummary](t, send.out.String()), decode[receiveSummary](t, receive.out.String())
	if r.Lost == nil || *r.Lost == 0 || r.Received+*r.Lost != s.Sent {
		t.Errorf("sent %d, received %d, lost %s", s.Sent, r.Received, lostText(r.Lost))
	}
}

// TestInterrupted ends both commands by Ctrl-C: the summaries count what there was.
func TestInterrupted(t *testing.T) {
	a, b := contract.Link(t, 1500)
	receive := startCommand("receive", "--netns", b.Netns, "--interface", b.Interface, "--json")
	receive.says(t, "receiving")
	send := startCommand("send", "--netns", a.Netns, "--interface", a.Interface, "--pps", "10000", "--duration", "60s", "--json")
	send.says(t, "   1 s  sent ")
	receive.says(t, "   1 s  received ")
	if !strings.Contains(send.errs.String(), "Gbit/s L1  unsent ") {
		t.Errorf("the live line is %q", send.errs.String())
	}
	interruptSelf(t)
	for name, r := range map[string]*startedCommand{"send": send, "receive": receive} {
		if code := r.exit(t); code != exitInterrupted {
			t.Errorf("%s: exit code %d, want %d: %s", name, code, exitInterrupted, r.errs.String())
		}
	}
	s := decode[sendSummary](t, send.out.String())
	if !s.Interrupted || s.Sent < 1000 || s.Sent+s.Unsent != 600_000 {
		t.Errorf("send: %+v", s)
	}
	if r := decode[receiveSummary](t, receive.out.String()); !r.Interrupted || r.Received == 0 || r.Received > s.Sent {
		t.Errorf("receive: %+v", r)
	}
	if xdpProgram(t, b) {
		t.Error("the sink's program is still attached")
	}
}

// TestEngineNeedsPeerThatReceives: without XDP and GRO at the peer, frames of engine xdp vanish.
func TestEngineNeedsPeerThatReceives(t *testing.T) {
	a, b := contract.Link(t, 1500)
	args := []string{"send", "--netns", a.Netns, "--interface", a.Interface, "--flows", "5", "--pps", "1000", "--duration", "100ms", "--engine"}
	_, errs, code := command(append(args, "xdp")...)
	if code != exitCannot {
		t.Errorf("exit code %d, want %d", code, exitCannot)
	}
	for _, want := range []string{b.Interface, b.Netns, "GRO", "ip netns exec " + b.Netns + " ethtool -K " + b.Interface + " gro on", "linerate receive --netns " + b.Netns, "--engine afpacket"} {
		if !strings.Contains(errs, want) {
			t.Errorf("the refusal does not say %q: %s", want, errs)
		}
	}
	if n := a.Counters(t).TxPackets; n != 0 {
		t.Errorf("%d frames left although sending was refused", n)
	}
	if _, errs, code = command(append(args, "auto")...); code != exitMeasured || !strings.Contains(errs, "engine afpacket is used") {
		t.Errorf("engine auto: exit code %d: %s", code, errs)
	}
	before := b.Counters(t).RxPackets
	run(t, "ip", "netns", "exec", b.Netns, "ethtool", "-K", b.Interface, "gro", "on")
	if _, errs, code = command(append(args, "xdp", "--duration", "500ms")...); code != exitMeasured {
		t.Errorf("with GRO on: exit code %d: %s", code, errs)
	}
	if n := b.Counters(t).RxPackets - before; n == 0 {
		t.Error("with GRO on no frame arrived")
	}
}

func TestSendRefusesNetworkInUse(t *testing.T) {
	a, _ := contract.Link(t, 1500)
	run(t, "ip", "-n", a.Netns, "addr", "add", "192.0.2.1/24", "dev", a.Interface)
	args := []string{"send", "--netns", a.Netns, "--interface", a.Interface, "--flows", "5", "--pps", "1000", "--duration", "50ms", "--destination-prefix", "10.0.0.0/24", "--json"}
	_, errs, code := command(args...)
	for _, want := range []string{"RFC 6815", "192.0.2.1/24", "--allow-interface " + a.Interface, "--allow-destination 10.0.0.0/24"} {
		if code != exitBadPlan || !strings.Contains(errs, want) {
			t.Errorf("exit code %d, and it does not say %q: %s", code, want, errs)
		}
	}
	if n := a.Counters(t).TxPackets; n != 0 {
		t.Errorf("%d frames left although sending was refused", n)
	}
	out, errs, code := command(append(args, "--allow-interface", a.Interface, "--allow-destination", "10.0.0.0/24")...)
	if code != exitMeasured {
		t.Fatalf("with both overrides: exit code %d: %s", code, errs)
	}
	if notes := decode[sendSummary](t, out).Notes; len(notes) < 2 || !strings.Contains(fmt.Sprint(notes), "overridden by --allow-interface "+a.Interface) {
		t.Errorf("the summary does not report the overrides: %q", notes)
	}
}

// TestSendBadFlags expects every problem, each with its flag, and exit code 2.
func TestSendBadFlags(t *testing.T) {
	for _, tt := range []struct {
		args []string
		says []string
	}{
		{[]string{"send"}, []string{"--interface is missing"}},
		{[]string{"send", "--interface", "x", "--pps", "1k", "--duration", "0s", "--engine", "dpdk", "--frame-size", "63", "--flows", "0", "--destination-mac", "5"},
			[]string{"--pps 1k", "--duration 0s", "--engine dpdk", "--frame-size 63", "--flows", "--destination-mac 5"}},
		{[]string{"send", "--interface", "x", "--ip", "5"}, []string{"--ip 5"}},
		{[]string{"send", "--interface", "x", "--ip", "6", "--frame-size", "64"}, []string{"84 to 9018"}},
		{[]string{"send", "--interface", "x", "--source-prefix", "2001:2::/64"}, []string{"no prefix of IPv4"}},
		{[]string{"send", "--interface", "x", "--source-prefix", "198.18.0.1/32", "--flows", "60000"}, []string{"--flows 60000", "--source-prefix"}},
		{[]string{"send", "--interface", "x", "--pps", "-1"}, []string{"--pps -1"}},
		{[]string{"send", "x"}, []string{"takes no argument"}},
		{[]string{"receive"}, []string{"--interface is missing"}},
		{[]string{"receive", "--interface", "x", "--flows", "1000001", "--duration", "-1s"}, []string{"--flows 1000001", "--duration -1s"}},
	} {
		_, errs, code := command(tt.args...)
		for _, want := range tt.says {
			if code != exitBadPlan || !strings.Contains(errs, want) {
				t.Errorf("%v: exit code %d, and it does not say %q: %s", tt.args, code, want, errs)
			}
		}
	}
}

// TestSendCannot expects exit code 3, or 2 where a flag mends it.
func TestSendCannot(t *testing.T) {
	a, _ := contract.Link(t, 1500)
	for _, tt := range []struct {
		args []string
		code int
		says string
	}{
		{[]string{"send", "--interface", "lrt-none0"}, exitCannot, "lrt-none0"},
		{[]string{"send", "--interface", "x", "--netns", "lrt-none"}, exitCannot, "lrt-none"},
		{[]string{"send", "--interface", a.Interface, "--netns", a.Netns, "--frame-size", "1519"}, exitBadPlan, "MTU of 1500"},
		{[]string{"receive", "--interface", "lrt-none0"}, exitCannot, "lrt-none0"},
	} {
		if _, errs, code := command(tt.args...); code != tt.code || !strings.Contains(errs, tt.says) {
			t.Errorf("%v: exit code %d, want %d, and it should say %q: %s", tt.args, code, tt.code, tt.says, errs)
		}
	}
	a.SetDown(t)
	for _, name := range []string{"send", "receive"} {
		if _, errs, code := command(name, "--interface", a.Interface, "--netns", a.Netns); code != exitCannot || !strings.Contains(errs, "ip link set "+a.Interface+" up") {
			t.Errorf("%s on a device that is down: exit code %d: %s", name, code, errs)
		}
	}
}

// TestSendRateUnsent feeds the estimate of the live line with a sender that begins
// 60 ms late and is held up for 100 ms after one second.
func TestSendRateUnsent(t *testing.T) {
	r := sendRate{pps: 10_000, sizes: []int{64}}
	sentAt := func(d time.Duration) uint64 {
		d -= 60 * time.Millisecond
		if d > time.Second {
			d = max(time.Second, d-100*time.Millisecond)
		}
		return uint64(max(0, d.Seconds()*10_000))
	}
	var lines []string
	for at := lookInterval; at <= 3*time.Second; at += lookInterval {
		if line := r.look(at, sentAt(at)); line != "" {
			lines = append(lines, line)
		}
	}
	want := []string{
		"   1 s  sent 9,400  9,400 pps  0.00632 Gbit/s L1  unsent 0",
		"   2 s  sent 18,400  9,000 pps  0.00605 Gbit/s L1  unsent 1,000",
		"   3 s  sent 28,400  10,000 pps  0.00672 Gbit/s L1  unsent 1,000",
	}
	if strings.Join(lines, "\n") != strings.Join(want, "\n") {
		t.Errorf("live lines\n%s\nwant\n%s", strings.Join(lines, "\n"), strings.Join(want, "\n"))
	}
}
