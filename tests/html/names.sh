#!/bin/sh
# Names that fit a row: on a phone, too, methods of one name in several classes stay apart, and lists show what their rows are about.
. "$(dirname "$0")/common.inc"
in_browser names.mjs
