// Package frame knows what a test frame is: its sizes and line-rate arithmetic,
// the flows it belongs to, the bytes it is made of, and the histogram in which
// times are kept. It is pure: no socket, no process, no clock.
package frame
