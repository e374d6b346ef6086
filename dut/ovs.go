package dut

import (
	"errors"
	"fmt"
	"math/big"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/linerate/linerate/dut/journal"
	"github.com/linerate/linerate/frame"
	"github.com/linerate/linerate/testbed"
)

// ovs is Open vSwitch with its datapath in user space between the DUT's two devices, which
// it opens by AF_XDP sockets of its own, or by DPDK's. It runs beside any Open vSwitch of the
// machine: database, sockets and logs are in the folders of its processes.
var ovs = kind{steps: ovsSteps, check: ovsCheck, layer2: true, busyPolling: true}

const (
	// ovsDPDK is the backend with DPDK; the other one has Open vSwitch's own AF_XDP sockets.
	ovsDPDK = "dpdk"
	// Names of the two processes.
	ovsDatabase, ovsSwitch = "ovsdb-server", "ovs-vswitchd"
	ovsSocket              = "db.sock"
	ovsBridge              = "br0"
	// ovsReady is printed when the switch has its database, and DPDK if it is to have that.
	ovsReady   = "(Open vSwitch)"
	ovsReadyMS = 20_000
	// ovsTimeoutS bounds the wait for the switch to do what its database says.
	ovsTimeoutS = 20
	// ovsMegabytes is DPDK's memory for a queue of both ports.
	ovsMegabytes = 256
)

// Where distributions with two builds of the switch have them. Elsewhere there is one.
const (
	ovsPlainBuild = "/usr/lib/openvswitch-switch/ovs-vswitchd"
	ovsDPDKBuild  = "/usr/lib/openvswitch-switch-dpdk/ovs-vswitchd-dpdk"
)

// ovsSteps start database and switch, join the devices by a bridge, and say where frames go.
func ovsSteps(s Scenario) ([]Step, error) {
	if err := requireTools("ovs-vsctl", "ovs-ofctl", "ovsdb-tool", ovsDatabase, "ip"); err != nil {
		return nil, err
	}
	program, err := ovsProgram(s.Cell.Backend)
	if err != nil {
		return nil, err
	}
	most, why := ovsMTU(s.Cell.Backend)
	if err := s.requireMTU(most, "Open vSwitch over AF_XDP", why, "use bridge or testpmd-io-afpacket"); err != nil {
		return nil, err
	}
	const script = `ovsdb-tool create "$LINERATE_PROCESS/conf.db" && exec ovsdb-server "$LINERATE_PROCESS/conf.db" --remote=punix:"$LINERATE_PROCESS/` + ovsSocket + `" --unixctl="$LINERATE_PROCESS/ctl"`
	steps := []Step{
		s.process(ovsDatabase, []string{"sh", "-c", script}, journal.Process{
			Program: ovsDatabase, Env: s.ovsFolders(ovsDatabase), CPUs: s.CPUs, Ready: journal.Ready{File: ovsSocket},
		}),
		{Do: s.vsctl(append([]string{"--no-wait", "init", "--", "set", "Open_vSwitch", "."}, s.ovsSettings()...)...)},
	}
	steps = append(steps, s.ovsTaps()...)
	steps = append(steps, s.releaseDevices()...)
	// Where the threads of the devices take turns with the switch on one CPU, their rings run
	// full: the switch polls, with either kind of port.
	steps = append(append(steps, s.pollByProcess()...), libxdpFolder())
	p := journal.Process{Env: s.ovsFolders(ovsSwitch), CPUs: s.CPUs, Ready: journal.Ready{Log: ovsReady, WithinMS: ovsReadyMS}}
	if s.Cell.Backend == ovsDPDK {
		p.Env = append(p.Env, "RUNTIME_DIRECTORY="+s.dirOf(ovsSwitch)) // else DPDK keeps its state in /run/dpdk
	}
	start := s.process(ovsSwitch, []string{program, s.ovsRemote(), "--unixctl=" + filepath.Join(s.dirOf(ovsSwitch), "ctl")}, p)
	if s.Cell.Backend == ovsDPDK {
		start.VersionLine = "Using DPDK" // that of Open vSwitch is told by its tools
	}
	return append(steps, start, Step{Do: s.vsctl(s.ovsPorts()...)}, Step{Do: s.ovsFlows()}), nil
}

// ovsProgram is the build of the switch that the backend needs. A MissingError says which
// package has it.
func ovsProgram(backend string) (string, error) {
	build := ovsPlainBuild
	if backend == ovsDPDK {
		build = ovsDPDKBuild
	}
	if _, err := os.Stat(build); err == nil {
		if backend == ovsDPDK {
			return build, pollDrivers["afxdp"].require()
		}
		return build, nil
	}
	if err := requireTools(ovsSwitch); err != nil {
		return "", err
	}
	if backend != ovsDPDK {
		return ovsSwitch, nil
	}
	version, err := exec.Command(ovsSwitch, "--version").Output()
	if err != nil || !strings.Contains(string(version), "DPDK") {
		return "", &MissingError{Tool: "Open vSwitch with DPDK", Hint: "install it with `apt-get install openvswitch-switch-dpdk` or your distribution's package of it (" + ovsSwitch + " is built without)"}
	}
	return ovsSwitch, pollDrivers["afxdp"].require()
}

// ovsMTU is the largest MTU of a backend, and why. With DPDK the memory of a frame grows in steps of 1024
// bytes (dpdk_buf_size, lib/netdev-dpdk.c, Open vSwitch 3.1), and what comes above the first one
// does not fit into a page any more, or takes less than its MTU.
func ovsMTU(backend string) (most int, why string) {
	if backend == ovsDPDK {
		return xdpFrameUsual - frame.EthernetBytes, "Open vSwitch raises the memory of DPDK's frames in steps of 1024 bytes, and AF_XDP takes those of the first step only"
	}
	return xdpMTU, onePage
}

// ovsFolders keep all that a program of Open vSwitch reads and writes in the folder of its process.
func (s Scenario) ovsFolders(process string) []string {
	var env []string
	for _, name := range []string{"OVS_RUNDIR", "OVS_LOGDIR", "OVS_DBDIR", "OVS_SYSCONFDIR"} {
		env = append(env, name+"="+s.dirOf(process))
	}
	return env
}

func (s Scenario) ovsRemote() string { return "unix:" + filepath.Join(s.dirOf(ovsDatabase), ovsSocket) }

func (s Scenario) vsctl(argv ...string) journal.Action {
	return s.command(append([]string{"ovs-vsctl", "--db=" + s.ovsRemote(), fmt.Sprintf("--timeout=%d", ovsTimeoutS)}, argv...)...)
}

// ovsSettings give each of the DUT's CPUs a thread that polls (PMD thread), and start DPDK
// as for testpmd: without huge pages and without hardware.
func (s Scenario) ovsSettings() []string {
	settings := []string{"other_config:pmd-cpu-mask=" + cpuMask(s.CPUs)}
	if s.Cell.Backend != ovsDPDK {
		return settings
	}
	extra := fmt.Sprintf("--no-huge --legacy-mem -m %d --no-pci --no-telemetry --file-prefix linerate", ovsMegabytes*max(1, s.DUT.Queues))
	return append(settings, "other_config:dpdk-init=true", "other_config:per-port-memory=true",
		"other_config:dpdk-lcore-mask="+cpuMask(s.CPUs[:min(1, len(s.CPUs))]), `other_config:dpdk-extra="`+extra+`"`)
}

// cpuMask has a bit for each CPU; without any it is CPU 0's.
func cpuMask(cpus []int) string {
	mask := new(big.Int)
	for _, cpu := range cpus {
		mask.SetBit(mask, cpu, 1)
	}
	if mask.Sign() == 0 {
		mask.SetBit(mask, 0, 1)
	}
	return fmt.Sprintf("0x%x", mask)
}

// ovsTaps make the tap devices of the datapath and of the bridge itself, which the switch
// would make, and leave behind when a signal ends it.
func (s Scenario) ovsTaps() []Step {
	var steps []Step
	for _, device := range []string{"ovs-netdev", ovsBridge} {
		steps = append(steps, Step{
			Do:      s.command("ip", "tuntap", "add", "dev", device, "mode", "tap"),
			Undo:    s.command("ip", "link", "delete", device),
			Atomic:  true,
			Missing: &MissingError{Tool: "the tap device", Reason: "is not in this kernel", Hint: "boot one with CONFIG_TUN (module tun)"},
		})
	}
	return steps
}

// The OpenFlow numbers of the ports on sides A and B.
const ovsPortA, ovsPortB = 1, 2

// ovsPorts make a bridge of the two devices that forwards nothing until it has flows.
func (s Scenario) ovsPorts() []string {
	argv := []string{"add-br", ovsBridge, "--", "set", "bridge", ovsBridge, "datapath_type=netdev", "fail_mode=secure"}
	queues := max(1, s.DUT.Queues)
	for i, side := range []testbed.Side{s.DUT.A, s.DUT.B} {
		argv = append(argv, "--", "add-port", ovsBridge, side.Interface, "--", "set", "interface", side.Interface,
			fmt.Sprintf("ofport_request=%d", []int{ovsPortA, ovsPortB}[i]), fmt.Sprintf("options:n_rxq=%d", queues))
		if s.Cell.Backend != ovsDPDK {
			argv = append(argv, "type=afxdp")
			continue
		}
		// The MTU is asked for: the switch gives a port of DPDK 1500 bytes otherwise, and its device too.
		argv = append(argv, "type=dpdk", fmt.Sprintf("mtu_request=%d", s.DUT.MTUBytes),
			fmt.Sprintf(`options:dpdk-devargs="net_af_xdp%d,iface=%s,start_queue=0,queue_count=%d"`, i, side.Interface, queues))
	}
	return argv
}

// ovsFlows pass frames on to the tester's two addresses, and drop all others: nothing is
// learned, nothing flooded.
func (s Scenario) ovsFlows() journal.Action {
	a := s.command("ovs-ofctl", "add-flows", "unix:"+filepath.Join(s.dirOf(ovsSwitch), ovsBridge+".mgmt"), "-")
	line := func(to net.HardwareAddr, port int) string {
		return fmt.Sprintf("dl_dst=%s,actions=output:%d\n", to, port)
	}
	a.Stdin = line(s.DUT.A.TesterMAC, ovsPortA) + line(s.DUT.B.TesterMAC, ovsPortB)
	a.TimeoutS = ovsTimeoutS
	return a
}

// ovsCheck reads from the database what the switch could not do: ovs-vsctl only warns of it.
func ovsCheck(s Scenario) error {
	var errs []error
	for _, device := range []string{s.DUT.A.Interface, s.DUT.B.Interface} {
		argv := s.vsctl("get", "interface", device, "error").Argv
		out, err := exec.Command(argv[0], argv[1:]...).CombinedOutput()
		said := strings.TrimSpace(string(out))
		switch {
		case err != nil:
			errs = append(errs, fmt.Errorf("ask Open vSwitch for port %s: %w: %s", device, err, said))
		case said != "[]":
			errs = append(errs, fmt.Errorf("port %s of Open vSwitch does not work: %s", device, strings.Trim(said, `"`)))
		}
	}
	return errors.Join(errs...)
}
