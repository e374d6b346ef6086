package frame

import "encoding/binary"

// Magic is the signature of a test frame (testframe.h).
const Magic uint32 = 0x3152544c

// PayloadBytes is the length of the test payload: the 18 bytes of UDP payload
// that a 64-byte IPv4 frame has room for.
const PayloadBytes = 18

// Payload is the content of a test frame, laid out as struct test_payload of testframe.h.
type Payload struct {
	// Epoch tells the trials of a run apart.
	Epoch uint16
	// Flow is the number of the flow within its direction.
	Flow uint32
	// Sequence counts per flow and trial from 0.
	Sequence uint32
	// SentNS are the low 32 bits of CLOCK_MONOTONIC at departure.
	SentNS uint32
}

// Put writes the payload into the first PayloadBytes of b.
func (p Payload) Put(b []byte) {
	le := binary.LittleEndian
	le.PutUint16(b, p.Epoch)
	le.PutUint32(b[2:], Magic)
	le.PutUint32(b[6:], p.Flow)
	le.PutUint32(b[10:], p.Sequence)
	le.PutUint32(b[14:], p.SentNS)
}

// ParsePayload reads a payload; false if b is too short or has another signature.
func ParsePayload(b []byte) (Payload, bool) {
	if len(b) < PayloadBytes {
		return Payload{}, false
	}
	le := binary.LittleEndian
	p := Payload{Epoch: le.Uint16(b), Flow: le.Uint32(b[6:]), Sequence: le.Uint32(b[10:]), SentNS: le.Uint32(b[14:])}
	return p, le.Uint32(b[2:]) == Magic
}
