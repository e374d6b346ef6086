package frame

import (
	"encoding/binary"
	"math/bits"
	"net/netip"
)

// Subnet is the i-th prefix of a length within a block, counted from 0: the second of
// length 28 in 10.0.0.0/8 is 10.0.0.16/28. The block has to be large enough for it.
func Subnet(block netip.Prefix, length, i int) netip.Prefix {
	a := block.Masked().Addr()
	if a.Is4() {
		b := a.As4()
		binary.BigEndian.PutUint32(b[:], binary.BigEndian.Uint32(b[:])+uint32(i)<<(32-length))
		return netip.PrefixFrom(netip.AddrFrom4(b), length)
	}
	b := a.As16()
	high, low := binary.BigEndian.Uint64(b[:8]), binary.BigEndian.Uint64(b[8:])
	shift := 128 - length
	addHigh, addLow := uint64(0), uint64(i)<<shift // 0 if all of it is in the upper half
	switch {
	case shift >= 64:
		addHigh = uint64(i) << (shift - 64)
	case shift > 0:
		addHigh = uint64(i) >> (64 - shift)
	}
	low, carry := bits.Add64(low, addLow, 0)
	high, _ = bits.Add64(high, addHigh, carry)
	binary.BigEndian.PutUint64(b[:8], high)
	binary.BigEndian.PutUint64(b[8:], low)
	return netip.PrefixFrom(netip.AddrFrom16(b), length)
}
