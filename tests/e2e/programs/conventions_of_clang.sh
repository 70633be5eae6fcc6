#!/bin/sh
# clang's conventions that keep more registers than usual.
. "$(dirname "$0")/../common.inc"
. "$here/conventions.inc"
for name in ms_abi preserve_most preserve_all; do
  alike "__attribute__(($name))" clang-19 -O2 -DFLOATS
done
callee_flags=-mgeneral-regs-only
alike "__attribute__((no_caller_saved_registers))" clang-19 -O2
