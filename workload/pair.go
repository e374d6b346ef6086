package workload

import (
	"context"
	"fmt"
	"os/exec"
	"time"
)

// Pair are the command lines of the two ends of one measurement.
type Pair struct {
	Server, Client []string
	// Protocol and Port are where the server waits for its first peer.
	Protocol string
	Port     int
	// Bound is the longest that the client may take.
	Bound time.Duration
}

// serverPatience is how long a server that serves once may take to end after its client.
const serverPatience = 3 * time.Second

// Run starts the server, waits until it listens, runs the client to its end and then
// waits for the server or ends it. What both printed is returned with every error.
func (p Pair) Run(ctx context.Context, e Ends) (client, server Ended, err error) {
	serverCtx, endServer := context.WithCancel(ctx)
	defer endServer()
	s, err := Start(serverCtx, e.ServerNetns, e.ServerCPUs, e.ServerPriority, p.Server...)
	if err != nil {
		return client, server, err
	}
	defer func() {
		endServer()
		server, _ = s.Wait()
	}()
	if err := AwaitListening(ctx, s, e.ServerNetns, p.Protocol, p.Port); err != nil {
		return client, server, err
	}
	clientCtx, endClient := context.WithTimeout(ctx, p.Bound)
	defer endClient()
	c, err := Start(clientCtx, e.ClientNetns, e.ClientCPUs, 0, p.Client...)
	if err != nil {
		return client, server, err
	}
	client, err = c.Wait()
	switch {
	case ctx.Err() != nil:
		return client, server, ctx.Err()
	case clientCtx.Err() != nil:
		return client, server, fmt.Errorf("run `%s`: it did not end within %v and was ended", p.Client[0], p.Bound)
	}
	select {
	case <-s.Done():
	case <-ctx.Done():
	case <-time.After(serverPatience):
	}
	return client, server, err
}

// Require is a *MissingError if the program is not installed.
func Require(p Program) error {
	tool, packages := p.Tool()
	if _, err := exec.LookPath(tool); err != nil {
		return &MissingError{Tool: tool, Package: packages}
	}
	return nil
}
