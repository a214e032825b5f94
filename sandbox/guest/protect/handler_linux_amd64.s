#include "textflag.h"

// func nothing()
TEXT ·nothing(SB), NOSPLIT|NOFRAME, $0-0
	RET

// func nothingAt() uint64
TEXT ·nothingAt(SB), NOSPLIT, $0-8
	MOVQ $·nothing(SB), AX
	MOVQ AX, ret+0(FP)
	RET
