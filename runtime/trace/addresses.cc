// The stream of addresses of loads and stores (chord_traces.h): its chunks, and what woven code calls when one is full.
#include "trace.h"

asm(R"(
	.pushsection .text
	# Keeps all registers.
	.globl __chord_addresses_more
	.hidden __chord_addresses_more
	.type __chord_addresses_more, @function
	.p2align 4
__chord_addresses_more:
	.cfi_startproc
	endbr64
	__chord_push rax, rcx, rdx, rsi, rdi, r8, r9, r10, r11, rbp
	.cfi_offset rbp, -88
	movq %rsp, %rbp
	.cfi_def_cfa_register rbp
	andq $-16, %rsp
	call __chord_addresses_next
	movq %rbp, %rsp
	.cfi_def_cfa_register rsp
	__chord_pop rbp, r11, r10, r9, r8, rdi, rsi, rdx, rcx, rax
	.cfi_restore rbp
	ret
	.cfi_endproc
	.size __chord_addresses_more, . - __chord_addresses_more
	.popsection
)");

extern "C" {
extern const char __chord_addresses_wanted[] __attribute__((weak, visibility("hidden")));
}

namespace chord::runtime {

// The first access already asks for room.
AddressState &own_addresses() { return *reinterpret_cast<AddressState *>(__chord_addresses_home.base + own_distance(__chord_addresses_home)); }

namespace {

bool is_recorded(const AddressState &state) { return state.chunk != nullptr && state.chunk != nowhere; }

uint64_t *first_word(chord_trace_chunk &chunk) { return reinterpret_cast<uint64_t *>(&chunk + 1); }

// As `go_nowhere` does, in the same spare place.
void write_nowhere(AddressState &state) {
  TraceState aside{};
  go_nowhere(aside);
  state.at = aside.at;
  state.end = aside.end;
}

// With how much of it is used, which zeros in it do not show.
void finish_chunk(AddressState &state) {
  const auto used = static_cast<uint64_t>(state.at - first_word(*state.chunk));
  state.before += used;
  __atomic_store_n(&state.chunk->next, used, __ATOMIC_RELEASE);
}

// The last one may be in use by whoever a signal interrupted; while handlers run, more of them.
void put_aside(AddressState &state) {
  chord_trace_chunk *&previous = own_trace().previous_addresses;
  if (previous != nullptr && state.handlers == 0) unmap_pages(previous, previous->size);
  previous = state.chunk;
}

uint64_t thread_pointer() {
  uint64_t pointer = 0;
  asm("movq %%fs:0, %0" : "=r"(pointer));
  return pointer;
}

void use_chunk(AddressState &state, chord_trace_chunk &chunk) {
  state.chunk = &chunk;
  ++state.number;
  state.at = first_word(chunk);
  state.end = end_of(chunk);
  *state.at++ = __chord_module.module->bias;
  *state.at++ = thread_pointer();
  static_assert(CHORD_ADDRESSES_HEAD == 2);
}

PausedAddresses &paused_addresses() { return own_trace().paused_addresses; }

}  // namespace

void begin_addresses() {
  AddressState &state = own_addresses();
  if (__chord_addresses_wanted == nullptr || state.chunk != nullptr) return;
  chord_trace_chunk *chunk = take_address_chunk(nullptr, 0);
  if (chunk != nullptr) return use_chunk(state, *chunk);
  write_nowhere(state);
  state.chunk = nowhere;
}

void end_addresses() {
  AddressState &state = own_addresses();
  if (is_recorded(state)) finish_chunk(state);
  write_nowhere(state);
  state.chunk = nowhere;
}

void pause_addresses() {
  AddressState &state = own_addresses();
  if (!is_recorded(state)) return;
  paused_addresses() = {state.at, state.chunk};
  write_nowhere(state);
  state.chunk = nowhere;
}

void resume_addresses() {
  AddressState &state = own_addresses();
  PausedAddresses &own = paused_addresses();
  if (own.chunk == nullptr) return;
  state.chunk = own.chunk;
  state.at = own.at;
  state.end = end_of(*own.chunk);
  own = {};
}

void forget_addresses() {
  AddressState &state = own_addresses();
  chord_trace_chunk *chunk = is_recorded(state) ? state.chunk : paused_addresses().chunk;
  if (chunk != nullptr) unmap_pages(chunk, chunk->size);
  paused_addresses() = {};
  write_nowhere(state);
  state.chunk = nullptr;
  state.number = state.before = 0;
}

void put_accesses(TraceState &trace, bool changed) {
  const AddressState &state = own_addresses();
  if (!is_recorded(state) || trace.chunk == nullptr || trace.chunk == nowhere) return;
  const uint64_t count = state.before + static_cast<uint64_t>(state.at - first_word(*state.chunk)) - state.number * CHORD_ADDRESSES_HEAD;
  put_word(trace, marker(CHORD_TRACE_ACCESSES, count | (changed ? CHORD_TRACE_REGISTERS_CHANGED : 0)));
}

void count_handler(int more) { own_addresses().handlers += static_cast<uint64_t>(static_cast<int64_t>(more)); }

// Before the thread records, and where it does not, words go to the spare place.
extern "C" CHORD_SHARED void __chord_addresses_next() {
  AddressState &state = own_addresses();
  Mask mask = set_mask(~Mask{0});
  if (!is_recorded(state)) {
    write_nowhere(state);
  } else if (state.at >= end_of(*state.chunk)) {
    finish_chunk(state);
    chord_trace_chunk *chunk = take_address_chunk(state.chunk, state.number);
    put_aside(state);
    if (chunk != nullptr) {
      use_chunk(state, *chunk);
    } else {
      write_nowhere(state);
      state.chunk = nowhere;
    }
  }
  set_mask(mask);
}

}  // namespace chord::runtime
