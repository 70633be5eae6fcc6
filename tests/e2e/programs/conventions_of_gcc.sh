#!/bin/sh
# Functions that keep more registers for their callers than usual, and callers in another file that
# rely on it; registers that options keep for a whole file; functions of one file that are called
# through a register by a caller that knows what they leave alone (-fipa-ra).
. "$(dirname "$0")/../common.inc"
. "$here/conventions.inc"
alike "" gcc -O2 -DFLOATS
alike "__attribute__((ms_abi))" gcc -O2 -DFLOATS
alike "" gcc -O2 -fcall-saved-r11 -fcall-saved-r10 -static
alike "" gcc -O2 -DFLOATS -fcall-saved-xmm14 -fcall-saved-xmm15 -static
callee_flags=-mgeneral-regs-only
alike "__attribute__((no_caller_saved_registers))" gcc -O2
