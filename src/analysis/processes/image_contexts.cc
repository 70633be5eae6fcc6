#include "analysis/processes/image_contexts.h"

#include "chord_abi.h"

namespace chord::analysis {
namespace {

// Every record takes 64 bytes at least.
constexpr size_t kMostRecords = size_t{1} << 28;

template <class T>
const T *relative_to(const int64_t *field, int64_t distance) {
  return reinterpret_cast<const T *>(reinterpret_cast<uint64_t>(field) + static_cast<uint64_t>(distance));
}

const chord_context_proc *context_proc_at(const chord_proc *address, const chord_proc &proc) {
  return reinterpret_cast<const chord_context_proc *>(reinterpret_cast<uint64_t>(address) + offsetof(chord_proc, counters) +
                                                      static_cast<uint64_t>(proc.counters));
}

}  // namespace

ImageContexts::ImageContexts(const ImageMemory &memory, const runtime::Instance &instance, std::vector<LoadedModule> modules, bool durable)
    : memory_(memory), modules_(std::move(modules)), last_is_written_(instance.mode_records[runtime::mode_context].data == nullptr) {
  for (uint32_t m = 0; m < modules_.size(); ++m) list_procedures(m);
  size_t trees = 0;
  for (const runtime::CallTree *at = instance.calling.trees; at != nullptr;) {
    if (++trees > kMostRecords) throw base::Error("damaged: the runtime's list of threads with calling contexts does not end");
    runtime::CallTree tree;
    if (!memory_.read(reinterpret_cast<uint64_t>(at), &tree, sizeof tree)) {
      cut_short_ = true;  // what a durable process could not keep in its file
      break;
    }
    read_tree(tree);
    at = tree.next;
  }
  for (uint32_t m = 0; m < modules_.size() && !durable; ++m) read_spares(m);
}

// What the runtime notes in a chord_context_proc is not taken from there: it is not in what a durable process leaves.
void ImageContexts::list_procedures(uint32_t number) {
  const runtime::Module &module = modules_[number].module;
  if (!module.live) return;
  size_t first = 0;
  const std::vector<chord_proc> procs = memory_.get_array(module.procs, module.proc_count);
  for (size_t i = 0; i < procs.size(); first += procs[i].count, ++i) {
    if (procs[i].kind != CHORD_COUNTERS_RECORD) continue;
    const chord_context_proc *address = context_proc_at(module.procs + i, procs[i]);
    places_[address] = {memory_.get(address), procs[i], number, first};
  }
}

// Else it is one that the runtime has kept of a module that is gone.
const ImageContexts::Place &ImageContexts::place_of(const chord_context_proc *address) {
  if (auto known = places_.find(address); known != places_.end()) return known->second;
  const chord_context_proc context = memory_.get(address);
  const chord_proc proc = memory_.get(relative_to<chord_proc>(&address->proc, context.proc));
  for (uint32_t m = 0; m < modules_.size(); ++m)
    if (modules_[m].address == context.module && context.spare == 0) return places_[address] = {context, proc, m, context.first};
  throw base::Error("damaged: a calling context of no procedure");
}

void ImageContexts::add(const chord_context_record *address, const chord_context_record &record, const uint64_t *counters) {
  const Place &place = place_of(record.proc);
  auto [at, fresh] = records_.try_emplace(reinterpret_cast<uint64_t>(address));
  if (!fresh) throw base::Error("damaged: a calling context is in the runtime's lists twice");
  Record &out = at->second;
  order_.push_back(reinterpret_cast<uint64_t>(address));
  out.id = static_cast<uint32_t>(record.id);
  out.thread = record.thread;
  out.module = place.module;
  out.kind = record.kind;
  out.site = record.site;
  out.sites = place.context.sites;
  out.span = place.context.span;
  out.procedure = place.proc.key;
  out.parent = record.parent != nullptr ? memory_.get(record.parent).key : 0;
  out.key = record.key;
  out.first = place.first;
  out.totalled = place.context.spare == 0;
  out.counters.resize(place.proc.count);
  if (counters != nullptr) out.counters = memory_.get_array(counters, place.proc.count);
  if (record.written == nullptr) return;
  // What the last segment holds that was cut, and then was written (runtime/context/segments.cc).
  const std::vector<uint64_t> words = memory_.get_array(static_cast<const uint64_t *>(record.written), place.proc.count + 1);
  const auto *last = reinterpret_cast<const uint64_t *>(words.back());
  out.written = last_is_written_ && last != nullptr ? memory_.get_array(last, place.proc.count) : words;
  out.written.resize(place.proc.count);
}

void ImageContexts::read_tree(const runtime::CallTree &tree) {
  const uint64_t *paused = tree.paused;
  for (const chord_context_record *at = tree.first; at != nullptr;) {
    if (order_.size() == kMostRecords) throw base::Error("damaged: the runtime's list of calling contexts does not end");
    chord_context_record record;
    if (!memory_.read(reinterpret_cast<uint64_t>(at), &record, sizeof record)) {
      cut_short_ = true;
      return;
    }
    add(at, record, tree.paused != nullptr ? paused : reinterpret_cast<const uint64_t *>(at + 1));
    if (paused != nullptr) paused = at == tree.paused_last ? nullptr : paused + place_of(record.proc).proc.count;
    at = record.next;
  }
}

void ImageContexts::read_spares(uint32_t number) {
  std::vector<const chord_context_proc *> procedures;
  for (const auto &[address, place] : places_)
    if (place.module == number && place.context.spare != 0) procedures.push_back(address);
  for (const chord_context_proc *address : procedures) {
    const chord_context_proc &context = places_[address].context;
    const auto *memory = relative_to<char>(&address->spare, context.spare);
    const auto *spare = reinterpret_cast<const chord_context_record *>(CHORD_CONTEXT_SPARE(memory, context.span));
    chord_context_record record;
    // Pages that were never written to are in no core file: they hold zeros.
    const bool used = memory_.read(reinterpret_cast<uint64_t>(spare), &record, sizeof record) && record.proc != nullptr;
    if (used) add(spare, record, reinterpret_cast<const uint64_t *>(spare + 1));
  }
}

void ImageContexts::add_counters(uint32_t module, std::span<uint64_t> into) const {
  for (const auto &[address, record] : records_) {
    if (record.module != module || record.totalled) continue;
    if (record.first + record.counters.size() > into.size()) throw base::Error("damaged: the counters of a calling context");
    for (size_t k = 0; k < record.counters.size(); ++k) into[record.first + k] += record.counters[k];
  }
}

// What the runtime's exit_name does (runtime/context/segments.cc).
uint64_t ImageContexts::name_of(uint64_t address, uint32_t id) const {
  auto after = records_.upper_bound(address);
  if (after == records_.begin() || address % 8 != 0) return 0;
  const auto &[start, record] = *std::prev(after);
  const uint64_t ahead = address - start, name = CHORD_CONTEXT_EXIT(record.key, record.thread);
  if (record.id != id) return 0;
  const uint64_t counters_end = sizeof(chord_context_record) + 8 * record.counters.size();
  if (record.span == 0) return ahead < counters_end + CHORD_CONTEXT_SLOT * uint64_t{record.sites} ? name : 0;
  return ahead < counters_end && ahead >> record.span == 0 ? CHORD_CONTEXT_PATH_NAME(name) | ahead / 8 : 0;
}

std::vector<format::ContextCounts> ImageContexts::counts() const {
  std::vector<format::ContextCounts> all;
  all.reserve(order_.size());
  for (uint64_t address : order_) {
    const Record &record = records_.at(address);
    format::ContextCounts &out = all.emplace_back();
    out = {record.thread, record.module, record.kind, record.site, record.procedure, record.parent, record.key, record.counters};
    for (size_t k = 0; k < record.written.size(); ++k) out.counters[k] -= record.written[k];
  }
  return all;
}

}  // namespace chord::analysis
