// Zydis as the decoder uses it: private to x86_64_decode.cc and x86_64_stack.cc, the only
// files that know it.
#pragma once

#include <Zydis/Zydis.h>

#include <array>
#include <string_view>

#include "isa/isa.h"

namespace chord::isa::zydis {

using Instruction = ZydisDecodedInstruction;
using Operands = std::array<ZydisDecodedOperand, ZYDIS_MAX_OPERAND_COUNT>;

// False if the bytes do not start with an instruction.
inline bool decode(std::string_view bytes, Instruction &in, Operands &ops) {
  static const ZydisDecoder decoder = [] {
    ZydisDecoder d;
    ZydisDecoderInit(&d, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
    return d;
  }();
  return ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, bytes.data(), bytes.size(), &in, ops.data()));
}

// Decoded::stack, of an instruction whose flow and registers are known already (x86_64_stack.cc).
void follow_stack(const Instruction &in, const Operands &ops, Decoded &out);

}  // namespace chord::isa::zydis
