// Records of calling contexts in segments: what modules that come and go, pauses and dumps do to them, how they are
// written, and how those of several runs are added up.
#include "system/bytes.h"
#include "call_tree.h"
#include "profile/fold.h"
#include "runtime.h"

namespace chord::runtime {

namespace {

Proc *context_proc(const chord_proc &proc) {
  if (proc.kind != CHORD_COUNTERS_RECORD) return nullptr;
  return reinterpret_cast<Proc *>(reinterpret_cast<int64_t>(&proc.counters) + proc.counters);
}

// `visit(record, counters)`: those that count; null: all are zero.
template <class Visit>
void for_each_record(CallTree &tree, Visit &&visit) {
  const uint64_t *paused = tree.paused;
  for (Record *record = tree.first; record != nullptr; record = record->next) {
    visit(*record, tree.paused != nullptr ? paused : counters_of(record));
    if (paused != nullptr) paused = record == tree.paused_last ? nullptr : paused + proc_of(*record->proc).count;
  }
}

template <class Visit>
void for_each_record(const Instance &instance, Visit &&visit) {
  for (CallTree *tree = instance.calling.trees; tree != nullptr; tree = tree->next) for_each_record(*tree, visit);
}

template <class Visit>
void for_each_spare(const Module &module, Visit &&visit) {
  for (size_t i = 0; module.live && i < module.proc_count; ++i)
    if (Proc *proc = context_proc(module.procs[i])) {
      Record *spare = spare_of(*proc);
      if (spare->proc != nullptr) visit(*spare);
    }
}

// How many words are zero from there on. Of paths nearly all are.
CHORD_FAST uint32_t zeros_at(const uint64_t *words, uint32_t count) {
  uint32_t zeros = 0;
  while (zeros + 4 <= count && (words[zeros] | words[zeros + 1] | words[zeros + 2] | words[zeros + 3]) == 0) zeros += 4;
  while (zeros < count && words[zeros] == 0) ++zeros;
  return zeros;
}

// The encoding of CHORD_RECORD_CONTEXTS; without memory, its size.
class Encoder {
 public:
  Encoder(char *at, const char *end) : at_(at), end_(end) {}
  void byte(uint8_t value) {
    if (at_ != nullptr && at_ < end_) *at_++ = static_cast<char>(value);
    ++size_;
  }
  CHORD_FAST void leb(uint64_t value) {
    for (; value >= 0x80; value >>= 7) byte(static_cast<uint8_t>(value | 0x80));
    byte(static_cast<uint8_t>(value));
  }
  CHORD_FAST void word(uint64_t value) {
    size_ += sizeof value;
    if (at_ == nullptr) return;
    if (static_cast<size_t>(end_ - at_) < sizeof value) {
      at_ = const_cast<char *>(end_);
    } else {
      __builtin_memcpy(at_, &value, sizeof value);
      at_ += sizeof value;
    }
  }
  // Those of a record, one after the other, between their number and the end.
  CHORD_FAST void counter(uint64_t value) {
    if (value == 0) {
      ++zeros_;
      return;
    }
    end_counters();
    leb(value);
  }
  CHORD_FAST void end_counters() {
    if (zeros_ == 0) return;
    byte(0);
    leb(zeros_ - 1);
    zeros_ = 0;
  }
  CHORD_FAST void counters(const uint64_t *now, const uint64_t *before, uint32_t count) {
    leb(count);
    for (uint32_t i = 0; i < count; ++i) {
      if (before == nullptr) {
        const uint32_t zeros = now != nullptr ? zeros_at(now + i, count - i) : count;
        skip(zeros);
        i += zeros;
        if (i == count) break;
      }
      counter((now != nullptr ? now[i] : 0) - (before != nullptr ? before[i] : 0));
    }
    end_counters();
  }
  // Counters that are zero.
  CHORD_FAST void skip(uint64_t zeros) { zeros_ += zeros; }
  void bytes(const uint8_t *from, const uint8_t *end) {
    while (from != end) byte(*from++);
  }
  size_t size() const { return size_; }

 private:
  char *at_;
  const char *end_;
  size_t size_ = 0;
  uint64_t zeros_ = 0;
};

void encode(Encoder &out, const Record &record, const uint64_t *counters, uint64_t parent) {
  const Module &module = *static_cast<const Module *>(record.proc->module);
  const chord_proc &proc = proc_of(*record.proc);
  out.leb(record.thread);
  out.leb(module.number);
  out.word(proc.key);
  out.leb(record.kind);
  out.word(parent);
  out.leb(record.site);
  out.word(record.key);
  out.counters(counters, record.written, proc.count);
}

size_t encode_all(const Instance &instance, Encoder out) {
  for_each_record(instance, [&](const Record &record, const uint64_t *counters) {
    encode(out, record, counters, record.parent != nullptr ? record.parent->key : 0);
  });
  for (const Module *module = instance.modules; module != nullptr; module = module->next)
    for_each_spare(*module, [&](const Record &spare) { encode(out, spare, counters_of(&spare), 0); });
  return out.size();
}

// At most so much: whole numbers of 32 bits take up to five bytes, of 64 up to ten.
size_t most_bytes(const Instance &instance) {
  size_t size = 0;
  auto add = [&](const Record &record) { size += 64 + 10 * size_t{proc_of(*record.proc).count}; };
  for_each_record(instance, [&](const Record &record, const uint64_t *) { add(record); });
  for (const Module *module = instance.modules; module != nullptr; module = module->next) for_each_spare(*module, add);
  return size;
}

// After what is in earlier segments (chord_context_record::written): what the last one holds that was cut. It counts as well once that is in the
// profile, which is when the instance's ModeRecord is no more.
uint64_t *&being_written(const Record &record) { return reinterpret_cast<uint64_t *&>(record.written[proc_of(*record.proc).count]); }

bool has_notes(Instance &instance, Record &record) {
  const size_t size = (proc_of(*record.proc).count + 1) * sizeof(uint64_t);
  if (record.written == nullptr) record.written = static_cast<uint64_t *>(take_memory(instance, size));
  if (record.written != nullptr && being_written(record) == nullptr) being_written(record) = static_cast<uint64_t *>(take_memory(instance, size));
  return record.written != nullptr && being_written(record) != nullptr;
}

void note_counters(uint64_t *to, const uint64_t *counters, uint32_t count) {
  if (counters != nullptr)
    copy_words(to, counters, count);
  else
    zero_bytes(to, count * sizeof(uint64_t));
}

// Also those that their modules hold.
template <class Visit>
void for_every_record(Instance &instance, Visit &&visit) {
  for_each_record(instance, visit);
  for (const Module *module = instance.modules; module != nullptr; module = module->next)
    for_each_spare(*module, [&](Record &spare) { visit(spare, counters_of(&spare)); });
}

void note_all_being_written(Instance &instance) {
  for_every_record(instance, [&](Record &record, const uint64_t *counters) {
    if (has_notes(instance, record)) note_counters(being_written(record), counters, proc_of(*record.proc).count);
  });
}

void note_all_written(Instance &instance) {
  for_every_record(instance, [](Record &record, const uint64_t *) {
    if (record.written != nullptr && being_written(record) != nullptr) copy_words(record.written, being_written(record), proc_of(*record.proc).count);
  });
}

void restart_contexts(Instance &instance) {
  note_all_being_written(instance);
  note_all_written(instance);
}

// ---- Runs that are added up ---------------------------------------------------------

// A record as it was written.
struct Kept {
  const uint8_t *begin, *end;  // all of it
  const uint8_t *facts;        // after the module's number
  uint64_t thread, module, key, count;
  Bytes counters;
};

bool skip_counters(Bytes &in, uint64_t count) {
  for (uint64_t i = 0; i < count && in.ok; ++i)
    if (in.leb() == 0) {
      uint64_t more = in.leb();
      if (more >= count - i) return false;
      i += more;
    }
  return in.ok;
}

CHORD_FAST bool read_kept(Bytes &in, Kept &kept) {
  kept.begin = in.at;
  kept.thread = in.leb();
  kept.module = in.leb();
  kept.facts = in.at;
  in.take(sizeof(uint64_t));  // the procedure
  in.leb();                   // kind
  in.take(sizeof(uint64_t));  // parent
  in.leb();                   // site
  const uint8_t *key = in.take(sizeof(uint64_t));
  kept.key = key != nullptr ? load<uint64_t>(key) : 0;
  kept.count = in.leb();
  kept.counters = in;
  if (!in.ok || !skip_counters(in, kept.count)) return false;
  kept.end = kept.counters.end = in.at;
  return true;
}

// The next counter of a record, again and again.
struct CounterReader {
  Bytes in;
  uint64_t zeros = 0;
  CHORD_FAST uint64_t next() {
    if (zeros != 0) {
      --zeros;
      return 0;
    }
    uint64_t value = in.leb();
    if (value == 0) zeros = in.leb();
    return value;
  }
};

// What this run wrote, by thread and key. Records of a module that was loaded twice are there twice.
class KeptTable {
 public:
  struct Entry {
    const uint8_t *begin;  // null: none
    uint64_t thread, key;
    bool added;
  };
  explicit KeptTable(Bytes own) {
    uint64_t count = 0;
    Kept kept;
    for (Bytes in = own; in.at != in.end; ++count)
      if (!read_kept(in, kept)) return;
    while (capacity_ < 2 * count) capacity_ *= 2;
    entries_ = static_cast<Entry *>(map_pages(capacity_ * sizeof(Entry)));
    for (Bytes in = own; entries_ != nullptr && in.at != in.end;) {
      read_kept(in, kept);
      *find(kept, [](const Entry &) { return false; }) = {kept.begin, kept.thread, kept.key, false};
    }
  }
  ~KeptTable() {
    if (entries_ != nullptr) unmap_pages(entries_, capacity_ * sizeof(Entry));
  }
  KeptTable(const KeptTable &) = delete;
  KeptTable &operator=(const KeptTable &) = delete;
  bool is_whole() const { return entries_ != nullptr; }
  // One of the same context that is wanted, or the place after the last.
  template <class Wanted>
  CHORD_FAST Entry *find(const Kept &kept, Wanted &&wanted) {
    for (uint64_t at = (kept.key ^ kept.thread) * 0x9e3779b97f4a7c15u >> 20;; ++at) {
      Entry &entry = entries_[at & (capacity_ - 1)];
      if (entry.begin == nullptr || (entry.thread == kept.thread && entry.key == kept.key && wanted(entry))) return &entry;
    }
  }

 private:
  Entry *entries_ = nullptr;
  uint64_t capacity_ = 16;
};

// Both are of one context, and their counters fit.
CHORD_FAST bool put_sum(Encoder &out, const Kept &own, const Kept &base) {
  const size_t facts = static_cast<size_t>(own.counters.at - own.facts);
  if (own.count != base.count || facts != static_cast<size_t>(base.counters.at - base.facts) || !same_bytes(own.facts, base.facts, facts)) return false;
  out.bytes(own.begin, own.counters.at);
  CounterReader a{own.counters}, b{base.counters};
  for (uint64_t i = 0; i < own.count; ++i) {
    if (const uint64_t both = a.zeros < b.zeros ? a.zeros : b.zeros; both > 1) {
      a.zeros -= both;
      b.zeros -= both;
      out.skip(both);
      i += both - 1;
      continue;
    }
    uint64_t x = a.next(), y = b.next();
    if (overflows(x, y)) return false;
    out.counter(x + y);
  }
  out.end_counters();
  return true;
}

// The base's records with what this run added to them, then those that only this run has: parents stay before their children.
bool put_sums(Encoder &out, Bytes own, const Fold &base) {
  KeptTable table(own);
  if (!table.is_whole()) return false;
  Kept kept, mine;
  const Fold::List &list = base.lists[CHORD_RECORD_CONTEXTS];
  for (Bytes in{list.data, list.data + list.size}; in.at != in.end;) {
    if (!read_kept(in, kept) || kept.module >= base.module_count) return false;
    const uint32_t module = base.modules[kept.module]->number;
    KeptTable::Entry *entry = table.find(kept, [](const KeptTable::Entry &e) { return !e.added; });
    if (entry->begin == nullptr) {
      out.leb(kept.thread);
      out.leb(module);
      out.bytes(kept.facts, kept.end);
      continue;
    }
    Bytes at{entry->begin, own.end};
    if (!read_kept(at, mine) || mine.module != module || !put_sum(out, mine, kept)) return false;
    entry->added = true;
  }
  for (Bytes in = own; in.at != in.end;) {
    read_kept(in, kept);
    if (!table.find(kept, [&](const KeptTable::Entry &e) { return e.begin == kept.begin; })->added) out.bytes(kept.begin, kept.end);
  }
  return true;
}

bool fold_contexts(Instance &instance, const Fold &base) {
  ModeRecord &own = instance.mode_records[mode_context];
  const auto *data = reinterpret_cast<const uint8_t *>(own.data);
  // Numbers of modules may take more bytes than they did.
  ModeRecord sum{CHORD_RECORD_CONTEXTS, nullptr, 0, own.size + 2 * base.lists[CHORD_RECORD_CONTEXTS].size + 64};
  sum.data = static_cast<char *>(map_pages(sum.capacity));
  if (sum.data == nullptr) return false;
  Encoder out(sum.data, sum.data + sum.capacity);
  const bool fits = put_sums(out, {data, data + own.size}, base) && out.size() <= sum.capacity;
  sum.size = out.size();
  ModeRecord &dropped = fits ? own : sum;
  if (dropped.data != nullptr) unmap_pages(dropped.data, dropped.capacity);
  if (fits) own = sum;
  return fits;
}

}  // namespace

namespace {

// From now on all modules use these words; whoever has used others goes on with what they hold.
void move_site(Instance &instance, int64_t site) {
  const int64_t before = instance.calling.site;
  for (Thread *thread = instance.threads; thread != nullptr && before != 0; thread = thread->next) {
    Words &old = words_at(thread->pointer, before), &now = words_at(thread->pointer, site);
    if (!is_root(old.site)) now.site = old.site;
    now.tree = old.tree;
    for (const Module *module = instance.modules; module != nullptr; module = module->next) {
      if (module->site_link == 0) continue;
      Words *&link = *reinterpret_cast<Words **>(thread->pointer + module->site_link);
      if (link == &old) link = &now;
    }
  }
  instance.calling.site = site;
}

bool is_program(const Instance &instance, const Module &module) {
  size_t i = 0;
  while (module.path[i] != 0 && module.path[i] == instance.executable[i]) ++i;
  return module.path[i] == instance.executable[i];
}

// Brings the module's procedures to the runtime's notice.
void begin_contexts(Instance &instance, Module &module) {
  if (&module != __chord_module.module || !is_defined(module, __chord_root_slot)) return;  // it keeps none
  if (instance.calling.nobody == nullptr && !make_root(instance)) return;
  module.site = __chord_site_place().site;
  module.site_link = __chord_site_place().link;
  if (instance.calling.site == 0 || is_program(instance, module)) move_site(instance, module.site);
  uint32_t first = 0;
  for (size_t i = 0; module.counters != 0 && i < module.proc_count; first += module.procs[i].count, ++i)
    if (Proc *proc = context_proc(module.procs[i])) {
      proc->first = first;
      proc->module = &module;
    }
  // What ran before the runtime counts in memory of the module, which is in no file.
  if (instance.live != nullptr) for_each_spare(module, [&](const Record &) { instance.notes |= note_not_durable; });
}

bool is_retired(const Proc &proc) { return proc.spare == 0; }

// Adds what all records of the module's procedures hold to its totals.
void add_context_counters(const Instance &instance, const Module &module, uint64_t *into) {
  auto add = [&](const Record &record, const uint64_t *counters) {
    if (record.proc->module != &module || counters == nullptr || is_retired(*record.proc)) return;
    const uint32_t count = proc_of(*record.proc).count;
    for (uint32_t k = zeros_at(counters, count); k < count; k += 1 + zeros_at(counters + k + 1, count - k - 1))
      into[record.proc->first + k] += __atomic_load_n(counters + k, __ATOMIC_RELAXED);
  };
  for_each_record(instance, add);
  for_each_spare(module, [&](const Record &spare) { add(spare, counters_of(&spare)); });
}

// What the runtime must know of a procedure that is gone.
struct RetiredProc {
  Proc proc;
  chord_proc of;
};

// Records outlive their procedures. A module that is loaded again makes new ones, with the same keys.
void retire_proc(Instance &instance, Proc &proc) {
  auto *kept = static_cast<RetiredProc *>(take_memory(instance, sizeof(RetiredProc)));
  if (kept == nullptr) return;
  kept->proc = proc;
  kept->of = proc_of(proc);
  kept->proc.proc = reinterpret_cast<int64_t>(&kept->of) - reinterpret_cast<int64_t>(&kept->proc.proc);
  kept->proc.spare = 0;
  for (CallTree *tree = instance.calling.trees; tree != nullptr; tree = tree->next) {
    for (Record *record = tree->first; record != nullptr; record = record->next)
      if (record->proc == &proc) record->proc = &kept->proc;
    for (uint64_t i = 0; tree->table != nullptr && i < tree->table->capacity; ++i)
      if (tree->table->entry[i].proc == &proc) tree->table->entry[i].proc = &kept->proc;
  }
}

// What was counted without memory, or before the runtime had started, goes to a record that stays.
void keep_spare(Instance &instance, Record &spare) {
  CallTree *tree = instance.calling.trees;
  Record *kept = tree == nullptr ? nullptr : find_or_make(instance, *tree, {no_memory, spare.proc, 0, nullptr});
  if (kept == nullptr || kept == &spare) {
    instance.notes |= note_out_of_memory;
    return;
  }
  uint32_t count = proc_of(*spare.proc).count;
  for (uint32_t k = 0; k < count; ++k) counters_of(kept)[k] += counters_of(&spare)[k];
  zero_bytes(&spare, sizeof spare + count * sizeof(uint64_t));
}

// Before the module's counts are added up for the last time.
void end_contexts(Instance &instance, Module &module) {
  if (&module != __chord_module.module || module.site == 0) return;
  module.site_link = 0;
  int64_t other = 0;
  for (const Module *m = instance.modules; m != nullptr; m = m->next)
    if (m != &module && m->live && m->site != 0) other = m->site;
  if (instance.calling.site == module.site && other != 0) move_site(instance, other);
  if (instance.calling.site == module.site) instance.calling.site = 0;
  module.site = 0;
  for_each_spare(module, [&](Record &spare) { keep_spare(instance, spare); });
  add_context_counters(instance, module, module.merged);
  for (size_t i = 0; i < module.proc_count; ++i)
    if (Proc *proc = context_proc(module.procs[i])) retire_proc(instance, *proc);
}

// Until the tree goes on counting, what its records hold now counts.
void pause_tree(Instance &instance, CallTree &tree) {
  if (tree.last == nullptr) return;
  size_t words = 1;
  for_each_record(tree, [&](const Record &record, const uint64_t *) { words += proc_of(*record.proc).count; });
  auto *kept = static_cast<uint64_t *>(map_kept(instance, words * sizeof(uint64_t)));
  if (kept == nullptr) {
    instance.notes |= note_out_of_memory;
    return;
  }
  uint64_t *at = kept;
  for_each_record(tree, [&](const Record &record, const uint64_t *counters) {
    uint32_t count = proc_of(*record.proc).count;
    copy_words(at, counters, count);
    at += count;
  });
  tree.paused_bytes = words * sizeof(uint64_t);
  tree.paused_last = tree.last;
  tree.paused = kept;
}

void resume_tree(Instance &instance, CallTree &tree) {
  for_each_record(tree, [](Record &record, const uint64_t *counters) {
    uint32_t count = proc_of(*record.proc).count;
    if (counters != nullptr)
      copy_words(counters_of(&record), counters, count);
    else
      zero_bytes(counters_of(&record), count * sizeof(uint64_t));
  });
  uint64_t *kept = tree.paused;
  tree.paused = nullptr;
  unmap_kept(instance, kept, tree.paused_bytes);
}

// A thread that is paused, or no longer, has come to this tree's stack.
void follow_pause(Instance &instance, CallTree &tree, bool paused) {
  if (paused == (tree.paused != nullptr)) return;
  Guard guard(instance.lock);
  paused ? pause_tree(instance, tree) : resume_tree(instance, tree);
}

void pause_contexts(Instance &instance, Thread &) {
  CallTree *tree = instance.calling.site != 0 ? own_words(instance).tree : nullptr;
  if (tree != nullptr && tree->paused == nullptr) pause_tree(instance, *tree);
}

void resume_contexts(Instance &instance, Thread &) {
  CallTree *tree = instance.calling.site != 0 ? own_words(instance).tree : nullptr;
  if (tree != nullptr && tree->paused != nullptr) resume_tree(instance, *tree);
}

void collect_contexts(Instance &instance, bool goes_on) {
  ModeRecord &record = instance.mode_records[mode_context];
  if (record.data == nullptr) {
    note_all_written(instance);
  } else {
    unmap_pages(record.data, record.capacity);
    record = {};
  }
  size_t size = most_bytes(instance);
  if (size == 0) return;
  record.tag = CHORD_RECORD_CONTEXTS;
  record.capacity = size;
  record.data = static_cast<char *>(map_pages(record.capacity));
  if (record.data == nullptr) {  // most of it would not be used
    size = encode_all(instance, Encoder(nullptr, nullptr));
    record.capacity = size + size / 8 + 4096;
    record.data = static_cast<char *>(map_pages(record.capacity));
  }
  if (record.data == nullptr) {
    instance.notes |= note_out_of_memory;
    return;
  }
  size = encode_all(instance, Encoder(record.data, record.data + record.capacity));
  record.size = size <= record.capacity ? size : 0;
  if (record.size == 0) instance.notes |= note_out_of_memory;
  // Or somebody may read one from memory.
  if (goes_on || instance.live != nullptr) note_all_being_written(instance);
}

// What an activation that keeps this address is in; 0: the address is not the record's, nor that of one of its slots or paths.
uint64_t exit_name(const Record &record, uint64_t address, uint32_t id) {
  uint64_t ahead = address - reinterpret_cast<uint64_t>(&record), name = CHORD_CONTEXT_EXIT(record.key, record.thread);
  if (static_cast<uint32_t>(record.id) != id || record.proc == nullptr || address % 8 != 0) return 0;
  // Where a call is named the holder may be moved to its slot for a moment.
  if (record.proc->span == 0) return ahead < record_bytes(*record.proc) ? name : 0;
  const uint64_t counters_end = sizeof record + 8 * uint64_t{proc_of(*record.proc).count};
  return ahead < counters_end && ahead >> record.proc->span == 0 ? CHORD_CONTEXT_PATH_NAME(name) | ahead / 8 : 0;
}

uint64_t context_key(const Instance &instance, uint64_t address, uint32_t id) {
  if (const Record *record = find_record(instance, address))
    if (uint64_t name = exit_name(*record, address, id)) return name;
  for (const Module *module = instance.modules; module != nullptr; module = module->next) {
    if (address - reinterpret_cast<uint64_t>(module->low) >= static_cast<uint64_t>(module->high - module->low)) continue;
    uint64_t key = 0;
    for_each_spare(*module, [&](const Record &spare) {
      if (uint64_t name = exit_name(spare, address, id)) key = name;
    });
    return key;
  }
  return 0;
}

bool is_known_slot(const Instance &instance, uint64_t slot) {
  if (instance.calling.nobody != nullptr && slot == reinterpret_cast<uint64_t>(root_of(instance))) return true;
  Record *record = find_record(instance, slot);
  if (record == nullptr) return is_spare(instance, reinterpret_cast<void *>(slot)) && slot % 8 == 0 && is_root(reinterpret_cast<Slot *>(slot));
  uint64_t first = reinterpret_cast<uint64_t>(slots_of(record));
  return slot - first < record->proc->sites * sizeof(Slot) && (slot - first) % sizeof(Slot) == 0;
}

bool keeps_contexts() { return instance() != nullptr && instance()->calling.site != 0; }
uint64_t current_site() { return keeps_contexts() ? reinterpret_cast<uint64_t>(own_words(*instance()).site) : 0; }
void set_current_site(uint64_t slot) {
  if (keeps_contexts()) own_words(*instance()).site = reinterpret_cast<Slot *>(slot);
}
void leave_site() {
  if (keeps_contexts()) own_words(*instance()).site = own_words(*instance()).site->back;
}

void read_context_limit(Instance &instance, char **environment) {
  const char *megabytes = variable(environment, "CHORD_CONTEXT_MEMORY");
  uint64_t limit = 0;
  for (; megabytes != nullptr && *megabytes >= '0' && *megabytes <= '9' && limit < 1 << 24; ++megabytes)
    limit = limit * 10 + static_cast<uint64_t>(*megabytes - '0');
  instance.calling.limit = limit != 0 ? limit << 20 : default_limit;
}

}  // namespace

}  // namespace chord::runtime
