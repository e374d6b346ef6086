package vm

import "encoding/binary"

// Ports of QEMU's devices isa-debugcon and isa-debug-exit, to which the probe program writes.
const (
	markPort = 0xe9
	exitPort = 0xf4
)

// The probe program's loop: firstTurns turns, then a mark, then twice as many, until
// lastTurns are reached, so that a slow CPU gets to its first marks soon, and a fast one
// executes enough between the last two that the marks cost nothing.
const (
	firstTurns = 1 << 10
	lastTurns  = 1 << 22
	marksInAll = 13
	// turnInstructions are the instructions of one turn.
	turnInstructions = 7
)

// romBytes is the size of a firmware at the end of the first megabyte, and entry where an
// x86 CPU begins in it: 16 bytes before its end.
const (
	romBytes = 64 << 10
	romEntry = romBytes - 16
)

// loopAt is where the loop begins in the program.
const loopAt = 0x37

// probeProgram is a firmware that says how fast a CPU executes a kernel's mode. It goes
// to 32-bit protected mode, where it runs with all privileges, marks that by a 'b', and then
// each part of its loop by a '.'. Without the usual firmware nothing comes before it.
func probeProgram() []byte {
	code := []byte{
		0xfa,       // cli
		0x8c, 0xc8, // mov ax, cs
		0x8e, 0xd8, // mov ds, ax
		0x66, 0x0f, 0x01, 0x16, 0x75, 0x00, // lgdt [0x75]
		0x0f, 0x20, 0xc0, // mov eax, cr0
		0x66, 0x25, 0xff, 0xff, 0xff, 0x9f, // and eax, ~(CD|NW): caches on
		0x0c, 0x01, // or al, PE: protected mode
		0x0f, 0x22, 0xc0, // mov cr0, eax
		0x66, 0xea, 0x21, 0x00, 0x0f, 0x00, 0x08, 0x00, // jmp 8:0xf0021, the next instruction
		0x66, 0xb8, 0x10, 0x00, // mov ax, 16
		0x8e, 0xd8, // mov ds, ax
		0x8e, 0xd0, // mov ss, ax
		0xbc, 0x00, 0x70, 0x00, 0x00, // mov esp, 0x7000
		0xb0, 'b', // mov al, 'b'
		0xe6, markPort, // out
	}
	code = append(code, 0xbe) // mov esi, firstTurns
	code = binary.LittleEndian.AppendUint32(code, firstTurns)
	code = append(code, // loopAt
		0x89, 0xf1, // part: mov ecx, esi
		0xff, 0x05, 0x00, 0x60, 0x00, 0x00, // turn: inc dword [0x6000]
		0x51,                         // push ecx
		0x5a,                         // pop edx
		0xe8, 0x16, 0x00, 0x00, 0x00, // call to the ret
		0x49,       // dec ecx
		0x75, 0xf0, // jnz turn
		0xb0, '.', // mov al, '.'
		0xe6, markPort, // out
		0x01, 0xf6, // add esi, esi
		0x81, 0xfe, // cmp esi, 2*lastTurns
	)
	code = binary.LittleEndian.AppendUint32(code, 2*lastTurns)
	code = append(code,
		0x72, 0xe0, // jb part
		0xe6, exitPort, // out: the machine ends
		0xf4,       // hlt
		0xeb, 0xfd, // jmp to hlt
		0xc3, // ret
	)
	// The descriptors at 0x5d: none, code, data; both of 4 GB from address 0, and marked
	// as accessed already, because a CPU cannot mark them in a ROM.
	for _, descriptor := range []uint64{0, 0x00cf9b000000ffff, 0x00cf93000000ffff} {
		code = binary.LittleEndian.AppendUint64(code, descriptor)
	}
	return firmware(append(code, 23, 0, 0x5d, 0x00, 0x0f, 0)) // at 0x75: size less 1 and address of the descriptors
}

// firmware is code as a PC begins with it after power-on, at f000:0000.
func firmware(code []byte) []byte {
	rom := make([]byte, romBytes)
	copy(rom, code)
	copy(rom[romEntry:], []byte{0xea, 0x00, 0x00, 0x00, 0xf0}) // jmp f000:0000
	return rom
}
