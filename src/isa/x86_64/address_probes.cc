// Writing addresses down, for x86-64.
//
//     leaq   ADDRESS+1,a
//     movl   $8,s
//     xaddq  s,%fs:__chord_addresses@tpoff      takes the place of a word
//     movq   a,(s)
//     cmpq   %fs:__chord_addresses@tpoff+8,s
//     jae    out                                asks for more room; what was written is in the slack
//   back:
#include <chord_abi.h>
#include <chord_traces.h>
#include <fmt/core.h>

#include "isa/addresses.h"
#include "isa/x86_64/model_text.h"

namespace chord::isa {

ProbeWithOutside write_address(const AddressProbe &p, Resources live) {
  Scratch scratch = take_scratch(live, p.shared_object ? 3 : 2, 0);
  const std::string a = reg(scratch.registers[0]), s = reg(scratch.registers[1]);
  const std::string offset = p.shared_object ? reg(scratch.registers[2]) : "";
  auto word = [&](int at) { return p.shared_object ? fmt::format("{}({})", at, offset) : fmt::format("%fs:{}@tpoff+{}", CHORD_ADDRESSES_SYMBOL, at); };
  Snippet body;
  auto line = [&](const std::string &text) {
    body.text += "\t" + text + "\n";
    ++body.price;
  };
  if (p.at.thread_segment) line("addq\t%fs:0," + a);
  if (p.shared_object) {
    line(fmt::format("movq\t{}" CHORD_HOME_SUFFIX "(%rip),{}", CHORD_ADDRESSES_SYMBOL, offset));
    line(fmt::format("movq\t%fs:({0}),{0}", offset));
    line(fmt::format("addq\t{}" CHORD_HOME_SUFFIX "+8(%rip),{}", CHORD_ADDRESSES_SYMBOL, offset));
  }
  line("movl\t$8," + low_half(scratch.registers[1]));
  line(fmt::format("xaddq\t{},{}", s, word(0)));
  line(fmt::format("movq\t{},({})", a, s));
  line(fmt::format("cmpq\t{},{}", word(8), s));
  line("jae\t" + p.out);
  body.text += p.back + ":\n";
  ProbeWithOutside out;
  DataAddress at = p.at;
  ++at.plus;
  out.inside = keep(scratch, compute_address(at, scratch.registers[0], scratch.depth()), std::move(body), live);
  out.outside.moves_stack = true;
  out.outside.price = 4;
  out.outside.text = move_stack(-kRedZone) + "\tcall\t__chord_addresses_more\n" + move_stack(kRedZone) + fmt::format("\tjmp\t{}\n", p.back);
  return out;
}

}  // namespace chord::isa
