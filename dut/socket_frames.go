package dut

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/linerate/linerate/dut/journal"
	"github.com/linerate/linerate/frame"
)

// Sizes of what DPDK's drivers for the kernel's sockets keep frames in, in bytes without FCS. Pages
// are taken to have 4096 bytes; where a kernel has larger ones, more would fit than is allowed here.
const (
	// xdpMTU is the largest MTU that a veth takes XDP programs with, and so AF_XDP sockets that
	// do not work on copies of the kernel's own buffers: frame, headroom and the end of a buffer
	// share one page (veth_xdp_set, drivers/net/veth.c, Linux 6.18).
	xdpMTU = 4096 - 256 - frame.EthernetBytes - 320
	// A chunk of memory that an AF_XDP socket shares is a page at most, and of DPDK's an odd
	// number of cache lines: 63 of them. DPDK keeps 192 bytes of its own and a headroom of 128
	// in it, the kernel 256 (optimize_object_size, lib/mempool/rte_mempool.c, and
	// xdp_umem_configure, drivers/net/af_xdp/rte_eth_af_xdp.c, DPDK 22.11; xdp_umem_reg,
	// net/xdp/xdp_umem.c, Linux 6.18).
	chunkMost, chunkOwn, mbufHeadroom, xdpHeadroom = 63 * 64, 192, 128, 256
	// mbufUsual is the size of a frame's memory that DPDK takes unless told, headroom included.
	mbufUsual = 2048 + mbufHeadroom
	// xdpFrameUsual is the largest frame that fits into such a chunk beside all that.
	xdpFrameUsual = mbufUsual - mbufHeadroom - xdpHeadroom
	// xdpMostTestpmd is the largest MTU whose frames fit into the largest one.
	xdpMostTestpmd = chunkMost - chunkOwn - mbufHeadroom - xdpHeadroom - frame.EthernetBytes
	// A slot of an AF_PACKET ring begins with 66 bytes for the kernel; 2048 is the usual one
	// (DFLT_FRAME_SIZE, drivers/net/af_packet/rte_eth_af_packet.c).
	slotUsual, slotOwn = 2048, 66
)

// largestFrame is the largest frame of the DUT's devices, without FCS.
func (s Scenario) largestFrame() int { return s.DUT.MTUBytes + frame.EthernetBytes }

// onePage is why a socket of AF_XDP takes no larger frames.
const onePage = "a frame has to fit into one page with all that belongs to it"

// requireMTU is a MissingError where the devices let pass larger frames than a socket takes: it
// would drop them or cut them off, and say nothing.
func (s Scenario) requireMTU(most int, who, why, instead string) error {
	if s.DUT.MTUBytes <= most {
		return nil
	}
	return &MissingError{
		Tool:   who,
		Reason: fmt.Sprintf("cannot be had at an MTU of %d bytes: %s, so %d is the most", s.DUT.MTUBytes, why, most),
		Hint:   fmt.Sprintf("set lab.mtu_bytes to %d or less, or %s", most, instead),
	}
}

// frameMemory are testpmd's arguments of each device for frames of the devices' MTU, and the memory
// of a frame in bytes (--mbuf-size); empty and 0 for what it does unless told.
func (s Scenario) frameMemory(socket string) (device string, mbufBytes int) {
	switch largest := s.largestFrame(); {
	case socket == "afxdp" && largest > xdpFrameUsual:
		return "", chunkMost - chunkOwn
	case socket == "afpacket" && largest > slotUsual-slotOwn:
		slot := slotUsual
		for slot < largest+slotOwn {
			slot *= 2
		}
		// A block holds whole slots, and is made of pages.
		return fmt.Sprintf(",framesz=%d,blocksz=%d", slot, max(slot, os.Getpagesize())), slot + mbufHeadroom
	}
	return "", 0
}

// frameMegabytes is what so many frames need with that memory for each, in MiB.
func (s Scenario) frameMegabytes(socket string, frames int) int {
	_, told := s.frameMemory(socket)
	return max(testpmdMegabytes, (frames*(cmp.Or(told, mbufUsual)+chunkOwn))>>20+testpmdMegabytes/4)
}

// testpmdRefusals are in lines with which testpmd, or the libraries below it, say that a port
// cannot be opened. It takes commands all the same and forwards nothing.
var testpmdRefusals = []string{"Kernel error message", "Fail to", "Failed to", "Start ports failed", "will not fit in mbuf"}

// testpmdCheck reads from its log whether testpmd has opened its ports.
func testpmdCheck(s Scenario) error {
	start := s.process(testpmdProcess, []string{testpmdTool}, journal.Process{}).Do
	if start.Printed("Start ports failed") == "" {
		return nil
	}
	var said []string
	for _, text := range testpmdRefusals {
		if line := start.Printed(text); line != "" {
			said = append(said, line)
		}
	}
	return errors.New("testpmd could not open its ports: " + strings.Join(said, " / "))
}
