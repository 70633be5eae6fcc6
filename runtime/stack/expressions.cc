// DWARF expressions (DWARF 5, section 2.5), as unwind rules use them: a small stack machine over
// registers and memory. See cfi.h.
#include <sys/uio.h>

#include "stack/cfi.h"
#include "system/cursor.h"

namespace chord::runtime {

bool read_safely(const void *from, void *into, size_t size) {
  iovec here{into, size}, there{const_cast<void *>(from), size};
  return kernel(SYS_process_vm_readv, process_id(), arg(&here), 1, arg(&there), 1, 0) ==
         static_cast<long>(size);
}

bool Memory::read(uint64_t address, uint64_t &value) const {
  if (!safe_) {
    value = *reinterpret_cast<const uint64_t *>(address);
    return true;
  }
  return read_safely(reinterpret_cast<const void *>(address), &value, sizeof value);
}

namespace {

bool binary(uint8_t op, uint64_t *stack, int &top) {
  if (top < 2) return false;
  uint64_t right = stack[--top], &left = stack[top - 1];
  auto signed_left = static_cast<int64_t>(left), signed_right = static_cast<int64_t>(right);
  switch (op) {
    case 0x1a:
      left &= right;
      return true;
    case 0x1c:
      left -= right;
      return true;
    case 0x1e:
      left *= right;
      return true;
    case 0x21:
      left |= right;
      return true;
    case 0x22:
      left += right;
      return true;
    case 0x24:
      left <<= right & 63;
      return true;
    case 0x25:
      left >>= right & 63;
      return true;
    case 0x26:
      left = static_cast<uint64_t>(signed_left >> (right & 63));
      return true;
    case 0x27:
      left ^= right;
      return true;
    case 0x29:
      left = left == right;
      return true;
    case 0x2a:
      left = signed_left >= signed_right;
      return true;
    case 0x2b:
      left = signed_left > signed_right;
      return true;
    case 0x2c:
      left = signed_left <= signed_right;
      return true;
    case 0x2d:
      left = signed_left < signed_right;
      return true;
    case 0x2e:
      left = left != right;
      return true;
    default:
      return false;
  }
}

bool push_operand(uint8_t op, Cursor &cursor, const Registers &registers, uint64_t &value) {
  if (op >= 0x30 && op <= 0x4f)
    value = op - 0x30u;  // lit0..31
  else if (op >= 0x70 && op <= 0x80)
    value = registers.r[op - 0x70] + static_cast<uint64_t>(cursor.sleb());
  else if (op == 0x08)
    value = cursor.take<uint8_t>();
  else if (op == 0x09)
    value = static_cast<uint64_t>(int64_t{cursor.take<int8_t>()});
  else if (op == 0x0a)
    value = cursor.take<uint16_t>();
  else if (op == 0x0b)
    value = static_cast<uint64_t>(int64_t{cursor.take<int16_t>()});
  else if (op == 0x0c)
    value = cursor.take<uint32_t>();
  else if (op == 0x0d)
    value = static_cast<uint64_t>(int64_t{cursor.take<int32_t>()});
  else if (op == 0x0e || op == 0x0f)
    value = cursor.take<uint64_t>();
  else if (op == 0x10)
    value = cursor.uleb();
  else if (op == 0x11)
    value = static_cast<uint64_t>(cursor.sleb());
  else
    return false;
  return true;
}

}  // namespace

bool evaluate(const uint8_t *expression, const Registers &registers, const Memory &memory,
              const uint64_t *cfa, uint64_t &result) {
  Cursor cursor{expression};
  uint64_t size = cursor.uleb();
  const uint8_t *end = cursor.at + size;
  uint64_t stack[16];
  int top = 0;
  if (cfa != nullptr) stack[top++] = *cfa;
  while (cursor.at < end) {
    uint8_t op = cursor.take<uint8_t>();
    if (top == 16) return false;
    if (push_operand(op, cursor, registers, stack[top])) {
      ++top;
    } else if (op == 0x06) {  // deref
      if (top == 0 || !memory.read(stack[top - 1], stack[top - 1])) return false;
    } else if (op == 0x23) {  // plus_uconst
      if (top == 0) return false;
      stack[top - 1] += cursor.uleb();
    } else if (op == 0x12) {  // dup
      if (top == 0) return false;
      stack[top] = stack[top - 1];
      ++top;
    } else if (op != 0x96 && !binary(op, stack, top)) {
      return false;
    }
  }
  if (top == 0) return false;
  result = stack[top - 1];
  return true;
}

}  // namespace chord::runtime
