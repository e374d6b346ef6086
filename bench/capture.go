package bench

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/linerate/linerate/capture"
	"github.com/linerate/linerate/generator/engine"
	"github.com/linerate/linerate/result"
	"github.com/linerate/linerate/sink"
	"github.com/linerate/linerate/testbed"
	"github.com/linerate/linerate/trial"
)

// captureLoadPPS is slow enough for a packet socket to keep every frame.
const captureLoadPPS = 2000

// capture keeps the first frames of every port in a trial of its own, after the
// measured ones: a tap costs the DUT time.
func (r *run) capture(ctx context.Context, cell *result.Cell, t tester) error {
	n := r.options.Plan.Capture.Frames
	if n == 0 {
		return nil
	}
	ports, err := t.tap(n)
	if err != nil {
		return err
	}
	if len(ports) == 0 {
		cell.Warnings = append(cell.Warnings, result.Warning{Code: "nothing-to-capture", Text: "capture.frames: a simulated device has no frames"})
		return nil
	}
	m := r.measurementOf(cell, t, result.ForCapture)
	load := min(captureLoadPPS, cell.CeilingPPS/10, t.mostPPS()/2)
	request := trial.Request{LoadPPS: load, Duration: time.Duration(float64(n) / load * float64(time.Second))}
	sent, err := m.measure(ctx, request, fmt.Sprintf("capture of %d frames of each port", n))
	for i, p := range ports {
		frames, stopped := p.Stop(n)
		if err = errors.Join(err, stopped); err == nil {
			err = r.keepCapture(cell, p, frames)
		}
		if err == nil && i < cell.Directions.Count() {
			doubtDepartures(cell, p, frames, sent.Sent)
		}
	}
	return err
}

// doubtDepartures says of a port that sent where its frames are to be seen, if no capture saw them leave.
func doubtDepartures(cell *result.Cell, p *capture.Port, frames []capture.Frame, sent uint64) {
	if slices.ContainsFunc(frames, func(f capture.Frame) bool { return f.Leaving }) {
		return
	}
	text := fmt.Sprintf("no capture saw a frame leave port %s, where engine %s should be seen to send: %d frames were sent from all ports", p.Name, cell.Engine, sent)
	if engine.PastTaps(cell.Engine) {
		text = fmt.Sprintf("no capture saw the frames that left port %s: engine %s sends past the kernel's taps; those that arrived are in the captures of the DUT's devices and of the other port", p.Name, cell.Engine)
	}
	cell.Warnings = append(cell.Warnings, result.Warning{Code: "departures-unseen", Text: text})
}

// keepCapture writes the frames of a port into the run's folder.
func (r *run) keepCapture(cell *result.Cell, p *capture.Port, frames []capture.Frame) error {
	var file bytes.Buffer
	if err := p.Write(&file, fmt.Sprintf("linerate run %s, cell %s", r.record.ID, cell.ID), frames); err != nil {
		return err
	}
	name := filepath.Join("capture", strings.ReplaceAll(cell.ID, "/", "_")+"-"+p.Name+".pcapng")
	cell.Captures = append(cell.Captures, result.Capture{Port: p.Name, File: name, Frames: len(frames)})
	return r.store.WriteFile(name, file.Bytes())
}

// copyFrames opens sinks and generator anew, so that they show their first n frames.
func (s *station) copyFrames(n int) error {
	directions := make([]int, len(s.bed.Directions))
	for i := range directions {
		directions[i] = i
		config := s.sinks[i].Config()
		config.CopyFrames = n
		if err := s.sinks[i].Close(); err != nil {
			return err
		}
		k, err := sink.Open(config)
		if err != nil {
			return err
		}
		s.sinks[i], s.bed.Directions[i].Sink = k, k
	}
	s.config.CopyFrames = n * len(directions)
	if err := s.bed.Generator.Close(); err != nil {
		return err
	}
	s.bed.Generator = nil
	var err error
	s.bed.Generator, err = s.open(s.engine, directions, s.streams)
	return err
}

// tap opens taps on the tester's ports and on the DUT's devices. A tester's port has
// two when traffic goes both ways: one on the generator, one on the sink.
func (s *station) tap(limit int) (ports []*capture.Port, err error) {
	if err := s.copyFrames(limit); err != nil {
		return nil, err
	}
	if err := s.lab.Pin(); err != nil {
		return nil, err
	}
	for _, p := range s.ports {
		ports = append(ports, &capture.Port{Name: p.Name, Interface: p.Interface, Address: p.MAC})
	}
	if !s.scenario.Cell.Direct() {
		for i, device := range []string{s.lab.DUT.A.Interface, s.lab.DUT.B.Interface} {
			ports = append(ports, &capture.Port{Name: "dut-" + s.ports[i].Name, Interface: device})
		}
	}
	add := func(port *capture.Port, open func() (capture.Tap, error)) {
		if err != nil {
			return
		}
		var t capture.Tap
		if t, err = open(); err == nil {
			port.Taps = append(port.Taps, t)
		}
	}
	device := func(ns, name string) func() (capture.Tap, error) {
		return func() (capture.Tap, error) { return capture.OnDevice(ns, name, limit) }
	}
	for i := range s.bed.Directions {
		if _, copies := s.bed.Generator.(capture.Copier); !copies {
			add(ports[i], device(s.ports[i].Netns, s.ports[i].Interface))
		}
		add(ports[1-i], func() (capture.Tap, error) { return capture.OnArrival(s.sinks[i].Copies()) })
	}
	if g, ok := s.bed.Generator.(capture.Copier); ok {
		for _, copies := range g.Copies() {
			add(ports[0], func() (capture.Tap, error) { return capture.OnDeparture(copies) })
		}
		// Both streams leave by the same programs, and each port takes the frames from its address.
		if len(s.bed.Directions) == 2 && err == nil {
			ports[1].Taps = append(ports[1].Taps, ports[0].Taps[1:]...)
		}
	}
	for i, p := range ports[2:] {
		add(p, device([]testbed.Side{s.lab.DUT.A, s.lab.DUT.B}[i].Netns, p.Interface))
	}
	if err != nil {
		for _, p := range ports {
			_, stopped := p.Stop(0)
			err = errors.Join(err, stopped)
		}
	}
	return ports, err
}
