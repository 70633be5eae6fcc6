// The original text as the proof reads it: instructions in the order of their sections, where
// each goes on, which function it belongs to, and every place that names code.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "assembly/text/layout.h"
#include "assembly/text/source.h"
#include "format/map/map.h"
#include "verify/program/x86_64_facts.h"

namespace chord::verify {

inline constexpr uint32_t kNone = UINT32_MAX;

struct Instr {
  Facts facts;
  uint32_t first = 0, last = 0;  // statements
  uint32_t offset = 0;           // in its section
  uint32_t function = kNone;
  uint32_t next = kNone;         // the instruction after it in its section
  uint32_t target = kNone;       // direct branches: the instruction they lead to, if it is here
  uint32_t padding = 0;          // instructions that an alignment puts in front of it
  bool to_end = false;           // a branch to where its function ends, which is where another begins
  bool dead_end = false;         // a call that does not return: unwind rules after it are for another stack
  std::string_view callee;       // direct branches: the symbol they name, without @PLT
};

// The statements, from the first up to the last, whose calls may land in one place: a record of an exception table.
struct CallRegion {
  uint32_t from = 0, to = kNone;
};

struct Function {
  std::string_view name;
  bool global = false;
  bool address_taken = false;         // other than by calls and jumps
  bool address_loaded = false;        // likewise, by an instruction: callers through a register may know it
  bool callers_known = false;         // they are all in `callers`
  std::vector<uint32_t> instructions;
  std::vector<uint32_t> callers;      // calls and jumps from elsewhere to its start
  std::vector<uint32_t> landings;     // instructions that exception tables name
  std::vector<CallRegion> regions;    // by landing: the calls that lead there
  std::vector<uint32_t> named;        // those that other data or instructions name
  uint32_t entry = kNone;             // instruction
};

// A word of data, or an operand, that names a place in code.
struct Mention {
  uint32_t statement = 0;
  uint32_t operand = 0;
  uint32_t label = 0;        // statement of the label
  uint32_t instruction = 0;  // that follows it
  bool lands = false;        // a landing pad in an exception table
  uint32_t table = kNone;    // data: statement of the label in front of it; kNone in instructions
};

class Program {
 public:
  Program(const assembly::Source &source, const assembly::Layout &layout, const format::UnitMap &map);

  const assembly::Source &source() const { return source_; }
  const std::vector<Instr> &instrs() const { return instrs_; }
  const std::vector<Function> &functions() const { return functions_; }
  const std::vector<Mention> &mentions() const { return mentions_; }

  // The statement of the label that a branch at statement `from` names, or kNone.
  uint32_t label(std::string_view name, uint32_t from) const;
  // The first instruction at or after a statement, in its section.
  uint32_t instr_from(uint32_t statement) const { return at_or_behind_[statement]; }
  std::string_view bytes(uint32_t instruction) const;
  // The instruction that starts at these bytes of the section of a statement.
  uint32_t instr_at(uint32_t section, uint32_t offset) const;
  // An alignment makes an instruction of these bytes.
  bool is_padding(uint32_t section, uint32_t offset, uint32_t size) const;
  // Instructions of padding that who arrives at a label executes in front of an instruction.
  uint32_t padding_from(uint32_t label, uint32_t instruction) const;
  uint32_t function_named(std::string_view name) const;
  uint32_t offset_of(uint32_t statement) const { return layout_.places[statement].begin; }
  uint64_t section_size(uint32_t section) const { return layout_.contents[section].size(); }
  // Some instruction here touches more than 128 bits of a vector register.
  bool uses_wide_vectors() const { return wide_; }
  bool defines(std::string_view name) const { return labels_.contains(name); }

 private:
  void index_labels(const format::UnitMap &map);
  void decode();
  void decode_section(uint32_t section, const std::vector<uint32_t> &statements);
  void add(uint32_t first, uint32_t last, uint32_t offset, const Facts &facts);
  void join_functions(const format::UnitMap &map);
  void follow();
  void find_mentions();
  void find_known_callers();
  bool belongs(uint32_t label, uint32_t function) const;
  void find_dead_ends();
  void mention(uint32_t statement, uint32_t operand, std::string_view name, const CallRegion *lands, uint32_t table);
  uint32_t label_in(uint32_t statement) const;

  const assembly::Source &source_;
  const assembly::Layout &layout_;
  std::vector<Instr> instrs_;
  std::vector<Function> functions_;
  std::vector<Mention> mentions_;
  std::unordered_map<std::string_view, uint32_t> labels_;
  std::unordered_map<std::string_view, std::vector<uint32_t>> numeric_;
  std::unordered_map<std::string_view, std::string_view> alias_;
  std::unordered_map<std::string_view, uint32_t> function_named_;
  std::unordered_map<uint32_t, uint32_t> function_at_;  // label statement -> function
  std::unordered_map<uint64_t, uint32_t> by_place_;     // section and offset -> instruction
  std::unordered_map<uint64_t, uint32_t> padding_;      // section and offset -> size
  std::vector<uint32_t> at_or_behind_;
  bool wide_ = false;
};

bool is_numeric_label(std::string_view name);
// Statement of a numeric label as a branch at `from` means it ("1f"), given all places of that number.
uint32_t numeric_target(const std::vector<uint32_t> &places, bool forward, uint32_t from);

}  // namespace chord::verify
