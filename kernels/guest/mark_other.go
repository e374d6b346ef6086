//go:build !amd64

package guest

// Guests are x86-64; these only let the package compile for other machines.
func markArm()   {}
func markBegin() {}
func markEnd()   {}
