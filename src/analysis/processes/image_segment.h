// What a process had counted, out of the runtime's own structures in its memory
// (abi/chord_process.h): the segment it would have written, had it been able to.
//
// The sums are those of runtime/process/modules.cc and stack/exits.cc, from outside: per counter,
// merged + every thread's own - already written.
#pragma once

#include <memory>
#include <vector>

#include "analysis/processes/image_contexts.h"
#include "analysis/processes/process_image.h"
#include "chord_notes.h"
#include "chord_process.h"
#include "format/profile/profile.h"

namespace chord::analysis {

// The runtime's instance, found through the objects' "chord" notes. Throws Error if
// no object has one, or only ones of another version.
const runtime::Instance *find_instance(const ImageMemory &memory, const std::vector<LoadedObject> &objects);

class ImageReader {
 public:
  // Throws Error if the process had written its counts itself. The memory must outlive it.
  // `durable`: it is what a live file kept, without thread-local storage and stacks.
  ImageReader(const ImageMemory &memory, const runtime::Instance *instance, bool durable);

  const runtime::Instance &instance() const { return *instance_; }
  std::string place() const;  // of its profile
  const std::vector<runtime::Thread> &threads() const { return threads_; }
  const std::vector<runtime::Module> &modules() const { return modules_; }

  // A thread that the runtime never met counts, too: where its storage is.
  void add_unlisted_thread(uint64_t thread_pointer);
  // `count` activations stood at pc when the process ended.
  void add_exit(uint64_t pc, uint32_t kind, int64_t count, uint64_t path = 0);
  void add_note(std::string text);
  // How an early exit names the context whose record, of the procedure with this id, an activation keeps; 0: that is none.
  uint64_t context_name(uint64_t record, uint32_t id) const { return contexts_->name_of(record, id); }
  // Contexts that swapcontext left.
  std::vector<ucontext_t> suspended() const;

  // Everything added up. Ends the reader.
  format::Segment finish(uint32_t end, uint32_t status, uint64_t end_ns);

 private:
  void read_modules();
  void read_threads();
  void read_contexts();
  void read_exit_tables();
  void read_jumps();
  std::vector<format::ThreadEvents> events_by_thread() const;
  uint64_t events_of(const runtime::Module &module, const runtime::Thread &thread, uint32_t kind) const;
  uint64_t events_at(int64_t array, uint32_t kind) const;
  std::vector<uint64_t> totals(const runtime::Module &module, const std::vector<chord_proc> &procs,
                               const std::vector<runtime::Module::Shape> &shape) const;
  format::ModuleProfile::Procedure by_number(uint64_t key, const uint64_t *numbers, const uint64_t *counters, size_t count);
  void add_thread(const runtime::Module &module, const std::vector<chord_proc> &procs, const runtime::Thread &thread,
                  std::vector<uint64_t> &into) const;
  std::vector<uint64_t> counters_of(const runtime::Module &module, const chord_proc &proc, uint64_t record,
                                    const runtime::Thread *thread) const;
  bool finds_block(const runtime::Module &module, const runtime::Thread &thread, runtime::Block &block) const;
  format::ModuleProfile profile_of(const runtime::Module &module);

  const ImageMemory &memory_;
  bool durable_;
  std::shared_ptr<const runtime::Instance> instance_;
  std::vector<runtime::Module> modules_;  // by number
  std::vector<const runtime::Module *> module_addresses_;
  std::unique_ptr<const ImageContexts> contexts_;
  std::vector<runtime::Thread> threads_;
  std::vector<uint64_t> unlisted_;
  std::vector<format::EarlyExit> exits_;
  std::vector<std::string> notes_;
};

}  // namespace chord::analysis
