// Records of calling contexts in the memory of a process that is no more (abi/chord_activations.h): what the runtime would have
// written of them, and which one an activation counted in.
#pragma once

#include <map>
#include <span>
#include <vector>

#include "analysis/processes/process_image.h"
#include "chord_process.h"
#include "format/profile/profile.h"

namespace chord::analysis {

class ImageContexts {
 public:
  // A module as the process knew it, and where that knowledge lay.
  struct LoadedModule {
    const runtime::Module *address;
    runtime::Module module;
  };
  // By number. The memory must outlive it. `durable`: records that modules hold themselves are not there.
  ImageContexts(const ImageMemory &memory, const runtime::Instance &instance, std::vector<LoadedModule> modules, bool durable);

  // Adds what records of the module's procedures hold that its totals do not.
  void add_counters(uint32_t module, std::span<uint64_t> into) const;
  // How an early exit names the record (chord_exit::path), or 0 if that is no record, nor a path of one, of the procedure with this id.
  uint64_t name_of(uint64_t address, uint32_t id) const;
  // Since the last segment.
  std::vector<format::ContextCounts> counts() const;
  // Some could not be read.
  bool is_cut_short() const { return cut_short_; }

 private:
  struct Record {
    uint32_t id = 0, thread = 0, module = 0, kind = 0, site = 0, sites = 0, span = 0;
    uint64_t procedure = 0, parent = 0, key = 0;
    size_t first = 0;      // among the module's counters
    bool totalled = false;  // its module is gone, with its counts in the totals
    std::vector<uint64_t> counters, written;
  };
  // A record's procedure, as its module describes it.
  struct Place {
    chord_context_proc context;
    chord_proc proc;
    uint32_t module;
    size_t first;
  };

  void list_procedures(uint32_t number);
  const Place &place_of(const chord_context_proc *address);
  void read_tree(const runtime::CallTree &tree);
  void read_spares(uint32_t number);
  void add(const chord_context_record *address, const chord_context_record &record, const uint64_t *counters);

  const ImageMemory &memory_;
  std::vector<LoadedModule> modules_;
  std::map<const chord_context_proc *, Place> places_;
  std::map<uint64_t, Record> records_;  // by address
  std::vector<uint64_t> order_;         // as they were made
  bool last_is_written_;
  bool cut_short_ = false;
};

}  // namespace chord::analysis
