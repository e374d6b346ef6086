package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cilium/ebpf"
	"github.com/gopacket/gopacket/pcapgo"
	"github.com/linerate/linerate/frame"
	"github.com/linerate/linerate/generator"
	"github.com/linerate/linerate/generator/xdp"
	"github.com/linerate/linerate/internal/liveframes"
	"github.com/linerate/linerate/internal/netns"
	"github.com/linerate/linerate/internal/sched"
	"github.com/linerate/linerate/internal/testenv"
	"github.com/linerate/linerate/observe"
)

func testWire(t *testing.T) *wire {
	t.Helper()
	testenv.NeedRoot(t)
	before, err := sched.AllowedCPUs()
	if err != nil {
		t.Fatal(err)
	}
	w, err := openWire()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := w.close(); err != nil {
			t.Error(err)
		}
		for _, ns := range []string{w.from.Netns, w.to.Netns} {
			if netns.Exists(ns) {
				t.Errorf("namespace %s is still there", ns)
			}
		}
		if after, _ := sched.AllowedCPUs(); len(after) != len(before) {
			t.Errorf("the process has CPUs %v, and had %v", after, before)
		}
	})
	return w
}

// The counter is what every comparison rests on: it has to agree with the kernel's.
func TestCounterAgreesWithKernel(t *testing.T) {
	w := testWire(t)
	g, err := xdp.New(generator.Config{Streams: []generator.Stream{w.stream()}, Sizes: frame.Sizes{64}, CPUs: []int{w.cpu}})
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	const frames = 100_000
	for name, send := range map[string]func() error{
		"xdp": func() error {
			_, err := g.Send(context.Background(), generator.Load{Frames: frames, Duration: 10 * time.Second, Epoch: 1})
			return err
		},
		"bare": func() error {
			template := frame.Build(w.flows[0], w.from.MAC, w.from.NextHopMAC, 64, frame.Payload{})
			_, err := w.objects.Bare.Run(&ebpf.RunOptions{Data: template, Repeat: frames, Flags: liveframes.Flag, BatchSize: bareBatch})
			return err
		},
	} {
		before, err := w.settled()
		if err != nil {
			t.Fatal(err)
		}
		link, err := observe.ReadLink(w.to.Netns, w.to.Interface)
		if err != nil {
			t.Fatal(err)
		}
		if err := send(); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		after, err := w.settled()
		if err != nil {
			t.Fatal(err)
		}
		now, err := observe.ReadLink(w.to.Netns, w.to.Interface)
		if err != nil {
			t.Fatal(err)
		}
		kernel := now.Since(link).RxPackets
		// A call that a signal of the runtime interrupts is made again, so bare may send more.
		if got := after - before; got != kernel || got < frames || name == "xdp" && got != frames {
			t.Errorf("%s: %d frames counted, %d by the kernel, %d sent", name, got, kernel, frames)
		}
	}
}

func TestCaptureHoldsEveryFlow(t *testing.T) {
	w := testWire(t)
	path := filepath.Join(t.TempDir(), "flows.pcap")
	if err := w.writeCapture(path); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r, err := pcapgo.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	different := map[string]bool{}
	for n := range flowCount {
		data, _, err := r.ReadPacketData()
		if err != nil {
			t.Fatalf("frame %d: %v", n, err)
		}
		if len(data) != 64-frame.FCSBytes {
			t.Fatalf("frame %d has %d bytes", n, len(data))
		}
		different[string(data[26:38])] = true // addresses and ports
	}
	if len(different) != flowCount {
		t.Errorf("%d different flows, want %d", len(different), flowCount)
	}
}

func TestToolThatFails(t *testing.T) {
	w := testWire(t)
	for _, tt := range []struct{ script, says string }{
		{"echo no such port >&2; exit 1", "no such port"},
		{"exit 0", "ended"},
	} {
		s := source{"broken", "", w.tool([]string{"sh", "-c", tt.script}, nil)}
		_, err := w.rate(context.Background(), s, time.Second)
		if err == nil || !strings.Contains(err.Error(), tt.says) || !strings.Contains(err.Error(), "broken") {
			t.Errorf("`%s` gives %v, want %q in it", tt.script, err, tt.says)
		}
	}
}

func TestInterruptedToolEnds(t *testing.T) {
	w := testWire(t)
	folder := t.TempDir()
	ready, ended := filepath.Join(folder, "ready"), filepath.Join(folder, "ended")
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	go func() {
		for ctx.Err() == nil {
			if _, err := os.Stat(ready); err == nil {
				stop()
			}
			time.Sleep(5 * time.Millisecond)
		}
	}()
	script := "trap 'touch " + ended + "; exit 0' INT; touch " + ready + "; while :; do sleep 0.01; done"
	s := source{"sleeper", "", w.tool([]string{"sh", "-c", script}, nil)}
	if _, err := w.rate(ctx, s, time.Second); err == nil {
		t.Error("a source that was interrupted has a rate")
	}
	if _, err := os.Stat(ended); err != nil {
		t.Errorf("the tool was not told to end by SIGINT: %v", err)
	}
}
