//go:build !amd64

package guest

import "errors"

// Guests are x86-64; these only let the package compile for other machines.
func markArm()   {}
func markBegin() {}
func markEnd()   {}

func writeRaw(uint16, []byte) error { return errors.ErrUnsupported }
