// Probes that keep and use the record of an activation's calling context (chord_abi.h).
#pragma once

#include <cstdint>
#include <string>
#include <variant>

#include "isa/isa.h"

namespace chord::isa {

// A counter in the record whose address the holder keeps; `span`: it may be ahead of it, and records are multiples of 2 to this
// (RecordDistance). That only probes of models are ready for (isa/models.h).
struct RecordPlace {
  PathHolder holder;
  int64_t index = 0;
  unsigned span = 0;
  Resources pinned = 0;  // as in CounterPlace
};
using AnyPlace = std::variant<CounterPlace, RecordPlace>;

// As for counters elsewhere (isa.h).
Snippet increment(const AnyPlace &place, Resources live);
Snippet add_register(const AnyPlace &place, const Holder &holder, Resources live);
Snippet subtract_register(const AnyPlace &place, const Holder &holder, Resources live);

// The holder keeps the address of the activation's record (chord_abi.h). Unlike a path
// register it never changes; the other word of the widened frame keeps the slot in force
// at entry.
struct ContextLabels {
  std::string id;    // thread-local: its offset is the procedure's id
  std::string proc;  // chord_context_proc
  std::string found;  // where control is when the record is known
};
//
// `shared`: code for shared objects. The slot in force is in the executable's thread-local storage, or that of the first object that
// has one, and found through a thread-local word of the object's own.
struct ContextEntry {
  unsigned scratch = kNoRegister;  // dead there, and not the holder
  unsigned other = kNoRegister;    // likewise, for shared code: besides `scratch` where the holder is a word of the frame
  bool puts_back = false;          // what is to be in force when it returns is so at once: for a holder that is free, with a scratch register
  bool unwinding = false;
  bool shared = false;
};
// How far the holder is ahead of the record where paths are counted in it.
struct RecordDistance {
  int64_t bytes = 0;  // if that is known
  unsigned span = 0;  // not 0: it differs, and records are multiples of 2 to this
};
// In front of everything else, frame and all. Flags must be dead.
std::string enter_context(const PathHolder &holder, const ContextLabels &labels, const ContextEntry &entry);
inline constexpr unsigned kEnterPrice = 6;
// Bytes from the word in which it asks the runtime to the return address, and to the slot that it puts back (0: none).
int record_argument_distance(const PathHolder &holder, unsigned scratch);
int kept_slot_distance(const PathHolder &holder, unsigned scratch);
// Out of the procedure, with the slot put back that was in force at entry.
struct ContextExit {
  unsigned scratch = kNoRegister;  // dead there, if there is one
  bool unwinding = false;
  bool shared = false;
};
std::string leave_context(const PathHolder &holder, const ContextExit &exit);
// The word, counted from the frame's end as it was before it was made wider, in which it leaves the holder, if that is a register.
int64_t place_left_by_context();
// By a jump that is a call if what it leads to keeps a record, too. Flags must be dead. Not in shared code.
struct ContextJump {
  int64_t slot = 0;                 // of the call
  RecordDistance ahead;
  unsigned scratch = kNoRegister;   // dead there; a holder that is a free register needs one
  std::string known;                // a word: 0 if the target keeps no record
  std::string label;                // to be defined
};
std::string leave_context_for(const PathHolder &holder, const ContextJump &jump, bool unwinding);
// Names the slot before a call.
struct NamedCall {
  int64_t slot = 0;
  RecordDistance ahead;
  bool shared = false;
  bool red_zone = false;  // somebody may have left something there: the call is inline assembly, of which a compiler knows nothing
  bool may_move = false;  // the holder may point into the record for a moment: nothing else is read from it
};
Snippet name_call(const PathHolder &holder, const NamedCall &call, Resources live);

// ---- paths in records: the holder is ahead of the record by 8 times the path register ----

// holder += 8 * amount; holder = the record. The counter of path register + k is at RecordPlace{holder, k}.
Snippet advance_in_record(const PathHolder &holder, int64_t amount, Resources live);
Snippet return_to_record(const PathHolder &holder, unsigned span, Resources live);

// A register that is in none of them, for the above; kNoRegister if there is none.
unsigned scratch_register(Resources live);

}  // namespace chord::isa
