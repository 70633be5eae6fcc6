#include "analysis/processes/image_segment.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "chord_abi.h"

namespace chord::analysis {
namespace {

using runtime::Instance;
using runtime::Module;
using runtime::Thread;

// A damaged list must not be followed for ever.
constexpr size_t kLongestList = size_t{1} << 22;

template <class T, class Next>
std::vector<std::pair<const T *, T>> read_list(const ImageMemory &memory, const T *first, Next next) {
  std::vector<std::pair<const T *, T>> all;
  for (const T *at = first; at != nullptr; at = next(all.back().second)) {
    if (all.size() == kLongestList) throw base::Error("damaged: a list of the runtime does not end");
    all.emplace_back(at, memory.get(at));
  }
  return all;
}

template <class T>
std::vector<T> records(const ImageMemory &memory, const runtime::Records &list) {
  return memory.get_array(static_cast<const T *>(list.begin<T>()), list.size<T>());
}

template <size_t N>
std::string text_of(const char (&buffer)[N]) {
  return std::string(buffer, std::find(buffer, buffer + N, '\0'));
}

// Of the facts from `at` on, at most `size` bytes: memory may be damaged.
std::string_view facts_of(const Instance &instance, size_t at, size_t size) {
  return std::string_view(instance.facts, sizeof instance.facts).substr(std::min(at, sizeof instance.facts), size);
}

std::string fact_of(const Instance &instance, size_t at) {
  std::string_view rest = facts_of(instance, at, std::string_view::npos);
  return std::string(rest.substr(0, rest.find('\0')));
}

std::vector<std::string> arguments_of(const Instance &instance) {
  std::vector<std::string> arguments;
  std::string_view all = facts_of(instance, instance.arguments_at, instance.arguments_size);
  const char *at = all.data(), *end = at + all.size();
  while (at < end) {
    const char *stop = std::find(at, end, '\0');
    arguments.emplace_back(at, stop);
    at = stop + 1;
  }
  return arguments;
}

// The shared array of a record that lies at `record`.
uint64_t shared_array(const chord_proc &proc, uint64_t record) {
  return record + offsetof(chord_proc, counters) + static_cast<uint64_t>(proc.counters);
}

void add(const std::vector<uint64_t> &numbers, uint64_t *into) {
  for (uint64_t number : numbers) *into++ += number;
}

}  // namespace

const Instance *find_instance(const ImageMemory &memory, const std::vector<LoadedObject> &objects) {
  const Instance *found = nullptr;
  bool woven = false, started = false;
  for (const LoadedObject &object : objects)
    visit_notes(memory, object, [&](std::string_view name, uint32_t type, uint64_t content, uint64_t size) {
      int32_t offset = 0;
      if (name != std::string_view("chord", 6) || type != 1 || size != sizeof offset) return;
      runtime::ModuleState state;
      if (!memory.read(content, &offset, sizeof offset) ||
          !memory.read(content + static_cast<uint64_t>(int64_t{offset}), &state, sizeof state))
        return;
      woven = true;
      started = started || state.instance != nullptr;
      if (state.version == runtime::layout_version && state.instance != nullptr) found = state.instance;
    });
  if (found != nullptr) return found;
  if (!woven)
    throw base::Error("the program was not built with chord",
                      "put `chord` in front of the compiler command, both to compile and to link");
  if (!started) throw base::Error("the program had counted nothing yet, or had ended");
  throw base::Error("the program was built by another version of chord", "use the chord it was built with");
}

ImageReader::ImageReader(const ImageMemory &memory, const Instance *instance, bool durable)
    : memory_(memory), durable_(durable), instance_(std::make_shared<const Instance>(memory.get(instance))) {
  if (instance_->version != runtime::layout_version)
    throw base::Error("the program was built by another version of chord", "use the chord it was built with");
  if (instance_->finished && !durable_)
    throw base::Error(fmt::format("process {} had written its counts itself", instance_->pid),
                      "they are in its profile");
  if (instance_->writer != 0)
    add_note("the process ended while it wrote its counts; they may be in the profile already, and functions that were "
             "active may be contradictory");
  else if (instance_->lock.is_held())
    add_note("the process ended while a thread started or ended; its counts may be there twice or not at all");
  read_modules();
  read_contexts();
  read_threads();
  read_exit_tables();
  read_jumps();
}

void ImageReader::read_modules() {
  modules_.resize(instance_->module_count);
  module_addresses_.resize(instance_->module_count);
  for (const auto &[address, module] :
       read_list(memory_, static_cast<const Module *>(instance_->modules), [](const Module &m) { return m.next; })) {
    if (module.number >= modules_.size()) throw base::Error("damaged: the runtime's modules are not numbered");
    modules_[module.number] = module;
    module_addresses_[module.number] = address;
  }
}

void ImageReader::read_contexts() {
  std::vector<ImageContexts::LoadedModule> modules;
  for (const Module &module : modules_) modules.push_back({module_addresses_[module.number], module});
  contexts_ = std::make_unique<const ImageContexts>(memory_, *instance_, std::move(modules), durable_);
  if (contexts_->is_cut_short()) add_note(runtime::note_text(runtime::note_not_durable));
}

void ImageReader::read_threads() {
  for (const auto &[address, thread] :
       read_list(memory_, static_cast<const Thread *>(instance_->threads), [](const Thread &t) { return t.next; }))
    threads_.push_back(thread);
}

void ImageReader::add_exit(uint64_t pc, uint32_t kind, int64_t count, uint64_t path) {
  uint64_t place = kind == CHORD_EXIT_AT_CALL ? pc - 1 : pc;
  for (const Module &module : modules_) {
    auto low = reinterpret_cast<uint64_t>(module.low), high = reinterpret_cast<uint64_t>(module.high);
    if (module.live && place - low < high - low)
      exits_.push_back({pc - module.bias, static_cast<uint64_t>(count), module.number, kind, path});
  }
}

void ImageReader::read_exit_tables() {
  for (const runtime::Records *list : {&instance_->resolved, &instance_->resolved_since})
    for (const chord_exit &exit : records<chord_exit>(memory_, *list))
      exits_.push_back({exit.pc, exit.count, exit.module, exit.kind, exit.path});
  for (const runtime::ExitTable *at = instance_->exits; at != nullptr;) {
    runtime::ExitTable header = memory_.get(at);
    const auto *slots = reinterpret_cast<const runtime::ExitTable::Slot *>(at + 1);
    for (const runtime::ExitTable::Slot &slot : memory_.get_array(slots, header.slots))
      if (slot.count != 0)
        add_exit(slot.key & runtime::exit_pc_bits, static_cast<uint32_t>(slot.key >> runtime::exit_kind_shift),
                 slot.count, slot.path ^ runtime::exit_path_bit);
    at = header.next;
  }
}

void ImageReader::read_jumps() {
  if (instance_->jumps == nullptr) return;
  for (const runtime::JumpPath *first : memory_.get(instance_->jumps).bucket)
    for (const auto &[address, path] : read_list(memory_, first, [](const runtime::JumpPath &p) { return p.next; })) {
      if (path.count == 0) continue;
      const auto *checks = reinterpret_cast<const runtime::JumpPath::Check *>(address + 1);
      const auto *left = reinterpret_cast<const runtime::JumpPath::Left *>(checks + path.checks);
      for (const runtime::JumpPath::Left &frame : memory_.get_array(left, path.frames))
        add_exit(frame.pc, CHORD_EXIT_AT_CALL, path.count, frame.path);
    }
}

void ImageReader::add_unlisted_thread(uint64_t thread_pointer) {
  auto is_same = [&](const Thread &t) { return reinterpret_cast<uint64_t>(t.pointer) == thread_pointer; };
  bool listed = std::any_of(threads_.begin(), threads_.end(), is_same) ||
                std::find(unlisted_.begin(), unlisted_.end(), thread_pointer) != unlisted_.end();
  if (thread_pointer != 0 && !listed) unlisted_.push_back(thread_pointer);
}

void ImageReader::add_note(std::string text) {
  if (std::find(notes_.begin(), notes_.end(), text) == notes_.end()) notes_.push_back(std::move(text));
}

std::vector<ucontext_t> ImageReader::suspended() const {
  std::vector<ucontext_t> all;
  if (instance_->contexts == nullptr) return all;
  for (const ucontext_t *context : memory_.get(instance_->contexts).suspended) {
    ucontext_t copy{};
    if (context != nullptr &&
        memory_.read(reinterpret_cast<uint64_t>(context), &copy, offsetof(ucontext_t, uc_sigmask)))
      all.push_back(copy);
  }
  return all;
}

// ---- Adding up -------------------------------------------------------------------------

bool ImageReader::finds_block(const Module &module, const Thread &thread, runtime::Block &block) const {
  for (const auto &[address, one] : read_list(memory_, static_cast<const runtime::Block *>(thread.blocks),
                                              [](const runtime::Block &b) { return b.next_of_thread; }))
    if (one.module == module_addresses_[module.number]) {
      block = one;
      return true;
    }
  return false;
}

uint64_t ImageReader::events_of(const Module &module, const Thread &thread, uint32_t kind) const {
  runtime::Block block;
  int64_t thread_base = reinterpret_cast<int64_t>(thread.pointer);
  if (!module.events_in_storage) {
    if (!finds_block(module, thread, block)) return 0;
    auto low = reinterpret_cast<uint64_t>(module.delta_low);
    thread_base = reinterpret_cast<int64_t>(block.pages) + static_cast<int64_t>(low & 63) - static_cast<int64_t>(low);
  }
  return events_at(module.events + thread_base, kind);
}

uint64_t ImageReader::events_at(int64_t array, uint32_t kind) const {
  const uint64_t *counter = reinterpret_cast<const uint64_t *>(array) + kind;
  uint64_t sum = 0 - memory_.get(counter + CHORD_EVENT_BIAS);
  for (uint32_t part = 0; part < CHORD_EVENT_PARTS; ++part) sum += memory_.get(counter + part * CHORD_EVENT_KINDS);
  return sum;
}

// What was settled, and what threads have counted since.
std::vector<format::ThreadEvents> ImageReader::events_by_thread() const {
  std::vector<format::ThreadEvents> all;
  for (const runtime::Records *list : {&instance_->settled, &instance_->settled_since})
    for (const chord_thread_events &e : records<chord_thread_events>(memory_, *list))
      all.push_back({e.thread, e.kind, e.count});
  for (const Thread &thread : threads_) {
    if (durable_ || thread.paused != nullptr) continue;
    for (uint32_t kind = 0; kind < CHORD_EVENT_KINDS; ++kind) {
      uint64_t fresh = 0 - thread.settled[kind];
      for (const Module &module : modules_)
        if (module.events != 0) fresh += events_of(module, thread, kind);
      if (fresh != 0) all.push_back({thread.number, kind, fresh});
    }
  }
  return all;
}

// What one thread counted, or, without one, all that count in common.
std::vector<uint64_t> ImageReader::counters_of(const Module &module, const chord_proc &proc, uint64_t record,
                                               const Thread *thread) const {
  auto read = [&](uint64_t address) { return memory_.get_array(reinterpret_cast<const uint64_t *>(address), proc.count); };
  const bool is_event = proc.kind == CHORD_COUNTERS_EVENT;
  bool in_storage = proc.kind == CHORD_COUNTERS_THREAD || (is_event && module.events_in_storage);
  if (proc.kind == CHORD_COUNTERS_RECORD || (durable_ && (in_storage || thread == nullptr))) return {};
  if (thread == nullptr && is_event && !in_storage) return {events_at(module.events, static_cast<uint32_t>(proc.counters))};
  if (thread == nullptr) return in_storage ? std::vector<uint64_t>() : read(shared_array(proc, record));
  auto pointer = reinterpret_cast<uint64_t>(thread->pointer);
  if (proc.kind == CHORD_COUNTERS_THREAD)
    return read(pointer + static_cast<uint64_t>(int64_t{static_cast<int32_t>(proc.counters)}));
  if (is_event) return {events_of(module, *thread, static_cast<uint32_t>(proc.counters))};
  runtime::Block block;
  if (proc.kind != CHORD_COUNTERS_DELTA || !finds_block(module, *thread, block)) return {};
  auto low = reinterpret_cast<uint64_t>(module.delta_low);
  return read(shared_array(proc, record) - low + (low & 63) + reinterpret_cast<uint64_t>(block.pages));
}

void ImageReader::add_thread(const Module &module, const std::vector<chord_proc> &procs, const Thread &thread,
                             std::vector<uint64_t> &into) const {
  for (const auto &[address, paused] : read_list(memory_, static_cast<const runtime::Paused *>(thread.paused),
                                                 [](const runtime::Paused &p) { return p.next; }))
    if (paused.module == module_addresses_[module.number])
      return add(memory_.get_array(static_cast<const uint64_t *>(paused.counters), module.counters), into.data());
  size_t at = 0;
  for (size_t i = 0; i < procs.size(); at += procs[i].count, ++i)
    add(counters_of(module, procs[i], reinterpret_cast<uint64_t>(module.procs + i), &thread), into.data() + at);
}

std::vector<uint64_t> ImageReader::totals(const Module &module, const std::vector<chord_proc> &procs,
                                          const std::vector<Module::Shape> &shape) const {
  std::vector<uint64_t> sum = memory_.get_array(static_cast<const uint64_t *>(module.merged), module.counters);
  std::vector<uint64_t> written = memory_.get_array(static_cast<const uint64_t *>(module.written), module.counters);
  size_t at = 0;
  for (size_t i = 0; i < procs.size(); at += procs[i].count, ++i)
    add(counters_of(module, procs[i], reinterpret_cast<uint64_t>(module.procs + i), nullptr), sum.data() + at);
  if (!procs.empty()) {
    for (const Thread &thread : threads_) add_thread(module, procs, thread, sum);
    for (uint64_t pointer : unlisted_) {
      Thread thread{};
      thread.pointer = reinterpret_cast<char *>(pointer);
      add_thread(module, procs, thread, sum);
    }
  }
  contexts_->add_counters(module.number, sum);
  for (size_t i = 0; i < sum.size(); ++i) sum[i] -= written[i];
  at = 0;
  for (size_t i = 0; i < shape.size(); at += shape[i].count, ++i) {
    if (shape[i].kind != CHORD_COUNTERS_NUMBERS) continue;
    // Numbers are not added up: they are what they are now, or were when the module was unloaded.
    std::vector<uint64_t> now = memory_.get_array(static_cast<const uint64_t *>(module.merged) + at, shape[i].count);
    if (i < procs.size() && !durable_)
      now = counters_of(module, procs[i], reinterpret_cast<uint64_t>(module.procs + i), nullptr);
    std::copy(now.begin(), now.end(), sum.begin() + static_cast<ptrdiff_t>(at));
  }
  return sum;
}

// Counters by what they stand for; the last one stands for nothing.
format::ModuleProfile::Procedure ImageReader::by_number(uint64_t key, const uint64_t *numbers, const uint64_t *counters, size_t count) {
  format::ModuleProfile::Procedure p{key, {}, true, {}};
  for (size_t i = 0; i < count; ++i)
    if (counters[i] != 0 && i + 1 < count) {
      if (numbers[i] != 0)
        p.numbers.emplace_back(numbers[i] - 1, counters[i]);
      else
        add_note("which paths some counters stood for did not survive; their counts are missing (programs that count paths keep "
                 "no counts that survive)");
    }
  std::sort(p.numbers.begin(), p.numbers.end());
  return p;
}

format::ModuleProfile ImageReader::profile_of(const Module &module) {
  format::ModuleProfile profile;
  profile.path = text_of(module.path);
  profile.bias = module.bias;
  profile.build_id.assign(reinterpret_cast<const char *>(module.build_id),
                          std::min<size_t>(module.build_id_size, sizeof module.build_id));
  std::vector<chord_proc> procs;
  if (module.live) procs = memory_.get_array(module.procs, module.proc_count);
  std::vector<Module::Shape> shape(procs.size());
  std::transform(procs.begin(), procs.end(), shape.begin(),
                 [](const chord_proc &p) { return Module::Shape{p.key, p.count, p.kind}; });
  if (!module.live) shape = memory_.get_array(static_cast<const Module::Shape *>(module.shape), module.proc_count);
  size_t counters = 0;
  for (const Module::Shape &one : shape) counters += one.count;
  if (counters != module.counters) throw base::Error(fmt::format("damaged: the counters of {}", profile.path));
  std::vector<uint64_t> sum = totals(module, procs, shape);
  const uint64_t *at = sum.data(), *numbers = nullptr;
  for (const Module::Shape &one : shape) {
    if (one.kind == CHORD_COUNTERS_NUMBERS)
      numbers = at;
    else if (numbers != nullptr)
      profile.procedures.push_back(by_number(one.key, std::exchange(numbers, nullptr), at, one.count));
    else
      profile.procedures.push_back({one.key, {at, at + one.count}, false, {}});
    at += one.count;
  }
  return profile;
}

std::string ImageReader::place() const { return fact_of(*instance_, instance_->out_at); }

format::Segment ImageReader::finish(uint32_t end, uint32_t status, uint64_t end_ns) {
  format::Segment segment;
  segment.pid = instance_->pid;
  segment.start_ns = instance_->start_ns;
  segment.end_ns = end_ns;
  segment.threads = instance_->threads_seen + unlisted_.size();
  segment.end = end;
  segment.status = status;
  segment.flags = end == CHORD_END_DUMP ? uint32_t{CHORD_SEGMENT_LIVE} : 0u;
  segment.executable = text_of(instance_->executable);
  segment.folder = fact_of(*instance_, instance_->folder_at);
  segment.label = text_of(instance_->label);
  segment.arguments = arguments_of(*instance_);
  for (const Module &module : modules_) segment.modules.push_back(profile_of(module));
  std::map<std::tuple<uint32_t, uint64_t, uint32_t, uint64_t>, uint64_t> sums;
  for (const format::EarlyExit &exit : exits_) sums[{exit.module, exit.pc, exit.kind, exit.path}] += exit.count;
  for (const auto &[place, count] : sums) {
    const auto &[module, pc, kind, path] = place;
    if (count != 0) segment.exits.push_back({pc, count, module, kind, path});
  }
  segment.thread_events = events_by_thread();
  segment.contexts = contexts_->counts();
  for (uint32_t note = 1; note < runtime::note_end; note *= 2)
    if ((instance_->notes & note) != 0) add_note(runtime::note_text(note));
  segment.notes = notes_;
  return segment;
}

}  // namespace chord::analysis
