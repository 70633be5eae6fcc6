// Which activations on a meter's stack a jump has left: those that were entered at or below the stack pointer it goes to. On one stack these are on top.
//
// A handler that runs on a stack of its own (sigaltstack) may have been entered above where it jumps to. Keys fall from the bottom of a meter's stack to its
// top as long as the stack is one, so where they rise another began; and what lies between two activations of one stack is of that stack. So if nothing on top is left, but
// the jump goes in between those of an older one, all that came after is. That is exact for the two stacks that a thread may have; coroutines are not followed.
#pragma once

#include <stdint.h>

namespace chord::runtime {
namespace {

// The lowest that is left, `top` if none is; `bottom` is the lowest there is.
template <class Entry>
Entry *first_left(Entry *bottom, Entry *top, uint64_t stack_pointer) {
  Entry *first = top;
  while (first > bottom && first[-1].key <= stack_pointer) --first;
  if (first != top) return first;
  for (Entry *end = top; end > bottom;) {  // activations of one stack, up to `end`
    Entry *begin = end - 1;
    while (begin > bottom && begin[-1].key >= begin->key) --begin;
    if (end != top && end[-1].key <= stack_pointer && stack_pointer < begin->key) {
      for (first = end; first[-1].key <= stack_pointer;) --first;
      return first;
    }
    end = begin;
  }
  return top;
}

}  // namespace
}  // namespace chord::runtime
