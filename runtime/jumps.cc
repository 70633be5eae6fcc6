// Longjmps that were seen before. Programs that use longjmp use it often and from
// the same few stacks, so the walk is remembered as a whole: a path is the list of
// words (return addresses, frame pointers) that made the walk go where it went.
// If they all have the same values again, relative to the stack pointer where they
// are addresses in the stack, the walk would go the same way again, and one
// counter of the path stands for an exit of each of its frames.
//
// Invariant: a path that can be found is complete and never changes but for its
// count. Paths are found and counted without a lock; what does not fit is walked.
#include "runtime.h"

namespace chord::runtime {

namespace {

constexpr int32_t in_register = INT32_MIN;  // the frame pointer at the call itself
constexpr uint32_t most_frames = 32;
constexpr uint32_t most_paths = 4096;

JumpPath **bucket_of(JumpTable &table, uint64_t pc, int64_t distance) {
  uint64_t hash = (pc ^ static_cast<uint64_t>(distance) << 20) * 0x9e3779b97f4a7c15u;
  return &table.bucket[hash >> 55];
}

CHORD_FAST bool holds(const JumpPath &path, const Registers &here) {
  uint64_t sp = here.sp();
  for (uint32_t i = 0; i < path.checks; ++i) {
    const JumpPath::Check &check = path.check[i];
    uint64_t word =
        check.offset == in_register
            ? here.r[6]
            : *reinterpret_cast<const uint64_t *>(sp + static_cast<uint64_t>(int64_t{check.offset}));
    if (word - (check.relative != 0 ? sp : 0) != static_cast<uint64_t>(check.value)) return false;
  }
  return true;
}

// A path in the making.
struct Draft {
  JumpPath::Check check[2 * most_frames];
  uint64_t pc[most_frames];
  uint32_t checks = 0, frames = 0;
  int32_t frame_pointer = in_register;  // where the current frame pointer was read

  void expect(int32_t offset, bool relative, uint64_t value) {
    check[checks++] = {offset, relative, static_cast<int64_t>(value)};
  }
};

// Follows the walk, noting what decides it. False where a frame is out of the
// ordinary (a signal, an expression) or there are too many.
bool draft_path(Instance &instance, Frame frame, uint64_t target, Draft &draft) {
  uint64_t base = frame.registers.sp();
  for (bool found = false; !found;) {
    if (draft.checks + 2 > 2 * most_frames || frame.interrupted) return false;
    uint64_t pc = frame.registers.pc(), sp = frame.registers.sp(), frame_pointer = frame.registers.r[6];
    FrameShape shape;
    // A path differs from jump to jump: such walks are remembered no further than to know that.
    if (known_shape(instance, pc - 1, shape) && shape.keeps_path) return false;
    if (step(instance, frame) != Step::caller || !known_shape(instance, pc - 1, shape) || shape.keeps_path) return false;
    if (shape.by_frame_pointer) draft.expect(draft.frame_pointer, true, frame_pointer - base);
    uint64_t caller = frame.registers.sp();
    found = sp <= target && target < caller;
    if (caller - base > (1u << 30)) return false;
    auto offset = static_cast<int32_t>(caller - base);
    if (!found) draft.expect(offset - 8, false, frame.registers.pc());
    if (shape.saves_frame_pointer) draft.frame_pointer = offset + shape.frame_pointer_offset;
    if (in_woven_module(instance, pc - 1)) draft.pc[draft.frames++] = pc;
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
bool keep_path(Instance &instance, const Draft &draft, uint64_t pc, int64_t distance) {
  JumpTable *table = table_of(instance);
  if (table == nullptr || __atomic_load_n(&table->paths, __ATOMIC_RELAXED) >= most_paths) return false;
  size_t size = sizeof(JumpPath) + draft.checks * sizeof(JumpPath::Check) + draft.frames * sizeof(uint64_t);
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
  path->checks = draft.checks;
  path->frames = draft.frames;
  copy_bytes(path->check, draft.check, draft.checks * sizeof(JumpPath::Check));
  copy_bytes(path->pcs(), draft.pc, draft.frames * sizeof(uint64_t));
  JumpPath **link = bucket_of(*table, pc, distance);
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
  JumpPath *path = __atomic_load_n(bucket_of(*table, here.pc(), distance), __ATOMIC_ACQUIRE);
  for (; path != nullptr; path = path->next)
    if (path->pc == here.pc() && path->distance == distance && holds(*path, here)) return path;
  return nullptr;
}

bool remember_jump(Instance &instance, const Frame &from, uint64_t target) {
  Draft draft;
  return draft_path(instance, from, target, draft) &&
         keep_path(instance, draft, from.registers.pc(), static_cast<int64_t>(target - from.registers.sp()));
}

void spill_jumps(Instance &instance) {
  for_each_path(instance, [&](JumpPath &path) {
    int64_t count = __atomic_exchange_n(&path.count, 0, __ATOMIC_RELAXED);
    for (uint32_t i = 0; count != 0 && i < path.frames; ++i)
      record_exit(instance, path.pcs()[i], CHORD_EXIT_AT_CALL, 0, count);
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
