// Where indirect jumps lead: tables of addresses, found by what registers hold on all paths to the jump.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "verify/program/program.h"

namespace chord::verify {

class Tables {
 public:
  explicit Tables(const Program &program);

  // The jump is known to go where an entry of one table leads.
  bool known(uint32_t jump) const { return table_of_.contains(jump); }
  // Instructions of its function; all that anything names if the table is not known.
  const std::vector<uint32_t> &targets(uint32_t jump) const;
  // No word in memory holds an address inside the function: its labels are named only by tables that count from their own
  // address, and what is made of an entry is not stored.
  bool keeps_addresses_out_of_memory(uint32_t function) const;

 private:
  // What a register holds: the address of a table, or something made of an entry.
  struct Value {
    uint32_t table = kNone;
    bool entry = false;
    bool operator==(const Value &) const = default;
  };
  using State = std::array<Value, 16>;

  void look_at(uint32_t function);
  State behind(uint32_t instruction, const State &before) const;
  Value loaded(uint32_t instruction, const State &before) const;
  uint32_t table_read(uint32_t jump, const State &before) const;
  uint32_t table_named(uint32_t instruction) const;
  bool counts_from_its_table(const Mention &mention) const;
  bool stores_entry(uint32_t instruction, const State &before) const;

  const Program &p_;
  std::map<uint32_t, std::map<uint32_t, std::vector<uint32_t>>> entries_;  // function -> table -> instructions
  std::map<uint32_t, uint32_t> table_of_;                                  // jump -> table
  std::set<uint32_t> stored_;                                              // functions whose addresses may be in memory
};

}  // namespace chord::verify
