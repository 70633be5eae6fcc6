#include "analysis/processes/stack_walk.h"

#include <dwarf.h>
#include <elfutils/libdwfl.h>
#include <fmt/core.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <map>
#include <optional>

#include "analysis/processes/unwind_entries.h"
#include "chord_abi.h"
#include "chord_activations.h"

namespace chord::analysis {
namespace {

constexpr pid_t kThread = 1;  // there is one at a time
constexpr size_t kNoteSize = 7;

// Debug information is not needed, and must not be looked for on the network.
int find_no_debuginfo(Dwfl_Module *, void **, const char *, Dwarf_Addr, const char *, const char *, GElf_Word, char **) {
  return -1;
}

const Dwfl_Callbacks kFiles = {dwfl_build_id_find_elf, find_no_debuginfo, nullptr, nullptr};

// What is looked up again and again in one object.
struct KnownModule {
  explicit KnownModule(Dwfl_Module *module) : entries(dwfl_module_getelf(module, &bias)) {}
  GElf_Addr bias = 0;
  UnwindEntries entries;
};

struct Walking {
  const ImageMemory *memory = nullptr;
  const RegisterSet *registers = nullptr;
  bool interrupted = false;
  size_t frames = 0;
  uint64_t callee_sp = 0;  // stack pointer of the frame before
  uint64_t rbx = 0;        // in the frame now looked at (follow_rbx)
  bool ended = false;  // by our own judgement
  bool goes_on = false;  // from `resumed`
  RegisterSet resumed{};
  Dwfl *dwfl = nullptr;
  std::map<Dwfl_Module *, KnownModule> modules;
  const std::function<void(const StackWalker::Frame &)> *visit = nullptr;
};

pid_t next_thread(Dwfl *, void *argument, void **thread) {
  if (*thread != nullptr) return 0;
  *thread = argument;
  return kThread;
}

bool get_thread(Dwfl *, pid_t, void *argument, void **thread) {
  *thread = argument;
  return true;
}

bool read_memory(Dwfl *, Dwarf_Addr address, Dwarf_Word *result, void *argument) {
  return static_cast<Walking *>(argument)->memory->read(address, result, sizeof *result);
}

bool set_registers(Dwfl_Thread *thread, void *argument) {
  const RegisterSet &registers = *static_cast<Walking *>(argument)->registers;
  Dwarf_Word words[17];
  std::copy(registers.begin(), registers.end(), words);
  if (!dwfl_thread_state_registers(thread, 0, 17, words)) return false;
  dwfl_thread_state_register_pc(thread, registers[16]);
  return true;
}

const Dwfl_Thread_Callbacks kThreads = {next_thread, get_thread, read_memory, set_registers, nullptr, nullptr};

// The rules for a place.
struct Rules {
  struct Free {
    void operator()(Dwarf_Frame *frame) const { std::free(frame); }
  };
  std::unique_ptr<Dwarf_Frame, Free> frame;  // null if there are none
  Dwarf_Addr bias = 0;
};

Rules rules_of(Dwfl_Module *module, uint64_t place) {
  Rules rules;
  for (auto *find : {dwfl_module_eh_cfi, dwfl_module_dwarf_cfi}) {
    Dwarf_CFI *cfi = module != nullptr ? find(module, &rules.bias) : nullptr;
    Dwarf_Frame *frame = nullptr;
    if (cfi == nullptr || dwarf_cfi_addrframe(cfi, place - rules.bias, &frame) != 0) continue;
    rules.frame.reset(frame);
    break;
  }
  return rules;
}

// Where the rules for `place` begin; 0 if there are none.
uint64_t start_of_rules(Dwfl_Module *module, uint64_t place) {
  Rules rules = rules_of(module, place);
  Dwarf_Addr start = 0;
  if (rules.frame == nullptr) return 0;
  dwarf_frame_info(rules.frame.get(), &start, nullptr, nullptr);
  return start + rules.bias;
}

// Where the code around a place keeps its path register, or its record.
struct Note {
  uint32_t where = 0;             // as in CHORD_PATH_NOTE
  std::optional<uint32_t> record_of;  // the procedure's id
};

// nopl disp32(%rax), or none.
std::optional<uint32_t> note_at(uint64_t address, const ImageMemory &memory) {
  uint8_t bytes[kNoteSize];
  uint32_t value = 0;
  if (!memory.read(address, bytes, sizeof bytes) || std::memcmp(bytes, "\x0f\x1f\x80", 3) != 0) return std::nullopt;
  std::memcpy(&value, bytes + 3, sizeof value);
  return value;
}

// What the runtime's read_note does (runtime/stack/unwind.cc).
std::optional<Note> note_of(Dwfl_Module *module, uint64_t place, Walking &walking) {
  if (module == nullptr) return std::nullopt;
  const KnownModule &known = walking.modules.try_emplace(module, module).first->second;
  const std::optional<uint64_t> end = known.entries.end_of(place - known.bias);
  const std::optional<uint32_t> note = end ? note_at(*end + known.bias - kNoteSize, *walking.memory) : std::nullopt;
  if (!note) return std::nullopt;
  if (*note - CHORD_PATH_NOTE <= CHORD_PATH_IN_FRAME) return Note{*note - CHORD_PATH_NOTE, {}};
  const uint32_t record = (*note - CHORD_CONTEXT_NOTE) & ~uint32_t{CHORD_CONTEXT_SHARED};
  const uint64_t id_at = *end + known.bias - 2 * kNoteSize;
  const std::optional<uint32_t> id = note_at(id_at, *walking.memory);
  if (!id || record > (CHORD_PATH_IN_FRAME | CHORD_CONTEXT_UNKEPT)) return std::nullopt;
  const bool shared = ((*note - CHORD_CONTEXT_NOTE) & CHORD_CONTEXT_SHARED) != 0;
  return Note{record % CHORD_CONTEXT_UNKEPT, *id + (shared ? static_cast<uint32_t>(id_at) : 0)};
}

// The canonical frame address, where it is a register's value and a constant: in woven
// procedures it is.
std::optional<uint64_t> frame_address(Dwfl_Frame *frame, const Rules &rules) {
  Dwarf_Op *operations = nullptr;
  size_t count = 0;
  if (rules.frame == nullptr || dwarf_frame_cfa(rules.frame.get(), &operations, &count) != 0 || count != 1) return std::nullopt;
  bool numbered = operations->atom == DW_OP_bregx;
  if (!numbered && (operations->atom < DW_OP_breg0 || operations->atom > DW_OP_breg31)) return std::nullopt;
  auto base = static_cast<unsigned>(numbered ? operations->number : operations->atom - DW_OP_breg0);
  Dwarf_Word value = 0;
  if (dwfl_frame_reg(frame, base, &value) != 0) return std::nullopt;
  return value + (numbered ? operations->number2 : operations->number);
}

// elfutils takes another register for %rbx where the calling convention keeps it, and does not know it in the callers of functions
// without a rule for it. There it is what it was in the callee.
constexpr unsigned kRbx = 3;
void follow_rbx(Dwfl_Frame *frame, Walking &walking) {
  Dwarf_Word value = 0;
  if (dwfl_frame_reg(frame, kRbx, &value) == 0) walking.rbx = value;
}

// 0 if it is not known.
uint64_t register_of(Dwfl_Frame *frame, unsigned number, const Walking &walking) {
  Dwarf_Word value = 0;
  if (number == kRbx) return walking.rbx;
  return dwfl_frame_reg(frame, number, &value) == 0 ? value : 0;
}

// What the runtime's path_of does (runtime/stack/unwind.cc).
void read_state(Dwfl_Frame *frame, Dwfl_Module *module, uint64_t place, Walking &walking, StackWalker::Frame &found) {
  const std::optional<Note> note = note_of(module, place, walking);
  if (!note) return;
  uint64_t state = 0;
  const std::optional<uint64_t> top = frame_address(frame, rules_of(module, place));
  if (note->where < CHORD_PATH_IN_FRAME)
    state = register_of(frame, note->where, walking);
  else if (top)
    walking.memory->read(*top - 24, &state, sizeof state);
  found.record_of = note->record_of;
  (note->record_of ? found.record : found.path) = state;
  if (note->record_of && found.interrupted && top) walking.memory->read(*top - runtime::record_kept, &found.record_left, sizeof state);
}

// clang gives the function it calls where noexcept is violated no unwind information.
// It is always the same: push %rax, then two calls.
bool leave_clang_terminate(Dwfl_Frame *frame, const StackWalker::Frame &here, Walking &walking) {
  for (unsigned i = 0; i < 16; ++i) walking.resumed[i] = register_of(frame, i, walking);
  walking.resumed[7] = here.sp + 16;
  return walking.memory->read(here.sp + 8, &walking.resumed[16], sizeof(uint64_t));
}

int take_frame(Dwfl_Frame *frame, void *argument) {
  Walking &walking = *static_cast<Walking *>(argument);
  StackWalker::Frame found;
  Dwarf_Addr pc = 0;
  Dwarf_Word sp = 0;
  if (!dwfl_frame_pc(frame, &pc, &found.interrupted)) return DWARF_CB_ABORT;
  dwfl_frame_reg(frame, 7, &sp);
  if (walking.frames++ == 0) {
    found.interrupted = walking.interrupted;
  } else if (found.interrupted) {
    found.context = walking.callee_sp;  // where a handler returns to, the context is on top
  }
  walking.callee_sp = sp;
  follow_rbx(frame, walking);
  found.pc = pc;
  found.sp = sp;
  uint64_t place = found.interrupted ? pc : pc - 1;
  Dwfl_Module *module = dwfl_addrmodule(walking.dwfl, place);
  const char *name = module != nullptr ? dwfl_module_addrname(module, place) : nullptr;
  if (name != nullptr) found.function = name;
  read_state(frame, module, place, walking, found);
  (*walking.visit)(found);
  // Without unwind information elfutils guesses, which is worse than not knowing.
  if (start_of_rules(module, place) != 0) return DWARF_CB_OK;
  if (found.function == "__clang_call_terminate") {
    walking.goes_on = leave_clang_terminate(frame, found, walking);
    return DWARF_CB_ABORT;
  }
  // A function that is only ever returned to, as the one below a makecontext's: a return
  // address is its first, and there is no call before it.
  bool outermost = !found.interrupted && start_of_rules(dwfl_addrmodule(walking.dwfl, pc), pc) == pc;
  walking.ended = pc == 0 || outermost;
  return DWARF_CB_ABORT;
}

}  // namespace

struct StackWalker::State {
  explicit State(const CoreFile &core) : dwfl(dwfl_begin(&kFiles)) {
    if (dwfl == nullptr) throw base::Error(fmt::format("elfutils: {}", dwfl_errmsg(-1)));
    walking.memory = &core.memory;
    walking.dwfl = dwfl;
    dwfl_report_begin(dwfl);
    for (const LoadedObject &object : core.objects)
      dwfl_report_elf(dwfl, object.path.c_str(), object.path.c_str(), -1, object.address, false);
    report_vdso(core);
    dwfl_report_end(dwfl, nullptr, nullptr);
    if (!dwfl_attach_state(dwfl, nullptr, kThread, &kThreads, &walking))
      throw base::Error(fmt::format("elfutils: {}", dwfl_errmsg(-1)));
  }
  ~State() { dwfl_end(dwfl); }
  State(const State &) = delete;
  State &operator=(const State &) = delete;

  // The kernel's own object has no file; its memory is one.
  void report_vdso(const CoreFile &core) {
    constexpr size_t page = 4096;
    std::string bytes;
    char part[page];
    while (core.vdso != 0 && bytes.size() < 16 * page && core.memory.read(core.vdso + bytes.size(), part, page))
      bytes.append(part, page);
    int file = bytes.empty() ? -1 : memfd_create("vdso", MFD_CLOEXEC);
    if (file < 0) return;
    bool copied = write(file, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size());
    // Takes the descriptor over if it succeeds.
    if (!copied || dwfl_report_elf(dwfl, "vdso", "vdso", file, core.vdso, false) == nullptr) close(file);
  }

  Dwfl *dwfl;
  Walking walking;
};

StackWalker::StackWalker(const CoreFile &core) : state_(std::make_unique<State>(core)) {}
StackWalker::~StackWalker() = default;

bool StackWalker::walk(const RegisterSet &registers, bool interrupted, const std::function<void(const Frame &)> &visit) {
  Walking &walking = state_->walking;
  RegisterSet from = registers;
  walking.registers = &from;
  walking.visit = &visit;
  for (;;) {
    walking.interrupted = interrupted;
    walking.frames = 0;
    walking.ended = walking.goes_on = false;
    int result = dwfl_getthread_frames(state_->dwfl, kThread, take_frame, &walking);
    if (!walking.goes_on) return result == DWARF_CB_OK || walking.ended;
    from = walking.resumed;
    interrupted = false;
  }
}

}  // namespace chord::analysis
