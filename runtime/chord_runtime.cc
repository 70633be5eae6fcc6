// The whole runtime as one translation unit: it becomes one COMDAT group that every
// woven object carries (group_runtime.py), so everything private can be local.

// For routines that keep the registers of woven code.
asm(R"(
	.macro __chord_push registers:vararg
	.irp register, \registers
	pushq %\register
	.cfi_adjust_cfa_offset 8
	.endr
	.endm
	.macro __chord_pop registers:vararg
	.irp register, \registers
	popq %\register
	.cfi_adjust_cfa_offset -8
	.endr
	.endm
)");

#include "api.cc"
#include "brackets.cc"
#include "budget.cc"
#include "call_tree.cc"
#include "cfi.cc"
#include "cleanups.cc"
#include "contexts.cc"
#include "durable.cc"
#include "events.cc"
#include "exits.cc"
#include "expressions.cc"
#include "fold.cc"
#include "frames.cc"
#include "jumps.cc"
#include "maps.cc"
#include "modules.cc"
#include "open_profile.cc"
#include "paths.cc"
#include "place.cc"
#include "redirect.cc"
#include "segment.cc"
#include "signals.cc"
#include "start.cc"
#include "stop.cc"
#include "thread_starts.cc"
#include "threads.cc"
#include "unwind.cc"
#include "visible.cc"
#include "wraps.cc"
#include "writer.cc"

asm(R"(
	.purgem __chord_push
	.purgem __chord_pop
)");
