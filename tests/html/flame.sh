#!/bin/sh
# The flame graph: a tree of a million contexts is drawn, searched and walked by keys; without contexts there is none.
. "$(dirname "$0")/common.inc"
in_browser flame.mjs
