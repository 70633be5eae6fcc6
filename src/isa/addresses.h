// What the addresses of accesses to memory are made of, and what instructions make of the registers in them; and probes that write addresses
// down (abi/chord_traces.h).
//
// Registers by number, as a bit each in sets of 16.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "isa/models.h"

namespace chord::isa {

// base + index * scale + number; whatever is not there is 0.
struct AddressForm {
  unsigned base = kNoRegister, index = kNoRegister;
  uint8_t scale = 1;
  int64_t number = 0;
  bool from_end = false;     // and where the instruction ends
  bool from_thread = false;  // and the thread pointer

  uint32_t registers() const { return (base != kNoRegister ? 1u << base : 0) | (index != kNoRegister ? 1u << index : 0); }
};

struct AddressFacts {
  struct Made {
    AddressForm at;
    uint32_t bytes = 0;
    bool reads = false, writes = false;
    Access::Place place = Access::Place::operand;
    // Of an instruction that makes two: this one's place is on the stack, or that of a string's target.
    bool is_other() const { return place != Access::Place::operand && place != Access::Place::source; }
  };
  std::vector<Made> accesses;   // in the order in which they are made
  bool repeated = false;        // all of them, as often as the counting register says
  std::string_view unknown;     // why they cannot be told; empty: they can
  uint32_t changes = 0;         // registers that are something else afterwards
  // `into` becomes this sum, computed before anything changes; kNoRegister: nothing that is known does.
  unsigned into = kNoRegister;
  AddressForm sum;
  bool half = false;            // its lower half, and the upper one becomes 0
  bool forgets = false;         // nothing is known of any register afterwards (system calls and the like)
  uint8_t size = 0;
};
inline constexpr unsigned kCountingRegister = 1;

AddressFacts address_facts(std::string_view bytes);

// Writes base + number, or where an operand is, to the thread's stream of addresses, each plus 1.
struct AddressProbe {
  DataAddress at;
  bool shared_object = false;
  std::string out, back;  // labels
};
ProbeWithOutside write_address(const AddressProbe &probe, Resources live);

}  // namespace chord::isa
