// Package verify answers "is my 64-byte packet 64 bytes?" from a capture: it decodes
// frames with a decoder that is not linerate's own and checks sizes, headers,
// checksums, addresses, flows and sequence. It is pure.
package verify
