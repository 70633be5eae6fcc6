// What a profile may lack, and how its reader is told (CHORD_RECORD_NOTE).
#pragma once

#include <stdint.h>

namespace chord::runtime {

enum Note : uint32_t {
  note_stack_lost = 1,  // a stack could not be walked to its end
  note_out_of_memory = 2,
  note_foreign_threads = 4,  // threads that count in the shared array
  note_unseen_threads = 8,   // threads whose counters were never found
  note_other_stack = 16,     // a longjmp to a stack that is not below us
  note_not_durable = 32,     // part of it is in no file, although CHORD_DURABLE asked for it
  note_calls_unmeasured = 64,  // brackets that were not closed where they should
  note_ended_early = 128,      // a thread was, maybe where not all its frames could be told
  note_cloned = 256,           // threads that clone itself made
  note_pause_ignored = 512,    // chord_pause where flags are set
  note_end = 1024,
};

inline const char *note_text(uint32_t note) {
  switch (note) {
    case note_stack_lost:
      return "a stack could not be walked to its end (code without unwind information); functions that were "
             "active there may be contradictory";
    case note_out_of_memory:
      return "the runtime ran out of memory; counts are missing";
    case note_foreign_threads:
      return "threads that were not started through instrumented code share counters of shared objects; those "
             "counts may be too low";
    case note_unseen_threads:
      return "threads that were not started through pthread_create are running; their counts are missing";
    case note_not_durable:
      return "CHORD_DURABLE: not all counts could be kept in a file, they would not have survived SIGKILL; no space, "
             "or built without --durable";
    case note_calls_unmeasured:
      return "calls were left in a way that was not noticed, or stacks were switched; what calls took with all "
             "they called is not exact";
    case note_cloned:
      return "threads were started by clone, not by pthread_create; what they counted is missing or mixed with others'";
    case note_ended_early:
      return "a thread was ended by pthread_exit or a cancellation, and not all functions it was in could be told (code "
             "without unwind information, or cleanup handlers beside others or a longjmp); they may be counted too far";
    case note_pause_ignored:
      return "chord_pause does nothing in a program built with --coverage: what ran meanwhile is shown, too";
    default:
      return "a longjmp went to another stack; functions that were active on the stack it left may be "
             "contradictory";
  }
}

}  // namespace chord::runtime
