package observe

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/linerate/linerate/internal/netns"
	"github.com/safchain/ethtool"
)

// offloadFeatures are the kernel's names of the offloads that change what a
// forwarded packet costs, by the names that ethtool(8) made known. An offload
// is on if any of its features is.
var offloadFeatures = map[string][]string{
	"gro":                   {"rx-gro"},
	"gso":                   {"tx-generic-segmentation"},
	"lro":                   {"rx-lro"},
	"rx-checksum":           {"rx-checksum"},
	"rx-gro-hw":             {"rx-gro-hw"},
	"rx-gro-list":           {"rx-gro-list"},
	"rx-udp-gro-forwarding": {"rx-udp-gro-forwarding"},
	"tso":                   {"tx-tcp-segmentation", "tx-tcp6-segmentation"},
	"tx-checksum":           {"tx-checksum-ip-generic", "tx-checksum-ipv4", "tx-checksum-ipv6"},
	"tx-udp-segmentation":   {"tx-udp-segmentation"},
	"hw-tc-offload":         {"hw-tc-offload"},
	"rx-vlan-hw-parse":      {"rx-vlan-hw-parse"},
}

// offloads reads the devices of each namespace. Keys are "device/feature", or
// "namespace:device/feature" where two namespaces have a device of one name.
func offloads(devices map[string][]string) (map[string]string, error) {
	namespaces := map[string]int{}
	for _, names := range devices {
		for _, device := range names {
			namespaces[device]++
		}
	}
	states := map[string]string{}
	var failed error
	for _, ns := range slices.Sorted(maps.Keys(devices)) {
		err := netns.Do(ns, func() error {
			return readOffloads(devices[ns], func(device, offload, state string) {
				if namespaces[device] > 1 {
					device = ns + ":" + device
				}
				states[device+"/"+offload] = state
			})
		})
		if err != nil {
			failed = errors.Join(failed, fmt.Errorf("read offloads in the network namespace %s: %w", inNetns(ns), err))
		}
	}
	return states, failed
}

// readOffloads reads devices in the namespace of the calling thread.
func readOffloads(devices []string, found func(device, offload, state string)) error {
	tool, err := ethtool.NewEthtool()
	if err != nil {
		return fmt.Errorf("open the ethtool interface: %w", err)
	}
	defer tool.Close()
	var failed error
	for _, device := range devices {
		features, err := tool.Features(device)
		if err != nil {
			failed = errors.Join(failed, fmt.Errorf("read the features of device %s: %w", device, err))
			continue
		}
		for offload, state := range offloadStates(features) {
			found(device, offload, state)
		}
	}
	return failed
}

// offloadStates is "on" or "off" for each offload that the kernel knows.
func offloadStates(features map[string]bool) map[string]string {
	states := map[string]string{}
	for offload, names := range offloadFeatures {
		for _, name := range names {
			on, known := features[name]
			if on {
				states[offload] = "on"
			} else if known && states[offload] == "" {
				states[offload] = "off"
			}
		}
	}
	return states
}
