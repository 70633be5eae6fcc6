// Walking the stack by call frame information, without libgcc: C programs do not
// have it, it may lock, and a longjmp cannot afford it. What a program counter's
// rule is gets remembered in a direct-mapped cache, so that walking a known frame
// costs about as much as the loads it needs.
//
// Invariant of a cache slot: while `turn` is even and equal before and after a
// reading, the slot is one rule; writers make it odd by compare-and-swap, so
// threads and signal handlers neither wait nor see halves.
#include <dlfcn.h>
#include <elf.h>
#include <link.h>

#include "stack/cfi.h"

extern "C" void __clang_call_terminate(void *) __attribute__((weak, visibility("hidden")));
extern "C" int _dl_find_object(void *, dl_find_object *) noexcept __attribute__((weak));

asm(R"(
	.pushsection .text
	.globl __chord_capture
	.hidden __chord_capture
	.type __chord_capture, @function
	.p2align 4
__chord_capture:
	.cfi_startproc
	endbr64
	movq %rbx, Registers.rbx(%rdi)
	movq %rbp, Registers.rbp(%rdi)
	leaq 8(%rsp), %rax
	movq %rax, Registers.rsp(%rdi)
	movq %r12, Registers.r12(%rdi)
	movq %r13, Registers.r13(%rdi)
	movq %r14, Registers.r14(%rdi)
	movq %r15, Registers.r15(%rdi)
	movq (%rsp), %rax
	movq %rax, Registers.pc(%rdi)
	ret
	.cfi_endproc
	.size __chord_capture, . - __chord_capture
	.popsection
)");

namespace chord::runtime {

// Numbers of registers are those of unwind tables.
CHORD_OFFSETS(offsets_of_registers) {
  CHORD_VALUE(Registers, rbx, __builtin_offsetof(Registers, r[3]));
  CHORD_VALUE(Registers, rbp, __builtin_offsetof(Registers, r[6]));
  CHORD_VALUE(Registers, rsp, __builtin_offsetof(Registers, r[7]));
  CHORD_VALUE(Registers, r12, __builtin_offsetof(Registers, r[12]));
  CHORD_VALUE(Registers, r13, __builtin_offsetof(Registers, r[13]));
  CHORD_VALUE(Registers, r14, __builtin_offsetof(Registers, r[14]));
  CHORD_VALUE(Registers, r15, __builtin_offsetof(Registers, r[15]));
  CHORD_VALUE(Registers, pc, __builtin_offsetof(Registers, r[16]));
}

constexpr int saved_registers[] = {3, 6, 12, 13, 14, 15, 16};  // callee_saved and the program counter

// The usual rule: CFA = register + offset, registers saved at offsets from it.
struct Rule {
  uint64_t pc;
  uint32_t turn;
  uint32_t generation;
  int32_t cfa_offset;
  uint8_t cfa_register;
  uint8_t path;  // as in CHORD_PATH_NOTE, or CHORD_JUMP_NOTE, or in_context + as in CHORD_CONTEXT_NOTE; or no_path
  uint32_t id;   // in_context: of the procedure
  int32_t saved[7];
};

constexpr uint8_t in_context = 64, no_path = UINT8_MAX;
// Is there a path or a record in the frame?
constexpr bool keeps_state(const Rule &rule) { return rule.path != no_path && rule.path != CHORD_JUMP_NOTE; }
constexpr size_t cache_slots = 2048;

struct UnwindCache {
  uint32_t generation;
  Rule rule[cache_slots];
};

namespace {

UnwindCache *cache_of(Instance &instance) {
  UnwindCache *cache = __atomic_load_n(&instance.rules, __ATOMIC_ACQUIRE);
  if (cache != nullptr) return cache;
  auto *fresh = static_cast<UnwindCache *>(map_pages(sizeof(UnwindCache)));
  if (fresh == nullptr) return nullptr;
  fresh->generation = 1;
  if (__atomic_compare_exchange_n(&instance.rules, &cache, fresh, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
    return fresh;
  unmap_pages(fresh, sizeof(UnwindCache));
  return cache;
}

}  // namespace

void begin_rules(Instance &instance, void *memory) {
  static_assert(sizeof(UnwindCache) <= start_size - start_rules);
  instance.rules = static_cast<UnwindCache *>(memory);
  instance.rules->generation = 1;
}

namespace {

// The first few are kept together: most processes end without any others, and each page takes as long as many system calls.
Rule &slot_of(UnwindCache &cache, uint64_t pc) {
  constexpr size_t close_slots = 64;
  uint64_t hash = pc * 0x9e3779b97f4a7c15u >> 40;
  Rule &close = cache.rule[hash & (close_slots - 1)];
  return close.turn == 0 || close.pc == pc ? close : cache.rule[hash & (cache_slots - 1)];
}

bool recall(UnwindCache &cache, uint64_t pc, Rule &rule) {
  Rule &slot = slot_of(cache, pc);
  uint32_t turn = __atomic_load_n(&slot.turn, __ATOMIC_ACQUIRE);
  if ((turn & 1) != 0 || slot.pc != pc) return false;
  rule = slot;
  __atomic_thread_fence(__ATOMIC_ACQUIRE);
  return rule.pc == pc && rule.generation == cache.generation &&
         __atomic_load_n(&slot.turn, __ATOMIC_RELAXED) == turn;
}

void remember(UnwindCache &cache, const Rule &rule) {
  Rule &slot = slot_of(cache, rule.pc);
  uint32_t turn = __atomic_load_n(&slot.turn, __ATOMIC_RELAXED) & ~1u;
  if (!__atomic_compare_exchange_n(&slot.turn, &turn, turn + 1, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
    return;
  slot.pc = rule.pc;
  slot.generation = cache.generation;
  slot.cfa_offset = rule.cfa_offset;
  slot.cfa_register = rule.cfa_register;
  slot.path = rule.path;
  slot.id = rule.id;
  for (int i = 0; i < 7; ++i) slot.saved[i] = rule.saved[i];
  __atomic_store_n(&slot.turn, turn + 2, __ATOMIC_RELEASE);
}

bool as_rule(const Row &row, uint64_t pc, Rule &rule) {
  if (row.cfa_expression != nullptr || row.signal_frame ||
      row.cfa_offset != static_cast<int32_t>(row.cfa_offset))
    return false;
  rule.pc = pc;
  rule.cfa_register = row.cfa_register;
  rule.cfa_offset = static_cast<int32_t>(row.cfa_offset);
  for (int i = 0; i < 7; ++i) {
    int reg = saved_registers[i];
    if (row.how[reg] == How::at_offset)
      rule.saved[i] = static_cast<int32_t>(row.value[reg]);
    else if (row.how[reg] == How::same && reg != 16)
      rule.saved[i] = not_saved;
    else
      return false;
  }
  return true;
}

uint64_t cfa_by(const Rule &rule, const Registers &registers) {
  return registers.r[rule.cfa_register] + static_cast<uint64_t>(int64_t{rule.cfa_offset});
}

CHORD_FAST Step apply(const Rule &rule, Frame &frame) {
  Memory memory(frame.safe);
  Registers &r = frame.registers;
  uint64_t cfa = cfa_by(rule, r);
  for (int i = 0; i < 7; ++i)
    if (rule.saved[i] != not_saved &&
        !memory.read(cfa + static_cast<uint64_t>(int64_t{rule.saved[i]}), r.r[saved_registers[i]]))
      return Step::lost;
  r.r[7] = cfa;
  frame.interrupted = frame.checked = frame.lands = false;
  frame.context = nullptr;
  if (rule.path == CHORD_JUMP_NOTE && frame.leaving == 0 && !memory.read(cfa - 24, frame.leaving)) return Step::lost;
  return Step::caller;
}

bool restore(const Row &row, int reg, uint64_t cfa, const Registers &old, const Memory &memory,
             uint64_t &value) {
  int64_t rule = row.value[reg];
  auto *expression = reinterpret_cast<const uint8_t *>(rule);
  switch (row.how[reg]) {
    case How::at_offset:
      return memory.read(cfa + static_cast<uint64_t>(rule), value);
    case How::value_offset:
      value = cfa + static_cast<uint64_t>(rule);
      return true;
    case How::in_register:
      value = rule < 17 ? old.r[rule] : 0;
      return rule < 17;
    case How::at_expression:
      return evaluate(expression, old, memory, &cfa, value) && memory.read(value, value);
    case How::value_expression:
      return evaluate(expression, old, memory, &cfa, value);
    default:
      value = old.r[reg];
      return true;
  }
}

Step apply(const Row &row, Frame &frame) {
  if (row.how[16] == How::undefined) return Step::end;
  Memory memory(frame.safe);
  Registers old = frame.registers;
  uint64_t cfa = old.r[row.cfa_register] + static_cast<uint64_t>(row.cfa_offset);
  if (row.cfa_expression != nullptr && !evaluate(row.cfa_expression, old, memory, nullptr, cfa))
    return Step::lost;
  frame.registers.r[7] = cfa;
  for (int reg = 0; reg < 17; ++reg)
    if (row.how[reg] != How::same && !restore(row, reg, cfa, old, memory, frame.registers.r[reg]))
      return Step::lost;
  // The kernel's signal frames are told by their code; among tables only ours has one.
  frame.interrupted = frame.checked = row.signal_frame;
  frame.context = nullptr;
  // libc's longjmp describes its last instructions as if it had jumped: only there is the address in a register.
  frame.lands = row.how[16] == How::in_register;
  if (frame.lands && frame.leaving == 0) frame.leaving = frame.registers.sp();
  return Step::caller;
}

// ---- Finding unwind information ------------------------------------------------

struct ObjectSearch {
  uint64_t pc;
  const uint8_t *header;
};

int find_header(dl_phdr_info *object, size_t, void *data) {
  auto &search = *static_cast<ObjectSearch *>(data);
  const uint8_t *header = nullptr;
  bool contains = false;
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const ElfW(Phdr) &part = object->dlpi_phdr[i];
    uint64_t start = object->dlpi_addr + part.p_vaddr;
    if (part.p_type == PT_LOAD && search.pc - start < part.p_memsz) contains = true;
    if (part.p_type == PT_GNU_EH_FRAME) header = reinterpret_cast<const uint8_t *>(start);
  }
  if (contains) search.header = header;
  return contains;
}

const uint8_t *entry_for(Instance &instance, uint64_t pc) {
  if (instance.static_frames != nullptr) {
    const uint8_t *entry =
        scan_frames(instance.static_frames, instance.static_frames + instance.static_frames_size, pc);
    if (entry != nullptr) return entry;
  }
  if (_dl_find_object != nullptr) {
    dl_find_object object;
    if (_dl_find_object(reinterpret_cast<void *>(pc), &object) != 0 || object.dlfo_eh_frame == nullptr)
      return nullptr;
    return look_up_frame(static_cast<const uint8_t *>(object.dlfo_eh_frame), pc);
  }
  ObjectSearch search{pc, nullptr};
  dl_iterate_phdr(find_header, &search);
  return search.header == nullptr ? nullptr : look_up_frame(search.header, pc);
}

// Where the code of an entry keeps its path register, or its record.
void read_note(const uint8_t *entry, Rule &rule) {
  constexpr uint32_t opcode = 0x801f0f, size = 7;  // nopl disp32(%rax)
  uint64_t end = entry == nullptr ? 0 : range_of(entry).end;
  rule.path = no_path;
  if (end == 0) return;
  auto *note = reinterpret_cast<const char *>(end - size);
  if ((load<uint32_t>(note) & 0xffffff) != opcode) return;
  uint32_t path = load<uint32_t>(note + 3) - CHORD_PATH_NOTE, record = load<uint32_t>(note + 3) - CHORD_CONTEXT_NOTE;
  if (path <= CHORD_JUMP_NOTE) rule.path = static_cast<uint8_t>(path);
  bool shared = (record & CHORD_CONTEXT_SHARED) != 0;
  record &= ~uint32_t{CHORD_CONTEXT_SHARED};
  if (record > (CHORD_PATH_IN_FRAME | CHORD_CONTEXT_UNKEPT)) return;
  rule.path = static_cast<uint8_t>(in_context + record);
  rule.id = load<uint32_t>(note - size + 3) + (shared ? static_cast<uint32_t>(reinterpret_cast<uint64_t>(note - size)) : 0);
}

// clang gives the function it calls where noexcept is violated no unwind
// information. Where it is not woven it is always the same: push %rax, then two calls.
bool find_clang_row(uint64_t place, Row &row) {
  auto *code = reinterpret_cast<const uint8_t *>(__clang_call_terminate);
  if (code == nullptr) return false;
  if (same_bytes(code, "\xf3\x0f\x1e\xfa", 4)) code += 4;  // endbr64
  uint64_t offset = place - reinterpret_cast<uint64_t>(code);
  if (offset == 0 || offset > 16 || code[0] != 0x50) return false;
  row = {};
  row.cfa_register = 7;
  row.cfa_offset = 16;
  row.how[16] = How::at_offset;
  row.value[16] = -8;
  return true;
}

// A function that is only ever returned to, as the one below a makecontext's: a
// return address is its first, and there is no call before it.
bool is_outermost(Instance &instance, uint64_t pc) { return function_start(instance, pc) == pc; }

// The code a signal handler returns to: mov $15, %rax; syscall. There the stack
// pointer points to the interrupted context, whatever unwind information says. Another signal may
// come in front of either instruction.
bool is_signal_return(const Frame &frame) {
  constexpr uint64_t code = 0x0f0000000fc0c748;
  Memory memory(frame.safe);
  uint64_t here = 0, before = 0, pc = frame.registers.pc();
  return memory.read(pc, here) &&
         (here == code || (frame.interrupted && (here & 0xffff) == 0x050f && memory.read(pc - 7, before) && before == code));
}

}  // namespace

Frame frame_of(const ucontext_t &context) {
  // Kernel order -> DWARF order.
  constexpr int from[17] = {REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI, REG_RBP, REG_RSP, REG_R8,
                            REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15, REG_RIP};
  Frame frame;
  for (int i = 0; i < 17; ++i)
    frame.registers.r[i] = static_cast<uint64_t>(context.uc_mcontext.gregs[from[i]]);
  frame.interrupted = true;
  frame.checked = false;
  frame.context = &context;
  return frame;
}

namespace {

Step step_out(Instance &instance, Frame &frame) {
  uint64_t pc = frame.registers.pc();
  if (pc == 0) return Step::end;
  UnwindCache *cache = cache_of(instance);
  // A return address belongs to the call before it.
  uint64_t place = frame.interrupted ? pc : pc - 1;
  Rule rule;
  if (cache != nullptr && recall(*cache, place, rule)) return apply(rule, frame);
  if (is_signal_return(frame)) {
    Frame handler = frame;
    frame = frame_of(*reinterpret_cast<const ucontext_t *>(frame.registers.sp()));
    frame.safe = handler.safe;
    frame.leaving = handler.leaving;
    return Step::caller;
  }
  const uint8_t *entry = entry_for(instance, place);
  Row row;
  if ((entry == nullptr || !find_row(entry, place, row)) && !find_clang_row(place, row))
    return !frame.interrupted && is_outermost(instance, pc) ? Step::end : Step::lost;
  if (cache != nullptr && as_rule(row, place, rule)) {
    read_note(entry, rule);
    remember(*cache, rule);
    return apply(rule, frame);
  }
  return apply(row, frame);
}

}  // namespace

Step step(Instance &instance, Frame &frame) {
  uint64_t sp = frame.registers.sp(), leaving = frame.leaving;
  Step stepped = step_out(instance, frame);
  if (leaving != 0 && sp <= leaving && leaving < frame.registers.sp()) frame.leaving = 0;  // that was its last
  return stepped;
}

bool known_shape(Instance &instance, uint64_t place, FrameShape &shape) {
  Rule rule;
  if (instance.rules == nullptr || !recall(*instance.rules, place, rule)) return false;
  constexpr int return_address = 6;  // in saved_registers
  if ((rule.cfa_register != 6 && rule.cfa_register != 7) || rule.saved[return_address] != -8) return false;
  shape.by_frame_pointer = rule.cfa_register == 6;
  for (int i = 0; i < 6; ++i) shape.saved[i] = rule.saved[i];
  shape.keeps_path = keeps_state(rule) && rule.path < in_context;
  shape.record = keeps_state(rule) && rule.path >= in_context ? rule.path - in_context : FrameShape::no_record;
  return true;
}

uint64_t function_start(Instance &instance, uint64_t pc) {
  const uint8_t *entry = entry_for(instance, pc);
  return entry == nullptr ? 0 : range_of(entry).begin;
}

namespace {

// The note of a frame, and where the frame ends; false if it has none.
bool noted(Instance &instance, const Frame &frame, Rule &rule, uint64_t &cfa) {
  uint64_t place = frame.registers.pc() - (frame.interrupted ? 0 : 1);
  if (instance.rules != nullptr && recall(*instance.rules, place, rule)) {
    cfa = cfa_by(rule, frame.registers);
  } else {
    Frame caller = frame;
    if (step(instance, caller) != Step::caller) return false;
    cfa = caller.registers.sp();
    read_note(entry_for(instance, place), rule);
  }
  return keeps_state(rule);
}

}  // namespace

uint64_t path_of(Instance &instance, const Frame &frame) {
  uint64_t cfa, path = 0;
  Rule rule;
  if (!noted(instance, frame, rule, cfa)) return 0;
  uint8_t where = rule.path % CHORD_CONTEXT_UNKEPT;
  if (where < CHORD_PATH_IN_FRAME)
    path = frame.registers.r[where];
  else
    Memory(frame.safe).read(cfa - 24, path);
  if (rule.path < in_context) return path;
  const auto *contexts = hooks_of<ContextHooks>(instance, mode_context);
  if (contexts == nullptr) return 0;
  uint64_t key = contexts->key(instance, path, rule.id);
  // On its way out, with the register given back.
  if (key == 0 && frame.interrupted && Memory(frame.safe).read(cfa - record_kept, path)) key = contexts->key(instance, path, rule.id);
  return key;
}

namespace {

// Of a frame whose note that is.
uint64_t kept_site(const Frame &frame, const Rule &rule, uint64_t cfa) {
  uint64_t slot = 0, kept = cfa - (rule.path - in_context == CHORD_PATH_IN_FRAME ? 16 : 24);
  // Below the stack pointer: it is not kept yet, or in force already.
  return kept >= frame.registers.sp() && Memory(frame.safe).read(kept, slot) ? slot : 0;
}

}  // namespace

void put_back_site(Instance &instance, const Frame &frame) {
  uint64_t cfa;
  Rule rule;
  const auto *contexts = hooks_of<ContextHooks>(instance, mode_context);
  if (contexts == nullptr || !noted(instance, frame, rule, cfa) || rule.path < in_context) return;
  if (((rule.path - in_context) & CHORD_CONTEXT_UNKEPT) != 0) return contexts->leave_site();
  if (uint64_t slot = kept_site(frame, rule, cfa)) put_back_site(instance, slot);
}

void forget_unwind_rules(Instance &instance) {
  if (instance.rules != nullptr) __atomic_fetch_add(&instance.rules->generation, 1, __ATOMIC_RELEASE);
}

// ---- Static programs ------------------------------------------------------------

namespace {

int has_header(dl_phdr_info *object, size_t, void *data) {
  if (object->dlpi_name != nullptr && object->dlpi_name[0] != 0) return 0;
  *static_cast<uint64_t *>(data) = object->dlpi_addr;
  for (int i = 0; i < object->dlpi_phnum; ++i)
    if (object->dlpi_phdr[i].p_type == PT_GNU_EH_FRAME) return 1;
  return 2;
}

bool read_at(long file, void *into, size_t size, uint64_t offset) {
  return kernel(SYS_pread64, file, arg(into), static_cast<long>(size), static_cast<long>(offset)) ==
         static_cast<long>(size);
}

void read_sections(Instance &instance, long file, uint64_t bias) {
  ElfW(Ehdr) header;
  ElfW(Shdr) names, section;
  if (!read_at(file, &header, sizeof header, 0) || header.e_shentsize != sizeof section) return;
  if (!read_at(file, &names, sizeof names, header.e_shoff + header.e_shstrndx * sizeof section)) return;
  for (unsigned i = 0; i < header.e_shnum; ++i) {
    char name[10];
    if (!read_at(file, &section, sizeof section, header.e_shoff + i * sizeof section)) return;
    if ((section.sh_flags & SHF_ALLOC) == 0 ||
        !read_at(file, name, sizeof name, names.sh_offset + section.sh_name))
      continue;
    if (!same_bytes(name, ".eh_frame", 10)) continue;
    instance.static_frames = reinterpret_cast<const uint8_t *>(bias + section.sh_addr);
    instance.static_frames_size = section.sh_size;
  }
}

}  // namespace

// gcc links static programs without the sorted table, and nothing in memory says
// where the unsorted one begins: the program file does.
void find_static_frames(Instance &instance) {
  uint64_t bias = 0;
  if (dl_iterate_phdr(has_header, &bias) != 2) return;
  long file = kernel(SYS_open, reinterpret_cast<long>("/proc/self/exe"), O_RDONLY | O_CLOEXEC);
  if (file < 0) return;
  read_sections(instance, file, bias);
  kernel(SYS_close, file);
}

}  // namespace chord::runtime
