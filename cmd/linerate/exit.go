package main

// Exit codes of every command. They are told apart by scripts and never change.
const (
	exitMeasured        = 0
	exitThresholdMissed = 1 // measured, but a threshold that was asked for was missed
	exitBadPlan         = 2 // bad plan or arguments
	exitCannot          = 3 // this machine or testbed cannot do it
	exitInterrupted     = 4 // what was measured is kept and everything is undone
)

// exitError is an error that ends the command with a code of its own.
type exitError struct {
	code int
	err  error
}

func (e *exitError) Error() string { return e.err.Error() }

func (e *exitError) Unwrap() error { return e.err }
