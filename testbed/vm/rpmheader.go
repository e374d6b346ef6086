package vm

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// The layout of a package file, version 4 (rpm, docs/manual/format_v4.md): a lead, a header
// of signatures padded to 8 bytes, a header, and the payload.
const (
	rpmLeadBytes     = 96
	rpmLeadMagic     = "\xed\xab\xee\xdb"
	rpmHeaderMagic   = "\x8e\xad\xe8\x01"
	rpmEntryBytes    = 16
	rpmMostEntries   = 1 << 20
	rpmMostDataBytes = 256 << 20
)

// Tags of the header (rpm, include/rpm/rpmtag.h).
const (
	rpmName              = 1000
	rpmVersion           = 1001
	rpmRelease           = 1002
	rpmArchitecture      = 1022
	rpmPayloadFormat     = 1124
	rpmPayloadCompressor = 1125
	rpmPayloadDigest     = 5092
	rpmPayloadDigestAlgo = 5093
)

// rpmSHA256 is the number of SHA-256 among hash algorithms (RFC 9580, section 9.5).
const rpmSHA256 = 8

// rpmHeader is the data of a header, with the place of each tag in it.
type rpmHeader struct {
	data    []byte
	offsets map[uint32]uint32
}

// readRPMHeader reads up to the payload.
func readRPMHeader(r io.Reader) (rpmHeader, error) {
	lead := make([]byte, rpmLeadBytes)
	if _, err := io.ReadFull(r, lead); err != nil || !bytes.HasPrefix(lead, []byte(rpmLeadMagic)) {
		return rpmHeader{}, errors.New("it is no RPM package: its first bytes are others")
	}
	signatures, err := readRPMIndex(r)
	if err != nil {
		return signatures, err
	}
	if _, err := io.CopyN(io.Discard, r, int64(-len(signatures.data)&7)); err != nil {
		return signatures, errors.New("the RPM package ends in its header; fetch it again")
	}
	return readRPMIndex(r)
}

// readRPMIndex reads one header: its index and its data.
func readRPMIndex(r io.Reader) (h rpmHeader, err error) {
	head := make([]byte, 16)
	if _, err := io.ReadFull(r, head); err != nil {
		return h, errors.New("the RPM package ends before its header; fetch it again")
	}
	entries, size := binary.BigEndian.Uint32(head[8:]), binary.BigEndian.Uint32(head[12:])
	if !bytes.HasPrefix(head, []byte(rpmHeaderMagic)) || entries > rpmMostEntries || size > rpmMostDataBytes {
		return h, fmt.Errorf("the header of the RPM package is damaged, or of another version than 4 (%x)", head)
	}
	index := make([]byte, entries*rpmEntryBytes)
	h.data = make([]byte, size)
	for _, part := range [][]byte{index, h.data} {
		if _, err := io.ReadFull(r, part); err != nil {
			return h, errors.New("the RPM package ends in its header; fetch it again")
		}
	}
	h.offsets = map[uint32]uint32{}
	for ; len(index) > 0; index = index[rpmEntryBytes:] {
		h.offsets[binary.BigEndian.Uint32(index)] = binary.BigEndian.Uint32(index[8:])
	}
	return h, nil
}

// text is a tag's string, or the first of an array's; empty without the tag.
func (h rpmHeader) text(tag uint32) string {
	at, found := h.offsets[tag]
	if !found || int(at) > len(h.data) {
		return ""
	}
	text, _, _ := bytes.Cut(h.data[at:], []byte{0})
	return string(text)
}

// payloadSHA256 is the digest of the payload as it is compressed, which rpm writes since
// version 4.14; empty without it.
func (h rpmHeader) payloadSHA256() string {
	at, found := h.offsets[rpmPayloadDigestAlgo]
	if !found || int(at)+4 > len(h.data) || binary.BigEndian.Uint32(h.data[at:]) != rpmSHA256 {
		return ""
	}
	return h.text(rpmPayloadDigest)
}
