package dut

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/linerate/linerate/dut/journal"
)

// testpmd is DPDK's own forwarder between the DUT's two devices: mode io passes frames on as
// they are, mode mac writes new Ethernet addresses. The kernel is left out of the forwarding
// but for the two devices, which DPDK opens by AF_XDP or AF_PACKET sockets.
var testpmd = kind{steps: testpmdSteps, check: testpmdCheck, layer2: true, busyPolling: true, sharesCPUs: byPacketSocket, copies: byPacketSocket}

// byPacketSocket tells whether testpmd takes its frames from packet sockets: the threads of
// the devices put a copy of each into them. An AF_XDP socket is polled by testpmd itself.
func byPacketSocket(s Scenario) bool { return strings.HasSuffix(s.Cell.Backend, "-afpacket") }

const (
	testpmdTool = "dpdk-testpmd"
	// testpmdProcess names its folder.
	testpmdProcess = "testpmd"
	// testpmdPrompt is printed when the ports are open and frames are forwarded.
	testpmdPrompt = "testpmd> "
	// testpmdReadyMS allows for a hundred drivers to be loaded on a slow machine.
	testpmdReadyMS = 20_000
	// A queue of testpmd holds frames in memory of its own; both numbers are per queue.
	testpmdFrames, testpmdMegabytes = 16_384, 256
)

// pollDriver is how DPDK opens a device of the kernel.
type pollDriver struct {
	// name is that of the virtual device, library that of its driver and of its package.
	name, library, packet string
	// queues are its arguments for so many queues.
	queues string
}

var pollDrivers = map[string]pollDriver{
	"afxdp":    {"net_af_xdp", "librte_net_af_xdp.so*", "librte-net-af-xdp", "start_queue=0,queue_count=%d"},
	"afpacket": {"net_af_packet", "librte_net_af_packet.so*", "librte-net-af-packet", "qpairs=%d"},
}

// testpmdSteps start testpmd. It takes commands, and so ends neither by itself nor when its
// input does; a signal ends it in good order (app/test-pmd, DPDK 22.11).
func testpmdSteps(s Scenario) ([]Step, error) {
	if err := requireTools(testpmdTool, "ip"); err != nil {
		return nil, err
	}
	mode, socket, _ := strings.Cut(s.Cell.Backend, "-")
	driver, known := pollDrivers[socket]
	if !known {
		return nil, fmt.Errorf("prepare scenario testpmd: %q is not a mode with a driver, such as io-afxdp", s.Cell.Backend)
	}
	if err := driver.require(); err != nil {
		return nil, err
	}
	if socket == "afxdp" {
		if err := s.requireMTU(xdpMostTestpmd, "testpmd over AF_XDP", onePage, "use testpmd-"+mode+"-afpacket, whose slots grow with the MTU"); err != nil {
			return nil, err
		}
	}
	queues := max(1, s.DUT.Queues)
	perDevice, mbufBytes := s.frameMemory(socket)
	argv := append(ealArguments(s.CPUs, s.Plan.Testpmd.Cores, s.frameMegabytes(socket, testpmdFrames)*queues),
		driver.device(0, s.DUT.A.Interface, queues)+perDevice, driver.device(1, s.DUT.B.Interface, queues)+perDevice,
		"--", "-i", "--auto-start", "--forward-mode="+mode, fmt.Sprintf("--nb-cores=%d", s.Plan.Testpmd.Cores),
		fmt.Sprintf("--rxq=%d", queues), fmt.Sprintf("--txq=%d", queues), fmt.Sprintf("--total-num-mbufs=%d", testpmdFrames*queues))
	if mbufBytes > 0 {
		argv = append(argv, fmt.Sprintf("--mbuf-size=%d", mbufBytes))
	}
	if mode == "mac" {
		argv = append(argv, "--eth-peer=0,"+s.DUT.A.TesterMAC.String(), "--eth-peer=1,"+s.DUT.B.TesterMAC.String())
	}
	p := journal.Process{OpenInput: true, CPUs: s.CPUs, Ready: journal.Ready{Log: testpmdPrompt, WithinMS: testpmdReadyMS}}
	steps := s.releaseDevices()
	if socket == "afxdp" {
		steps = append(append(steps, s.pollByProcess()...), libxdpFolder())
	}
	p.Env = []string{"RUNTIME_DIRECTORY=" + s.dirOf(testpmdProcess)} // else DPDK keeps its state in /run/dpdk
	start := s.process(testpmdProcess, append([]string{testpmdTool}, argv...), p)
	start.VersionLine = "RTE Version" // asked for its version it would set up its devices
	return append(steps, start), nil
}

// libxdpFolder makes the folder that libxdp locks while a program of it opens AF_XDP sockets,
// where there is no BPF file system (lib/libxdp/libxdp.c, xdp-tools 1.3): libxdp would make it,
// and leave it behind.
func libxdpFolder() Step {
	const folder = "/run/xdp"
	command := func(argv ...string) journal.Action { return journal.Action{Kind: journal.Command, Argv: argv} }
	return Step{Do: command("mkdir", "-m", "700", folder), Undo: command("rm", "-df", folder), IfAbsent: folder}
}

// releaseDevices takes the DUT's devices out of promiscuous mode, and the XDP programs off
// them, after all that follows: DPDK leaves them in that mode, and a process that is killed
// leaves the programs of its sockets. Beforehand it changes nothing.
func (s Scenario) releaseDevices() []Step {
	var steps []Step
	for _, device := range []string{s.DUT.A.Interface, s.DUT.B.Interface} {
		off := s.command("ip", "link", "set", "dev", device, "promisc", "off", "xdp", "off")
		steps = append(steps, Step{Do: off, Undo: off})
	}
	return steps
}

// pollByProcess lets a process poll the DUT's devices through its AF_XDP sockets in place of
// the kernel's threads, which come in only if it has not polled for so long: the settings that
// the guide of DPDK's driver asks for ("Preferred Busy Polling", doc/guides/nics/af_xdp.rst,
// DPDK 22.11). Without them threads of the kernel and process take the CPU from each other.
func (s Scenario) pollByProcess() []Step {
	var steps []Step
	for _, device := range []string{s.DUT.A.Interface, s.DUT.B.Interface} {
		for _, set := range [][2]string{{"napi_defer_hard_irqs", "2"}, {"gro_flush_timeout", "200000"}} {
			steps = append(steps, Step{Do: journal.Action{Kind: journal.SetDevice, Netns: s.DUT.Netns, Key: device + "/" + set[0], Value: set[1]}})
		}
	}
	return steps
}

// ealArguments start DPDK without huge pages, without hardware, and with as many forwarding
// cores as asked for on the CPUs, in turn. The main core only waits for commands, and shares
// the first CPU.
func ealArguments(cpus []int, cores, megabytes int) []string {
	if len(cpus) == 0 {
		cpus = []int{0}
	}
	cpus = slices.Clone(cpus)
	lcores := []string{fmt.Sprintf("0@%d", cpus[0])}
	for i := range cores {
		lcores = append(lcores, fmt.Sprintf("%d@%d", i+1, cpus[i%len(cpus)]))
	}
	return []string{"-v", "--lcores", strings.Join(lcores, ","), "--no-huge", "-m", fmt.Sprint(megabytes), "--no-pci", "--no-telemetry", "--file-prefix", "linerate"}
}

func (d pollDriver) device(port int, iface string, queues int) string {
	return fmt.Sprintf("--vdev=%s%d,iface=%s,"+d.queues, d.name, port, iface, queues)
}

// driverFolders hold the drivers of DPDK as distributions with packages for each have them.
const driverFolders = "/usr/lib*/*/dpdk/pmds-*"

// require returns a MissingError if DPDK is installed without the driver.
func (d pollDriver) require() error {
	folders, err := filepath.Glob(driverFolders)
	if err != nil || len(folders) == 0 {
		return err // built in, or somewhere else: testpmd will tell
	}
	for _, folder := range folders {
		if found, _ := filepath.Glob(filepath.Join(folder, d.library)); len(found) > 0 {
			return nil
		}
	}
	return &MissingError{Tool: "the DPDK driver " + d.name, Hint: "install it with `apt-get install '^" + d.packet + "[0-9]*$'` or your distribution's package of it (" + strings.Join(folders, ", ") + " does not have it)"}
}
