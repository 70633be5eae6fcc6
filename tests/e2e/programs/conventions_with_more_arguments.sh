#!/bin/sh
# Conventions that pass arguments and results in registers that are nobody's, or the caller's, by the usual one.
. "$(dirname "$0")/../common.inc"
. "$here/conventions.inc"
for name in preserve_none regcall; do
  alike "__attribute__(($name))" clang-19 -O2 -DFLOATS
done
