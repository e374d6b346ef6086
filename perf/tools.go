package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"
	"github.com/gopacket/gopacket/pcapgo"
	"github.com/linerate/linerate/frame"
	"github.com/linerate/linerate/internal/netns"
	"github.com/linerate/linerate/internal/sched"
)

// stopPatience is how long a tool may take to end after SIGINT.
const stopPatience = 5 * time.Second

// tcpreplay sends a preloaded capture of one frame of each flow over and over.
func (w *wire) tcpreplay(folder string) (source, error) {
	path := filepath.Join(folder, "flows.pcap")
	if err := w.writeCapture(path); err != nil {
		return source{}, err
	}
	argv := []string{"tcpreplay", "--quiet", "--preload-pcap", "--topspeed", "--loop=0", "--intf1=" + w.from.Interface, path}
	return source{"tcpreplay", fmt.Sprintf("--preload-pcap --topspeed, %d flows, contents fixed", len(w.flows)), w.tool(argv, nil)}, nil
}

// writeCapture writes the first frame of every flow.
func (w *wire) writeCapture(path string) error {
	f, err := os.Create(path)
	if err != nil {
		return fmt.Errorf("write a capture for tcpreplay: %w", err)
	}
	defer f.Close()
	capture := pcapgo.NewWriter(f)
	if err := capture.WriteFileHeader(65535, layers.LinkTypeEthernet); err != nil {
		return fmt.Errorf("write a capture for tcpreplay: %w", err)
	}
	for i, flow := range w.flows {
		b := frame.Build(flow, w.from.MAC, w.from.NextHopMAC, 64, frame.Payload{Flow: uint32(i)})
		info := gopacket.CaptureInfo{Timestamp: time.Unix(0, int64(i)*1000), CaptureLength: len(b), Length: len(b)}
		if err := capture.WritePacket(info, b); err != nil {
			return fmt.Errorf("write a capture for tcpreplay: %w", err)
		}
	}
	return f.Close()
}

// testpmd sends from DPDK over an AF_XDP socket.
func (w *wire) testpmd(folder string) source {
	cpu := strconv.Itoa(w.cpu)
	argv := []string{
		"dpdk-testpmd", "--lcores", "0@" + cpu + ",1@" + cpu, "--no-huge", "-m", "256", "--no-pci", "--no-telemetry", "--file-prefix", "linerate-perf",
		"--vdev=net_af_xdp0,iface=" + w.from.Interface,
		"--", "--nb-cores=1", "--forward-mode=txonly", "--txpkts=60", "--total-num-mbufs=16384",
	}
	// Without this DPDK keeps its state in /run/dpdk, and leaves it there.
	return source{"testpmd txonly", "DPDK over AF_XDP, one flow, contents fixed", w.tool(argv, []string{"RUNTIME_DIRECTORY=" + folder})}
}

// tool runs a program in the sender's namespace on the wire's CPU until ctx ends.
func (w *wire) tool(argv, environment []string) func(context.Context) error {
	return func(ctx context.Context) error {
		return netns.Do(w.from.Netns, func() error {
			if err := sched.Pin(0, w.cpu); err != nil {
				return err
			}
			var output bytes.Buffer
			c := exec.CommandContext(ctx, argv[0], argv[1:]...)
			c.Env = append(os.Environ(), environment...)
			c.Stdout, c.Stderr = &output, &output
			stdin, err := c.StdinPipe() // testpmd ends when its input does
			if err != nil {
				return err
			}
			defer stdin.Close()
			// The thread lives as long as the program, so a killed perf takes it along.
			c.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setpgid: true}
			c.Cancel = func() error { return c.Process.Signal(syscall.SIGINT) }
			c.WaitDelay = stopPatience
			if err := c.Run(); err != nil && ctx.Err() == nil {
				return fmt.Errorf("run `%s`: %w: %s", strings.Join(argv, " "), err, lastLines(output.String(), 4))
			}
			if ctx.Err() == nil {
				return fmt.Errorf("run `%s`: it ended by itself: %s", strings.Join(argv, " "), lastLines(output.String(), 4))
			}
			return nil
		})
	}
}

func lastLines(text string, n int) string {
	list := strings.Split(strings.TrimSpace(text), "\n")
	return strings.Join(list[max(0, len(list)-n):], "; ")
}
