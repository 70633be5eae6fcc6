// Private declarations of the runtime: counts in a file that survives the process
// (CHORD_DURABLE), for the process itself and for who reads the file afterwards.
#pragma once

#include "chord_process.h"
#include "system/sys.h"

namespace chord::runtime {

// Moves the instance to a file; where that fails it stays where it was.
Instance *make_durable(Instance *instance);
// Memory that a reader of the dead process needs; zeroed, or null.
CHORD_SHARED void *map_kept(Instance &instance, size_t size) __asm__("__chord_map_kept");
CHORD_SHARED void unmap_kept(Instance &instance, void *pages, size_t size) __asm__("__chord_unmap_kept");
// The same of whole pages that are mapped already and hold nothing: they are from the file from now on. Call with the lock held, in a durable process.
CHORD_SHARED void keep_at(Instance &instance, char *address, size_t size) __asm__("__chord_keep_at");
// The last segment is written; the file can go.
void end_durable(Instance &instance);
// It was not the last, after all: an exec failed.
void resume_durable(Instance &instance);
// Around a fork, with the lock held: before it, after it in the parent, and in the child
// before anything else, then when it knows who it is.
void copy_durable(Instance &instance);
void drop_copy();
void become_private();

}  // namespace chord::runtime
