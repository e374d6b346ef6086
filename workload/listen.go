package workload

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/linerate/linerate/internal/netns"
)

// Patience with a server that starts.
const (
	listenPatience = 5 * time.Second
	listenStep     = 10 * time.Millisecond
)

// States of a socket that waits for its first peer (include/net/tcp_states.h): TCP_LISTEN,
// and TCP_CLOSE of an unconnected UDP socket.
const (
	listening   = "0A"
	unconnected = "07"
)

// AwaitListening waits until a socket of the protocol, "tcp" or "udp", waits on the port
// inside the namespace. It sends nothing, so that a server that serves once is not used up.
func AwaitListening(ctx context.Context, server *Process, ns, protocol string, port int) error {
	deadline := time.Now().Add(listenPatience)
	for {
		there := false
		err := netns.Do(ns, func() error {
			for _, family := range []string{"", "6"} {
				table, err := os.ReadFile("/proc/thread-self/net/" + protocol + family)
				if err == nil {
					there = there || waits(string(table), protocol, port)
				}
			}
			return nil
		})
		if err != nil || there {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-server.Done():
			_, err := server.Wait()
			return fmt.Errorf("start the server: %w", ended(err))
		case <-time.After(listenStep):
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("start the server: it does not listen on %s port %d after %v", protocol, port, listenPatience)
		}
	}
}

func ended(err error) error {
	if err == nil {
		return fmt.Errorf("it ended before anybody connected")
	}
	return err
}

// waits looks for a waiting socket in a table of /proc/net (proc(5)).
func waits(table, protocol string, port int) bool {
	state := listening
	if protocol == "udp" {
		state = unconnected
	}
	for line := range strings.Lines(table) {
		f := strings.Fields(line)
		if len(f) < 4 || f[3] != state {
			continue
		}
		_, hex, _ := strings.Cut(f[1], ":")
		if n, err := strconv.ParseUint(hex, 16, 16); err == nil && int(n) == port {
			return true
		}
	}
	return false
}
