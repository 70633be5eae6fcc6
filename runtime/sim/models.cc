// The caches and predictors of each thread (chord_models.h), and how woven code reaches them.
//
// Woven code finds, through one thread-local word per module and cache, the lines that were used last in each set. Until a
// thread has caches the word leads to zeros, where no line is found: woven code then asks here, and gets them made. A thread
// has one set of caches, whatever number of modules it runs code of, as long as they were built with the same models.
//
// A signal handler that interrupts a look-up uses the same caches: lines may then be in a set twice or not at all, for a
// while. Nothing worse: counters change in one instruction, and every index follows from an address.
#include "chord_models.h"

#include "system/offsets.h"
#include "thread_states.h"

extern "C" {
extern const char __chord_text_sim, __chord_text_sim_end;
// Of this module; woven code defines it.
extern const chord_models __chord_models __attribute__((visibility("hidden")));
CHORD_SHARED uint64_t __chord_no_lines[CHORD_CACHE_MOST_SETS];
CHORD_SHARED chord_predictor __chord_no_predictor;
CHORD_SHARED __attribute__((tls_model("initial-exec"))) thread_local uint64_t *__chord_l1d = __chord_no_lines;
CHORD_SHARED __attribute__((tls_model("initial-exec"))) thread_local uint64_t *__chord_l1i = __chord_no_lines;
CHORD_SHARED __attribute__((tls_model("initial-exec"))) thread_local chord_predictor *__chord_predictor = &__chord_no_predictor;
}

// What woven code calls, with its arguments on the stack and every register but flags kept:
//   __chord_reference   CHORD_ACCESS_*; the counter; the address
//   __chord_fetch       bytes; the counter; the address in the plain program
//   __chord_branch      number of the predicting counter; the counter of mispredictions; whether it is taken
//   __chord_strings     likewise; the counter. Flags are kept, too: addresses and
//                       number are in the registers of the string instruction
// Counters are offsets from the thread pointer (`_here`), addresses to which the module's delta is added (`_shared`), or addresses (`_at`).
asm(R"(
	.pushsection .text
	.macro __chord_counter place
	.ifc \place,shared
	movq __chord_slot(%rip), %rax
	addq %fs:(%rax), %rdx
	.endif
	.ifc \place,here
	addq %fs:0, %rdx
	.endif
	.endm

	# Most of what is asked is answered here: bytes in one line, which its set has. A line that the set does not have takes the place of the one
	# used last, those before it each that of the next, and then it is a miss. A thread without caches has sets of nothing.
	.macro __chord_reference place
	__chord_routine __chord_reference_\place
	__chord_push rax, rcx, rdx
	movq 48(%rsp), %rax
	movl 32(%rsp), %edx
	andl $Access.bytes, %edx
	leaq -1(%rax,%rdx), %rdx
	movl __chord_models+Data.line_bits(%rip), %ecx
	shrq %cl, %rax
	shrq %cl, %rdx
	cmpq %rax, %rdx
	jne 3f
	shlq %cl, %rdx
	movl __chord_models+Data.sets(%rip), %ecx
	decl %ecx
	andl %ecx, %eax
	movq __chord_l1d@gottpoff(%rip), %rcx
	movq %fs:(%rcx), %rcx
	cmpq %rdx, (%rcx,%rax,8)
	jne 2f
1:	__chord_pop rdx, rcx, rax
	ret
	.cfi_adjust_cfa_offset 24
2:	__chord_push rsi, rdi
	leaq __chord_no_lines(%rip), %rsi
	cmpq %rsi, %rcx
	je 6f
	leaq (%rcx,%rax,8), %rdi
	movl __chord_models+Data.ways(%rip), %esi
	decl %esi
	imulq %rsi, %rax
	leaq Caches.size(%rcx,%rax,8), %rax
	movq (%rdi), %rcx
	movq %rdx, (%rdi)
	jmp 5f
4:	movq (%rax), %rdi
	movq %rcx, (%rax)
	cmpq %rdx, %rdi
	je 7f
	movq %rdi, %rcx
	addq $8, %rax
5:	subl $1, %esi
	jae 4b
	__chord_tell \place, __chord_missed
7:	__chord_pop rdi, rsi
	jmp 1b
	.cfi_adjust_cfa_offset 16
6:	__chord_tell \place, __chord_look_up
	jmp 7b
	.cfi_adjust_cfa_offset -16
3:	__chord_push rsi, rdi
	jmp 6b
	__chord_routine_end __chord_reference_\place
	.endm

	# All arguments, and on to the runtime.
	.macro __chord_tell place, routine
	__chord_push r8, r9, r10, r11
	movq 80(%rsp), %rsi
	movq 88(%rsp), %rdx
	movq 96(%rsp), %rdi
	__chord_counter \place
	call \routine
	__chord_pop r11, r10, r9, r8
	.endm

	.macro __chord_model name, place, routine
	__chord_routine \name
	__chord_push rax, rcx, rdx, rsi, rdi
	__chord_tell \place, \routine
	__chord_pop rdi, rsi, rdx, rcx, rax
	ret
	__chord_routine_end \name
	.endm

	.macro __chord_model_strings name, place
	__chord_routine \name
	pushfq
	.cfi_adjust_cfa_offset 8
	__chord_push rax, rcx, rdx, rsi, rdi, r8, r9, r10, r11
	cld
	movq %rcx, %r8
	movq %rsi, %rcx
	movq 88(%rsp), %rsi
	movq 96(%rsp), %rdx
	movq 72(%rsp), %r9
	__chord_counter \place
	call __chord_look_up_strings
	__chord_pop r11, r10, r9, r8, rdi, rsi, rdx, rcx, rax
	popfq
	.cfi_adjust_cfa_offset -8
	ret
	__chord_routine_end \name
	.endm

	.irp place, here, shared, at
	__chord_reference \place
	__chord_model __chord_fetch_\place, \place, __chord_look_up_code
	__chord_model __chord_branch_\place, \place, __chord_go
	__chord_model_strings __chord_strings_\place, \place
	.endr
	.purgem __chord_counter
	.purgem __chord_tell
	.purgem __chord_reference
	.purgem __chord_model
	.purgem __chord_model_strings
	.popsection
)");

namespace chord::runtime {
namespace {

// Of a thread; its tables follow it.
struct Caches {
  uint64_t first[CHORD_CACHE_MOST_SETS];  // of `data`: where the module's word leads to
  uint64_t first_code[CHORD_CACHE_MOST_SETS];
  chord_predictor predictor;
  chord_cache data, second, code;
  uint64_t missed[CHORD_MODELS];  // in each model
  chord_models models;
  size_t size;
  Caches *next;    // with other models, of the same thread; or of another that has ended
  uint32_t thread;  // that has ended
};

// The other lines of `data` follow.
CHORD_OFFSETS(chord_model_offsets) {
  CHORD_VALUE(Caches, size, sizeof(Caches));
  CHORD_VALUE(Access, bytes, CHORD_ACCESS_BYTES);
  CHORD_VALUE(Data, sets, offsetof(chord_models, data.sets));
  CHORD_VALUE(Data, ways, offsetof(chord_models, data.ways));
  CHORD_VALUE(Data, line_bits, offsetof(chord_models, data.line_bits));
}

void drop(Caches *caches) { unmap_pages(caches, caches->size); }
EndedStates<Caches, drop> ended_caches;

bool same_models(const chord_models &a, const chord_models &b) {
  auto *x = reinterpret_cast<const uint32_t *>(&a), *y = reinterpret_cast<const uint32_t *>(&b);
  for (size_t i = 0; i < sizeof a / sizeof *x; ++i)
    if (x[i] != y[i]) return false;
  return true;
}

size_t words_of(const chord_geometry &geometry, bool has_first) {
  return geometry.sets == 0 ? 0 : size_t{geometry.sets} * (geometry.ways - (has_first ? 0 : 1));
}

void set_up(chord_cache &cache, const chord_geometry &geometry, uint64_t *first, uint64_t *others) {
  cache.geometry = geometry;
  cache.first = first;
  cache.others = others;
}

Caches *make_caches(const chord_models &models) {
  size_t words = words_of(models.data, false) + words_of(models.code, false) + words_of(models.second, true);
  size_t size = sizeof(Caches) + 8 * words;
  auto *caches = static_cast<Caches *>(map_pages(size));
  if (caches == nullptr) return nullptr;
  caches->models = models;
  caches->size = size;
  auto *tables = reinterpret_cast<uint64_t *>(caches + 1);
  set_up(caches->data, models.data, caches->first, tables);
  tables += words_of(models.data, false);
  set_up(caches->code, models.code, caches->first_code, tables);
  tables += words_of(models.code, false);
  set_up(caches->second, models.second, tables, tables + models.second.sets);
  return caches;
}

Caches *caches_of(Instance &instance, Thread &thread) {
  auto *all = static_cast<Caches *>(thread.mode_state[mode_sim]);
  for (Caches *caches = all; caches != nullptr; caches = caches->next)
    if (same_models(caches->models, __chord_models)) return caches;
  Caches *made = make_caches(__chord_models);
  if (made == nullptr) {
    instance.notes |= note_out_of_memory;
    return nullptr;
  }
  Guard guard(instance.lock);
  ended_caches.drop_gone(instance);
  made->next = static_cast<Caches *>(thread.mode_state[mode_sim]);
  thread.mode_state[mode_sim] = made;
  return made;
}

// The calling thread's, for this module from now on.
__attribute__((noinline, cold)) Caches *first_caches() {
  Instance *running = instance();
  Thread *thread = running == nullptr ? nullptr : current_thread(*running);
  Caches *caches = thread == nullptr ? make_caches(__chord_models) : caches_of(*running, *thread);
  if (caches == nullptr) return nullptr;
  __chord_l1i = caches->first_code;
  __chord_predictor = &caches->predictor;
  __chord_l1d = caches->first;
  return caches;
}

inline Caches *own_caches() {
  uint64_t *first = __chord_l1d;
  return __builtin_expect(first == __chord_no_lines, 0) ? first_caches() : reinterpret_cast<Caches *>(first);
}

// The first level did not have it.
inline void miss(Caches &caches, uint64_t address, uint64_t what, uint64_t *counter) {
  ++counter[0];
  ++caches.missed[CHORD_MODEL_DATA];
  if (uint64_t distance = what / CHORD_ACCESS_SECOND; distance != 0 && caches.second.geometry.sets != 0) {
    if (chord_cache_access(&caches.second, address, what & CHORD_ACCESS_BYTES)) {
      ++counter[distance];
      ++caches.missed[CHORD_MODEL_SECOND];
    }
  }
}

inline void access(Caches &caches, uint64_t address, uint64_t what, uint64_t *counter) {
  if (chord_cache_access(&caches.data, address, what & CHORD_ACCESS_BYTES)) miss(caches, address, what, counter);
}

void end_caches(Instance &instance, Thread &thread) {
  auto *caches = static_cast<Caches *>(thread.mode_state[mode_sim]);
  thread.mode_state[mode_sim] = nullptr;
  while (caches != nullptr) {
    Caches *next = caches->next;
    ended_caches.add(caches, thread);
    caches = next;
  }
  ended_caches.drop_gone(instance);
}

}  // namespace

extern "C" CHORD_SHARED void __chord_look_up(uint64_t address, uint64_t what, uint64_t *counter) {
  if (Caches *caches = own_caches()) access(*caches, address, what, counter);
}

extern "C" CHORD_SHARED void __chord_missed(uint64_t address, uint64_t what, uint64_t *counter) {
  miss(*reinterpret_cast<Caches *>(__chord_l1d), address, what, counter);
}

extern "C" CHORD_SHARED void __chord_look_up_code(uint64_t address, uint64_t bytes, uint64_t *counter) {
  Caches *caches = own_caches();
  if (caches == nullptr || !chord_cache_access(&caches->code, address, bytes)) return;
  ++*counter;
  ++caches->missed[CHORD_MODEL_CODE];
}

// Woven code that asks leaves the history to us.
extern "C" CHORD_SHARED void __chord_go(uint64_t taken, uint64_t number, uint64_t *counter) {
  Caches *caches = own_caches();
  if (caches == nullptr) return;
  if (chord_predict(&caches->predictor, number, taken)) {
    ++*counter;
    ++caches->missed[CHORD_MODEL_BRANCH];
  }
  caches->predictor.history = caches->predictor.history << 1 | taken;
}

extern "C" CHORD_SHARED void __chord_look_up_strings(uint64_t target, uint64_t what, uint64_t *counter, uint64_t source, uint64_t count,
                                                     uint64_t flags) {
  constexpr uint64_t backwards = 0x400;
  Caches *caches = own_caches();
  if (caches == nullptr) return;
  uint64_t bytes = what & CHORD_ACCESS_BYTES, step = flags & backwards ? 0 - bytes : bytes;
  for (; count != 0; --count, source += step, target += step) {
    if (what & CHORD_ACCESS_SOURCE) access(*caches, source, what, counter);
    if (what & CHORD_ACCESS_TARGET) access(*caches, target, what, counter);
  }
}

// For meters (gauges/gauges.cc): what a thread has missed in each of these models; `thread` is null for the calling one and this module's models. Other
// modules may have used its caches before this one does.
extern "C" CHORD_SHARED void __chord_model_totals(const Thread *thread, const chord_models *models, uint64_t *totals) {
  const Caches *caches = nullptr;
  if (thread == nullptr && __chord_l1d != __chord_no_lines) {
    caches = reinterpret_cast<const Caches *>(__chord_l1d);
  } else {
    Instance *running = instance();
    if (thread == nullptr && running != nullptr) thread = current_thread(*running);
    if (thread != nullptr) caches = static_cast<const Caches *>(thread->mode_state[mode_sim]);
    while (caches != nullptr && !same_models(caches->models, *models)) caches = caches->next;
  }
  for (uint32_t m = 0; m < CHORD_MODELS; ++m) totals[m] = caches == nullptr ? 0 : caches->missed[m];
}

extern "C" CHORD_SHARED constexpr ModeHooks __chord_mode_sim = {
    .text = &__chord_text_sim, .text_end = &__chord_text_sim_end, .end_thread = end_caches};

}  // namespace chord::runtime
