// Longjmps that were seen before. Programs that use longjmp use it often and from
// the same few stacks, so the walk is remembered as a whole: a path is the list of
// words (return addresses, frame pointers) that made the walk go where it went.
// The records of calling contexts on the way, and the slots they put back, are among them.
// If they all have the same values again, relative to the stack pointer where they
// are addresses in the stack, the walk would go the same way again, and one
// counter of the path stands for an exit of each of its frames.
//
// Invariant: a path that can be found is complete and never changes but for its
// count. Paths are found and counted without a lock; what does not fit is walked.
#include "runtime.h"

namespace chord::runtime {

namespace {

constexpr int32_t in_register = INT32_MIN;  // plus its number: a register at the call itself
constexpr int32_t last_register = in_register + 16;
constexpr uint32_t most_frames = 32;
constexpr uint32_t most_paths = 4096;

JumpPath **bucket_of(JumpTable &table, uint64_t pc, int64_t distance, uint64_t site) {
  uint64_t hash = (pc ^ static_cast<uint64_t>(distance) << 20 ^ site << 8) * 0x9e3779b97f4a7c15u;
  return &table.bucket[hash >> 55];
}

CHORD_FAST bool holds(const JumpPath &path, const Registers &here) {
  uint64_t sp = here.sp();
  for (uint32_t i = 0; i < path.checks; ++i) {
    const JumpPath::Check &check = path.check[i];
    uint64_t word =
        check.offset <= last_register
            ? here.r[check.offset - in_register]
            : *reinterpret_cast<const uint64_t *>(sp + static_cast<uint64_t>(int64_t{check.offset}));
    if (word - (check.relative != 0 ? sp : 0) != static_cast<uint64_t>(check.value)) return false;
  }
  return true;
}

// A path in the making.
struct Draft {
  uint64_t base;  // the stack pointer at the call
  JumpPath::Check check[3 * most_frames];
  JumpPath::Left left[most_frames];
  uint32_t checks = 0, frames = 0;
  uint64_t lands = 0;
  int32_t place[6];  // where the callee-saved registers of the current frame were read

  explicit Draft(uint64_t stack_pointer) : base(stack_pointer) {
    for (int i = 0; i < 6; ++i) place[i] = in_register + callee_saved[i];
  }
  void expect(int32_t offset, bool relative, uint64_t value) {
    check[checks++] = {offset, relative, static_cast<int64_t>(value)};
  }
  int32_t place_of(int number) const {
    for (int i = 0; i < 6; ++i)
      if (callee_saved[i] == number) return place[i];
    return 0;
  }
  // Of a frame that ends at `end`: its record, and the slot that it puts back.
  bool expect_record(const Instance &instance, const Frame &frame, uint8_t where, int32_t end) {
    if (where > CHORD_PATH_IN_FRAME) return where == FrameShape::no_record;
    int32_t record = where == CHORD_PATH_IN_FRAME ? end - 24 : place_of(where), site = end - (where == CHORD_PATH_IN_FRAME ? 16 : 24);
    if (record == 0 || !is_slot(instance, word(site))) return false;
    expect(record, false, where == CHORD_PATH_IN_FRAME ? word(record) : frame.registers.r[where]);
    lands = word(site);
    expect(site, false, lands);
    return true;
  }
  uint64_t word(int32_t offset) const { return *reinterpret_cast<const uint64_t *>(base + static_cast<uint64_t>(int64_t{offset})); }
};

// Follows the walk, noting what decides it. False where a frame is out of the
// ordinary (a signal, an expression) or there are too many.
bool draft_path(Instance &instance, Frame frame, uint64_t target, Draft &draft) {
  for (bool found = false; !found;) {
    if (draft.frames == most_frames || draft.checks + 4 > 3 * most_frames || frame.interrupted) return false;
    const Frame inner = frame;
    uint64_t pc = frame.registers.pc(), sp = frame.registers.sp();
    FrameShape shape;
    // A path differs from jump to jump: such walks are remembered no further than to know that.
    if (known_shape(instance, pc - 1, shape) && shape.keeps_path) return false;
    if (step(instance, frame) != Step::caller || !known_shape(instance, pc - 1, shape) || shape.keeps_path) return false;
    constexpr int frame_pointer = 1;  // in callee_saved
    if (shape.by_frame_pointer) draft.expect(draft.place[frame_pointer], true, inner.registers.r[6] - draft.base);
    uint64_t caller = frame.registers.sp();
    found = sp <= target && target < caller;
    if (caller - draft.base > (1u << 30)) return false;
    auto offset = static_cast<int32_t>(caller - draft.base);
    if (!draft.expect_record(instance, inner, shape.record, offset)) return false;
    if (!found) draft.expect(offset - 8, false, frame.registers.pc());
    for (int i = 0; i < 6; ++i)
      if (shape.saved[i] != not_saved) draft.place[i] = offset + shape.saved[i];
    if (in_woven_module(instance, pc - 1)) draft.left[draft.frames++] = {pc, shape.record == FrameShape::no_record ? 0 : path_of(instance, inner)};
  }
  return true;
}

JumpTable *table_of(Instance &instance) {
  JumpTable *table = __atomic_load_n(&instance.jumps, __ATOMIC_ACQUIRE);
  if (table != nullptr) return table;
  auto *fresh = static_cast<JumpTable *>(map_kept(instance, sizeof(JumpTable)));
  if (fresh == nullptr) return nullptr;
  if (__atomic_compare_exchange_n(&instance.jumps, &table, fresh, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
    return fresh;
  unmap_kept(instance, fresh, sizeof(JumpTable));
  return table;
}

// Keeps the path, with its first jump counted.
bool keep_path(Instance &instance, const Draft &draft, uint64_t pc, int64_t distance, uint64_t site) {
  JumpTable *table = table_of(instance);
  if (table == nullptr || __atomic_load_n(&table->paths, __ATOMIC_RELAXED) >= most_paths) return false;
  size_t size = sizeof(JumpPath) + draft.checks * sizeof(JumpPath::Check) + draft.frames * sizeof(JumpPath::Left);
  JumpPath *path;
  {
    Guard guard(instance.lock);
    path = static_cast<JumpPath *>(take_memory(instance, size));
    if (path == nullptr) return false;
    ++table->paths;
  }
  path->pc = pc;
  path->distance = distance;
  path->count = 1;
  path->site = site;
  path->lands = draft.lands;
  path->checks = draft.checks;
  path->frames = draft.frames;
  copy_bytes(path->check, draft.check, draft.checks * sizeof(JumpPath::Check));
  copy_bytes(path->left(), draft.left, draft.frames * sizeof(JumpPath::Left));
  JumpPath **link = bucket_of(*table, pc, distance, site);
  path->next = __atomic_load_n(link, __ATOMIC_ACQUIRE);
  while (!__atomic_compare_exchange_n(link, &path->next, path, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
  }
  return true;
}

template <class Visit>
void for_each_path(Instance &instance, Visit &&visit) {
  if (instance.jumps == nullptr) return;
  for (JumpPath *path : instance.jumps->bucket)
    for (; path != nullptr; path = path->next) visit(*path);
}

}  // namespace

CHORD_FAST JumpPath *known_jump(Instance &instance, const Registers &here, uint64_t target) {
  JumpTable *table = __atomic_load_n(&instance.jumps, __ATOMIC_ACQUIRE);
  if (table == nullptr) return nullptr;
  int64_t distance = static_cast<int64_t>(target - here.sp());
  uint64_t site = site_in_force(instance);
  JumpPath *path = __atomic_load_n(bucket_of(*table, here.pc(), distance, site), __ATOMIC_ACQUIRE);
  for (; path != nullptr; path = path->next)
    if (path->pc == here.pc() && path->distance == distance && path->site == site && holds(*path, here)) return path;
  return nullptr;
}

bool remember_jump(Instance &instance, const Frame &from, uint64_t target) {
  Draft draft(from.registers.sp());
  uint64_t site = site_in_force(instance);
  if (!draft_path(instance, from, target, draft) ||
      !keep_path(instance, draft, from.registers.pc(), static_cast<int64_t>(target - from.registers.sp()), site))
    return false;
  if (draft.lands != 0) put_back_site(instance, draft.lands);
  return true;
}

void spill_jumps(Instance &instance) {
  for_each_path(instance, [&](JumpPath &path) {
    int64_t count = __atomic_exchange_n(&path.count, 0, __ATOMIC_RELAXED);
    for (uint32_t i = 0; count != 0 && i < path.frames; ++i)
      record_exit(instance, path.left()[i].pc, CHORD_EXIT_AT_CALL, path.left()[i].path, count);
  });
}

// A module was unloaded: its addresses may come to mean something else.
void forget_jumps(Instance &instance) {
  spill_jumps(instance);
  if (instance.jumps == nullptr) return;
  for (JumpPath *&path : instance.jumps->bucket) __atomic_store_n(&path, nullptr, __ATOMIC_RELEASE);
  instance.jumps->paths = 0;
}

}  // namespace chord::runtime
