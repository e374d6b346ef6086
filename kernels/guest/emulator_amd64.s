#include "textflag.h"

// Marks are nopl N(%rax): they do nothing, and testbed/vm/counter.c knows them by N.

// func markArm()
TEXT ·markArm(SB), NOSPLIT, $0-0
	BYTE $0x0f; BYTE $0x1f; BYTE $0x80; LONG $0x6c720001
	RET

// func markBegin()
TEXT ·markBegin(SB), NOSPLIT, $0-0
	BYTE $0x0f; BYTE $0x1f; BYTE $0x80; LONG $0x6c720002
	RET

// func markEnd()
TEXT ·markEnd(SB), NOSPLIT, $0-0
	BYTE $0x0f; BYTE $0x1f; BYTE $0x80; LONG $0x6c720003
	RET

// func outBytes(port uint16, data *byte, n int)
TEXT ·outBytes(SB), NOSPLIT, $0-24
	MOVWLZX port+0(FP), DX
	MOVQ data+8(FP), SI
	MOVQ n+16(FP), CX
	CLD
	REP; OUTSB
	RET
