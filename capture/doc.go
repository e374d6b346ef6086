// Package capture keeps the first frames that a device or an XDP program sees, byte
// for byte and without their FCS, and writes them as pcapng.
package capture
