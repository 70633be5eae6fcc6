// Early exits: where activations ended other than by returning.
//
// One hash table per process, open addressing, keyed by program counter, kind and
// path register. A slot belongs to the first that writes its second word, too.
// Slots are claimed by compare-and-swap and counted by atomic addition, so threads
// and signal handlers record without a lock and nothing is lost. A table that
// fills up gets a successor twice its size; tables are never freed. The first is small enough to lie in a page with
// what every process needs: most end with a few early exits.
#include "runtime.h"

namespace chord::runtime {

namespace {

// Paths make many keys; in a table that is too small each is looked for in every successor.
constexpr uint64_t few_slots = 64, first_slots = 2048;
constexpr uint64_t longest_probe = 16, shortest_probe = 4;

size_t bytes_of(uint64_t slots) { return sizeof(ExitTable) + slots * sizeof(ExitTable::Slot); }

ExitTable *next_table(Instance &instance, ExitTable **link, uint64_t slots) {
  ExitTable *table = __atomic_load_n(link, __ATOMIC_ACQUIRE);
  if (table != nullptr) return table;
  auto *fresh = static_cast<ExitTable *>(map_kept(instance, bytes_of(slots)));
  if (fresh == nullptr) {
    instance.notes |= note_out_of_memory;
    return nullptr;
  }
  fresh->slots = slots;
  if (__atomic_compare_exchange_n(link, &table, fresh, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
    return fresh;
  unmap_kept(instance, fresh, bytes_of(slots));
  return table;
}

bool count_in(ExitTable &table, uint64_t key, uint64_t path, int64_t count) {
  uint64_t at = (key + path) * 0x9e3779b97f4a7c15u >> 32;
  uint64_t probes = table.slots == few_slots ? shortest_probe : longest_probe;
  for (uint64_t probe = 0; probe < probes; ++probe) {
    uint64_t index = (at + probe) & (table.slots - 1);
    ExitTable::Slot &slot = table.slot[index];
    // Before others can count in it, as this thread may be stopped after any instruction.
    if (__atomic_load_n(&slot.key, __ATOMIC_RELAXED) == 0)
      __atomic_fetch_or(&table.used, uint64_t{1} << index / (table.slots / 64), __ATOMIC_RELAXED);
    if (!is_or_becomes(&slot.key, key) || !is_or_becomes(&slot.path, path)) continue;
    __atomic_fetch_add(&slot.count, count, __ATOMIC_RELAXED);
    return true;
  }
  return false;
}

template <class Visit>
void for_each_slot(Instance &instance, Visit &&visit) {
  for (ExitTable *table = instance.exits; table != nullptr; table = table->next)
    for (uint64_t used = table->used, part = table->slots / 64; used != 0; used &= used - 1)
      for (uint64_t i = 0; i < part; ++i) visit(table->slot[static_cast<uint64_t>(__builtin_ctzll(used)) * part + i]);
}

// `merge`: an earlier loading of the module may have left the same exit behind.
void resolve(Instance &instance, const chord_exit &exit, bool merge) {
  auto *exits = instance.resolved_since.begin<chord_exit>();
  for (size_t i = 0; merge && i < instance.resolved_since.size<chord_exit>(); ++i)
    if (exits[i].pc == exit.pc && exits[i].module == exit.module && exits[i].kind == exit.kind &&
        exits[i].path == exit.path) {
      exits[i].count += exit.count;
      return;
    }
  add_record(instance, instance.resolved_since, &exit, sizeof exit);
}

}  // namespace

void record_exit(Instance &instance, uint64_t pc, uint32_t kind, uint64_t path, int64_t count) {
  uint64_t key = pc | uint64_t{kind} << exit_kind_shift;
  uint64_t slots = first_slots;
  for (ExitTable **link = &instance.exits;; slots *= 2) {
    ExitTable *table = next_table(instance, link, slots);
    if (table == nullptr || count_in(*table, key, path ^ exit_path_bit, count)) return;
    if (table->slots == few_slots) slots = first_slots / 2;
    link = &table->next;
  }
}

void begin_exits(Instance &instance) {
  auto *table = static_cast<ExitTable *>(take_memory(instance, bytes_of(few_slots)));
  table->slots = few_slots;
  instance.exits = table;
}

void collect_exits(Instance &instance, Module &module, bool merge) {
  uint64_t low = reinterpret_cast<uint64_t>(module.low),
           size = static_cast<uint64_t>(module.high - module.low);
  if (!module.live) return;
  for_each_slot(instance, [&](ExitTable::Slot &slot) {
    uint64_t pc = slot.key & exit_pc_bits;
    if (slot.count == 0 || pc - low >= size) return;
    int64_t count = __atomic_exchange_n(&slot.count, 0, __ATOMIC_RELAXED);
    chord_exit exit = {pc - module.bias, static_cast<uint64_t>(count), module.number,
                       static_cast<uint32_t>(slot.key >> exit_kind_shift), slot.path ^ exit_path_bit};
    resolve(instance, exit, merge);
  });
}

void forget_exits(Instance &instance) {
  spill_jumps(instance);
  instance.resolved.used = instance.resolved_since.used = 0;
  for_each_slot(instance, [](ExitTable::Slot &slot) { __atomic_store_n(&slot.count, 0, __ATOMIC_RELAXED); });
}

}  // namespace chord::runtime
