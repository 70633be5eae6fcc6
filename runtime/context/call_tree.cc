// Records of calling contexts: what woven code asks for when the slot it was called through
// (chord_abi.h) does not hold its record. How they get into the profile: segments.cc.
//
// Each thread has a tree of its own, and so has each further stack (stacks.cc), which nobody else changes, so there are no locks. A signal
// handler may run between any two instructions here: what is looked up is only ever added to,
// with all signals blocked, and a table that has become too small stays where it is. Trees outlive
// their threads.
//
//   invariant: a record's parent was made before it, and lies before it in the tree's list.
#include "call_tree.h"

#include "runtime.h"

// On the stack: the return address, and the chord_context_proc, in whose place the record is
// left. All registers but flags are kept, the vector registers, too, which libc may change.
asm(R"(
	.pushsection .text
	.globl __chord_enter
	.hidden __chord_enter
	.type __chord_enter, @function
	.p2align 4
__chord_enter:
	.cfi_startproc
	endbr64
	__chord_push rax, rcx, rdx, rsi, rdi, r8, r9, r10, r11, rbp
	movq 88(%rsp), %rdi
	leaq 88(%rsp), %rsi
	movq %rsp, %rbp
	.cfi_def_cfa_register rbp
	.cfi_offset rbp, -88
	andq $-16, %rsp
	call __chord_known_record
	testq %rax, %rax
	jne 1f
	movq 88(%rbp), %rdi
	leaq 88(%rbp), %rsi
	subq $512, %rsp
	fxsave64 (%rsp)
	call __chord_new_record
	fxrstor64 (%rsp)
1:	movq %rax, 88(%rbp)
	movq %rbp, %rsp
	.cfi_def_cfa_register rsp
	__chord_pop rbp, r11, r10, r9, r8, rdi, rsi, rdx, rcx, rax
	.cfi_restore rbp
	ret
	.cfi_endproc
	.size __chord_enter, . - __chord_enter
	.popsection
)");

extern "C" {
struct __chord_site_places {
  int64_t site, link;
};
__chord_site_places __chord_site_place() __attribute__((weak, visibility("hidden")));
extern uint64_t __chord_site_fallback[] __attribute__((weak, visibility("hidden")));
extern uint64_t __chord_root_slot[] __attribute__((weak, visibility("hidden")));
extern const uint64_t __chord_context_mode __attribute__((weak, visibility("hidden")));
extern const char __chord_text_context, __chord_text_context_end;  // made by group_runtime.py
}

namespace chord::runtime {

using Record = chord_context_record;
using Proc = chord_context_proc;

struct Slot {
  Record *child;
  Slot *back;
};

// Who was called where. Parents that are no record: see below.
struct Call {
  const Record *parent;
  Proc *proc;
  uint32_t site;
  Slot *slot;  // null: none to remember it in
};

// What a record is found by. The place is the call's slot, which belongs to one call of one record; where
// calls are not told apart, the caller's record; and the parent where that is no record. A place in a record: see innermost.
struct Key {
  const void *place;
  const Proc *proc;
};

struct CallTable {
  uint64_t capacity;  // a power of two
  uint64_t used;
  struct Entry {
    const void *place;
    const Proc *proc;
    Record *record;  // written last
  } entry[];
};

namespace {

static_assert(sizeof(Record) == CHORD_CONTEXT_COUNTERS && sizeof(Slot) == CHORD_CONTEXT_SLOT);

const Record *const no_caller = nullptr;
const Record *const a_signal = reinterpret_cast<const Record *>(CHORD_CONTEXT_SIGNAL);
const Record *const no_memory = reinterpret_cast<const Record *>(CHORD_CONTEXT_OVERFLOW);
CHORD_FAST inline bool is_record(const Record *parent) { return parent > no_memory; }

constexpr size_t chunk_bytes = 256 * 1024, record_granule = 64;
constexpr uint64_t default_limit = uint64_t{1} << 30;

// At the start of each chunk: where the record that covers a granule begins, in granules.
struct Chunk {
  Region region;  // of a region's first chunk
  uint16_t start[chunk_bytes / record_granule];
};
constexpr size_t chunk_head = (sizeof(Chunk) + record_granule - 1) / record_granule * record_granule;
static_assert(chunk_bytes - chunk_head >= CHORD_CONTEXT_LARGEST + record_granule);

// The thread's words beside each other: the slot in force, and the tree.
struct Words {
  Slot *site;
  CallTree *tree;
};
CHORD_FAST inline Words &words_at(char *pointer, int64_t site) { return *reinterpret_cast<Words *>(pointer + site); }
CHORD_FAST inline Words &own_words(const Instance &instance) { return words_at(thread_pointer(), instance.calling.site); }

const chord_proc &proc_of(const Proc &proc) {
  return *reinterpret_cast<const chord_proc *>(reinterpret_cast<int64_t>(&proc.proc) + proc.proc);
}
uint64_t *counters_of(Record *record) { return reinterpret_cast<uint64_t *>(record + 1); }
const uint64_t *counters_of(const Record *record) { return reinterpret_cast<const uint64_t *>(record + 1); }
Slot *slots_of(Record *record) { return reinterpret_cast<Slot *>(counters_of(record) + proc_of(*record->proc).count); }

// ---- Memory ----------------------------------------------------------------------

Chunk *chunk_of(const void *address) {
  return reinterpret_cast<Chunk *>(reinterpret_cast<uint64_t>(address) & ~(chunk_bytes - 1));
}

Record *record_around(const void *address) {
  Chunk *chunk = chunk_of(address);
  size_t offset = reinterpret_cast<uint64_t>(address) % chunk_bytes;
  return reinterpret_cast<Record *>(reinterpret_cast<char *>(chunk) + chunk->start[offset / record_granule] * record_granule);
}

// The same of an address that may be anything; or null.
Record *find_record(const Instance &instance, uint64_t address) {
  const Region *region = __atomic_load_n(&instance.calling.regions, __ATOMIC_ACQUIRE);
  while (region != nullptr && address - reinterpret_cast<uint64_t>(region->begin) >= static_cast<uint64_t>(region->end - region->begin))
    region = region->next;
  if (region == nullptr || address % chunk_bytes < chunk_head) return nullptr;
  Record *record = record_around(reinterpret_cast<void *>(address));
  return reinterpret_cast<char *>(record) == reinterpret_cast<char *>(chunk_of(record)) ? nullptr : record;
}

bool take_region(Instance &instance, CallTree &tree) {
  size_t size = tree.region_end == nullptr ? chunk_bytes : 4 * chunk_bytes;
  auto *pages = static_cast<char *>(map_kept(instance, size + chunk_bytes));
  if (pages == nullptr) return false;
  char *begin = reinterpret_cast<char *>(chunk_of(pages + chunk_bytes - 1));
  Region &region = reinterpret_cast<Chunk *>(begin)->region;
  region = {nullptr, begin, begin + size};
  region.next = __atomic_load_n(&instance.calling.regions, __ATOMIC_ACQUIRE);
  while (!__atomic_compare_exchange_n(&instance.calling.regions, &region.next, &region, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
  }
  tree.end = begin;
  tree.region_end = begin + size;
  return true;
}

char *aligned(char *at, size_t to) { return at + (-reinterpret_cast<uint64_t>(at) & (to - 1)); }

// `alignment`: a power of two, record_granule or more.
char *take_memory_of(Instance &instance, CallTree &tree, size_t size, size_t alignment) {
  size = (size + record_granule - 1) / record_granule * record_granule;
  if (tree.at == nullptr || aligned(tree.at, alignment) + size > tree.end) {
    if (tree.end == tree.region_end && !take_region(instance, tree)) return nullptr;
    tree.at = tree.end + chunk_head;
    tree.end += chunk_bytes;
  }
  char *result = aligned(tree.at, alignment);
  __atomic_fetch_add(&instance.calling.bytes, static_cast<uint64_t>(result + size - tree.at), __ATOMIC_RELAXED);
  Chunk *chunk = chunk_of(result);
  size_t first = reinterpret_cast<uint64_t>(result) % chunk_bytes / record_granule;
  for (size_t i = 0; i < size / record_granule; ++i) chunk->start[first + i] = static_cast<uint16_t>(first);
  tree.at = result + size;
  return result;
}

// ---- The table of calls -------------------------------------------------------------

CHORD_FAST inline uint64_t hash_of(const Key &key) {
  uint64_t h = (reinterpret_cast<uint64_t>(key.place) + 2 * reinterpret_cast<uint64_t>(key.proc)) * 0x9e3779b97f4a7c15u;
  return h ^ h >> 32;
}

CHORD_FAST inline CallTable::Entry &find_entry(CallTable &table, const Key &key) {
  for (uint64_t at = hash_of(key);; ++at) {
    CallTable::Entry &entry = table.entry[at & (table.capacity - 1)];
    if (entry.record == nullptr || (entry.place == key.place && entry.proc == key.proc)) return entry;
  }
}

CHORD_FAST inline Record *look_up(const CallTree &tree, const Key &key) {
  CallTable *table = __atomic_load_n(&tree.table, __ATOMIC_ACQUIRE);
  return table == nullptr ? nullptr : find_entry(*table, key).record;
}

Key key_of(const Call &call) {
  if (!is_record(call.parent) || call.site == no_site) return {call.parent, call.proc};
  return {slots_of(const_cast<Record *>(call.parent)) + call.site, call.proc};
}

bool grow(CallTree &tree) {
  uint64_t capacity = tree.table == nullptr ? 128 : 2 * tree.table->capacity;
  auto *fresh = static_cast<CallTable *>(map_pages(sizeof(CallTable) + capacity * sizeof(CallTable::Entry)));
  if (fresh == nullptr) return false;
  fresh->capacity = capacity;
  for (uint64_t i = 0; tree.table != nullptr && i < tree.table->capacity; ++i) {
    const CallTable::Entry &old = tree.table->entry[i];
    if (old.record == nullptr) continue;
    find_entry(*fresh, {old.place, old.proc}) = old;
    ++fresh->used;
  }
  __atomic_store_n(&tree.table, fresh, __ATOMIC_RELEASE);
  return true;
}

// Whatever is found there from now on; not at all if there is no room.
void remember(CallTree &tree, const Key &key, Record *record) {
  if ((tree.table == nullptr || 2 * tree.table->used >= tree.table->capacity) && !grow(tree)) return;
  CallTable::Entry &entry = find_entry(*tree.table, key);
  entry.place = key.place;
  entry.proc = key.proc;
  __atomic_store_n(&entry.record, record, __ATOMIC_RELEASE);
  ++tree.table->used;
}

// ---- Calls ----------------------------------------------------------------------

// The code a signal handler returns to: mov $15, %rax; syscall.
CHORD_FAST inline bool is_signal_return(uint64_t pc) { return pc > 4096 && load<uint64_t>(reinterpret_cast<void *>(pc)) == 0x0f0000000fc0c748; }

// `word`: where __chord_enter was given the procedure.
CHORD_FAST inline bool called_by_signal(const Proc &proc, const uint64_t *word) {
  return is_signal_return(load<uint64_t>(reinterpret_cast<const char *>(word) + proc.frame));
}

// Each module has one.
bool is_root(const Slot *slot) { return slot->child == reinterpret_cast<const Record *>(slot + 1) && slot->child->proc == nullptr; }

// That of the process, which no module takes with it.
struct Root {
  Slot slot;
  Record nobody;
};
Slot *root_of(const Instance &instance) { return &reinterpret_cast<Root *>(reinterpret_cast<uint64_t>(instance.calling.nobody) - sizeof(Slot))->slot; }

bool make_root(Instance &instance) {
  auto *root = static_cast<Root *>(take_memory(instance, sizeof(Root)));
  if (root == nullptr) return false;
  root->slot = {&root->nobody, &root->slot};
  instance.calling.nobody = &root->nobody;
  return true;
}

// Spare records are in their modules.
bool is_spare(const Instance &instance, const void *place) {
  auto at = reinterpret_cast<uint64_t>(place);
  for (const Module *module = instance.modules; module != nullptr; module = module->next) {
    auto low = reinterpret_cast<uint64_t>(module->low), high = reinterpret_cast<uint64_t>(module->high);
    if (module->live && at - low < high - low) return true;
  }
  return false;
}

CHORD_FAST Call call_of(const Instance &instance, Proc *proc, const uint64_t *word, Slot *slot) {
  if (called_by_signal(*proc, word)) return {a_signal, proc, 0, nullptr};
  if (is_root(slot)) return {no_caller, proc, 0, nullptr};
  if (proc->module == nullptr || is_spare(instance, slot)) return {no_memory, proc, 0, slot};
  Record *parent = record_around(slot);
  if (parent->kind == CHORD_CONTEXT_OVERFLOW) return {no_memory, proc, 0, slot};
  bool by_site = (__chord_context_mode & CHORD_CONTEXT_FUNCTIONS) == 0;
  return {parent, proc, by_site ? static_cast<uint32_t>(slot - slots_of(parent)) : no_site, slot};
}

// ---- Recursion ----------------------------------------------------------------------

// The table also says what the innermost activation of a procedure is, seen from a record of every 64th level: nobody's record if there is none.
// Chains do not change above a record, so this stays true, and however long chains are, what is called in them looks at no more than 64 callers
// and at levels that were not asked about this procedure before.
constexpr uint16_t levels_apart = 64;
bool has_answers(const Record &record) { return record.level == levels_apart - 1; }
Key answer_of(const Record &record, const Proc *proc) { return {&record.level, proc}; }

struct Found {
  Record *record;     // null: none
  const Record *end;  // all up to this one was looked at
};

Found search(const CallTree &tree, const Record *nobody, const Call &call) {
  const Record *at = call.parent;
  for (; at != nullptr && at->proc != call.proc; at = at->parent) {
    Record *answer = has_answers(*at) ? look_up(tree, answer_of(*at, call.proc)) : nullptr;
    if (answer != nullptr) return {answer == nobody ? nullptr : answer, at};
  }
  return {const_cast<Record *>(at), at};
}

// The innermost caller of the same procedure, or null.
Record *innermost(CallTree &tree, Record *nobody, const Call &call) {
  if (!is_record(call.parent)) return nullptr;
  const Found found = search(tree, nobody, call);
  for (const Record *at = call.parent; at != found.end; at = at->parent)
    if (has_answers(*at)) remember(tree, answer_of(*at, call.proc), found.record != nullptr ? found.record : nobody);
  return found.record;
}

// ---- Records ------------------------------------------------------------------------

// What a new record is to know of the chain it is in. `again`: the innermost caller of the same procedure, or null.
void place_in_chain(Record &record, const Record *again) {
  record.activation = again != nullptr ? static_cast<uint16_t>(again->activation + 1) : uint16_t{1};
  record.level = record.parent != nullptr ? static_cast<uint16_t>((record.parent->level + 1) % levels_apart) : uint16_t{0};
}

void fill(Record *record, Record *nobody, const Call &call, uint32_t thread) {
  const Record *parent = is_record(call.parent) ? call.parent : nullptr;
  uint64_t kind = parent != nullptr ? parent->kind : reinterpret_cast<uint64_t>(call.parent);
  uint64_t above = parent != nullptr ? parent->key : CHORD_CONTEXT_ROOT_KEY(kind);
  record->id = call.proc->id != 0 ? call.proc->id : static_cast<int64_t>(static_cast<uint32_t>(reinterpret_cast<uint64_t>(call.proc)));
  record->site = call.site;
  record->proc = call.proc;
  record->parent = const_cast<Record *>(parent);
  record->key = CHORD_CONTEXT_KEY(above, 1 + call.site, proc_of(*call.proc).key);
  record->kind = parent != nullptr ? uint32_t{CHORD_CONTEXT_CALLED} : static_cast<uint32_t>(kind);
  record->thread = thread;
  Slot *slots = slots_of(record);
  for (uint32_t i = 0; i < call.proc->sites; ++i) slots[i] = {nobody, slots + i};
}

Record *spare_of(const Proc &proc) {
  return reinterpret_cast<Record *>(CHORD_CONTEXT_SPARE(reinterpret_cast<int64_t>(&proc.spare) + proc.spare, proc.span));
}

// For when there is no other: all threads share it.
Record *spare_record(Proc *proc) {
  Record *spare = spare_of(*proc);
  if (__atomic_load_n(&spare->proc, __ATOMIC_ACQUIRE) == nullptr) fill(spare, reinterpret_cast<Record *>(__chord_root_slot + 2), {no_memory, proc, 0, nullptr}, 0);
  return spare;
}

size_t record_bytes(const Proc &proc) {
  return sizeof(Record) + proc_of(proc).count * sizeof(uint64_t) + proc.sites * sizeof(Slot);
}

size_t alignment_of(const Proc &proc) { return size_t{1} << proc.span > record_granule ? size_t{1} << proc.span : record_granule; }

Record *make_record(Instance &instance, CallTree &tree, const Call &call, const Record *again) {
  auto *record = reinterpret_cast<Record *>(take_memory_of(instance, tree, record_bytes(*call.proc), alignment_of(*call.proc)));
  if (record == nullptr) return nullptr;
  fill(record, instance.calling.nobody, call, tree.thread);
  place_in_chain(*record, again);
  (tree.last != nullptr ? tree.last->next : tree.first) = record;
  tree.last = record;
  return record;
}

Record *find_or_make(Instance &instance, CallTree &tree, Call call) {
  if (Record *known = look_up(tree, key_of(call))) return known;
  Record *again = innermost(tree, instance.calling.nobody, call);
  Record *record = again != nullptr && again->activation >= (__chord_context_mode & 0xffff) ? again : nullptr;  // onto which recursion is folded
  bool full = __atomic_load_n(&instance.calling.bytes, __ATOMIC_RELAXED) >= instance.calling.limit;
  if (record == nullptr && full && call.parent != no_memory) record = find_or_make(instance, tree, {no_memory, call.proc, 0, nullptr});
  if (record == nullptr) record = make_record(instance, tree, call, again);
  if (record == nullptr) {
    instance.notes |= note_out_of_memory;
    return spare_record(call.proc);
  }
  remember(tree, key_of(call), record);
  return record;
}

uint32_t number_of(const Thread *thread) { return thread != nullptr ? thread->number : 0; }

// `stack`: one of its own (stacks.cc), or null. Locked.
CallTree *add_tree(Instance &instance, uint32_t thread, const void *stack) {
  auto *tree = static_cast<CallTree *>(take_memory(instance, sizeof(CallTree)));
  if (tree == nullptr) return nullptr;
  *tree = {};
  tree->thread = thread;
  tree->stack = stack;
  tree->next = instance.calling.trees;
  instance.calling.trees = tree;
  return tree;
}

CallTree *make_tree(Instance &instance, Words &words) {
  Thread *thread = current_thread(instance);
  Guard guard(instance.lock);
  if (words.tree == nullptr) words.tree = add_tree(instance, number_of(thread), nullptr);
  return words.tree;
}

}  // namespace

namespace {

// The module's link in this thread leads to the words that all use, and where no call is named the slot is that of the process;
// what the procedure that asks has found instead is put right.
CHORD_FAST void set_link(const Instance &instance, Words &words, const Proc &proc, const uint64_t *word) {
  Words *&link = *reinterpret_cast<Words **>(thread_pointer() + __chord_site_place().link);
  bool at_root = is_root(words.site) && words.site != root_of(instance);
  if (link == &words && !at_root) return;
  link = &words;
  if (at_root) words.site = root_of(instance);
  if (proc.kept != 0) *reinterpret_cast<Slot **>(reinterpret_cast<uint64_t>(word) + proc.kept) = words.site->back;
}

}  // namespace

namespace {

// What is not known by its slot in this tree: handlers, roots, calls that are not told apart, and those for which there is no memory.
__attribute__((noinline)) Record *known_otherwise(const Instance &instance, Proc *proc, const uint64_t *word) {
  Words &words = own_words(instance);
  set_link(instance, words, *proc, word);
  if (words.tree == nullptr) return nullptr;
  Call call = call_of(instance, proc, word, words.site);
  Record *record = look_up(*words.tree, key_of(call));
  if (record != nullptr && call.slot != nullptr) call.slot->child = record;
  return record;
}

}  // namespace

// What is known by its slot was asked for in this thread, or on this stack, before: so the module's link is set. Which of several that are
// called in one place is expected there next changes with every eighth that was not: of two that take turns, such as a function that ends with a jump
// through a pointer and what that leads to, one is found in the slot, then.
extern "C" CHORD_SHARED CHORD_FAST Record *__chord_known_record(Proc *proc, const uint64_t *word) {
  const Instance *running = instance();
  if (running == nullptr || running->calling.site == 0 || running->calling.nobody == nullptr) return nullptr;
  const Words &words = own_words(*running);
  if (words.tree == nullptr || called_by_signal(*proc, word)) return known_otherwise(*running, proc, word);
  Record *record = look_up(*words.tree, {words.site, proc});
  if (record == nullptr) return known_otherwise(*running, proc, word);
  if (++words.tree->unexpected % 8 == 0) words.site->child = record;
  return record;
}

extern "C" CHORD_SHARED Record *__chord_new_record(Proc *proc, const uint64_t *word) {
  Instance *running = instance();
  if (running == nullptr || proc->module == nullptr || running->calling.nobody == nullptr) return spare_record(proc);
  Words &words = own_words(*running);
  Mask mask = set_mask(~Mask{0});
  CallTree *tree = words.tree != nullptr ? words.tree : make_tree(*running, words);
  Record *record = tree == nullptr ? spare_record(proc) : nullptr;
  if (tree != nullptr) {
    Call call = call_of(*running, proc, word, words.site);
    record = find_or_make(*running, *tree, call);
    if (call.slot != nullptr) call.slot->child = record;
  }
  set_mask(mask);
  return record;
}

}  // namespace chord::runtime
