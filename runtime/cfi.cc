// See cfi.h. Only what compilers, linkers and hand-written unwind information of
// x86-64 Linux use; anything else ends the walk, which is then reported.
#include "cfi.h"

#include <sys/uio.h>

namespace chord::runtime {
namespace {

// Where the reading position of a byte sequence is.
struct Cursor {
  const uint8_t *at;

  template <class T>
  T take() {
    T value = load<T>(at);
    at += sizeof(T);
    return value;
  }
  uint64_t uleb() {
    uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
      uint8_t byte = *at++;
      if (shift < 64) value |= static_cast<uint64_t>(byte & 0x7f) << shift;
      if ((byte & 0x80) == 0) return value;
    }
  }
  int64_t sleb() {
    uint64_t value = 0;
    for (unsigned shift = 0;;) {
      uint8_t byte = *at++;
      value |= static_cast<uint64_t>(byte & 0x7f) << shift;
      shift += 7;
      if ((byte & 0x80) != 0) continue;
      if (shift < 64 && (byte & 0x40) != 0) value |= ~uint64_t{0} << shift;
      return static_cast<int64_t>(value);
    }
  }
  // A pointer in one of the DW_EH_PE encodings; `base` for data-relative ones.
  bool pointer(uint8_t encoding, uint64_t base, uint64_t &value) {
    uint64_t place = reinterpret_cast<uint64_t>(at);
    switch (encoding & 0x0f) {
      case 0x00:
      case 0x04:
      case 0x0c:
        value = take<uint64_t>();
        break;
      case 0x01:
        value = uleb();
        break;
      case 0x02:
        value = take<uint16_t>();
        break;
      case 0x03:
        value = take<uint32_t>();
        break;
      case 0x09:
        value = static_cast<uint64_t>(sleb());
        break;
      case 0x0a:
        value = static_cast<uint64_t>(int64_t{take<int16_t>()});
        break;
      case 0x0b:
        value = static_cast<uint64_t>(int64_t{take<int32_t>()});
        break;
      default:
        return false;
    }
    if (value == 0) return true;
    if ((encoding & 0x70) == 0x10)
      value += place;
    else if ((encoding & 0x70) == 0x30)
      value += base;
    else if ((encoding & 0x70) != 0)
      return false;
    return true;
  }
};

// What a common information entry says.
struct Common {
  const uint8_t *program, *program_end;
  uint64_t code_factor;
  int64_t data_factor;
  uint64_t return_register;
  uint8_t pointer_encoding = 0;
  bool has_augmentation_size = false;
  bool signal_frame = false;
};

bool read_common(const uint8_t *entry, Common &common) {
  Cursor cursor{entry};
  uint32_t size = cursor.take<uint32_t>();
  common.program_end = cursor.at + size;
  cursor.take<uint32_t>();
  uint8_t version = cursor.take<uint8_t>();
  const char *augmentation = reinterpret_cast<const char *>(cursor.at);
  cursor.at += length(augmentation) + 1;
  common.code_factor = cursor.uleb();
  common.data_factor = cursor.sleb();
  common.return_register = version == 1 ? cursor.take<uint8_t>() : cursor.uleb();
  if (augmentation[0] == 0) {
    common.program = cursor.at;
    return true;
  }
  if (augmentation[0] != 'z') return false;
  common.has_augmentation_size = true;
  uint64_t data_size = cursor.uleb();
  common.program = cursor.at + data_size;
  for (const char *letter = augmentation + 1; *letter != 0; ++letter) {
    uint64_t ignored;
    if (*letter == 'R')
      common.pointer_encoding = cursor.take<uint8_t>();
    else if (*letter == 'L')
      cursor.take<uint8_t>();
    else if (*letter == 'P') {
      uint8_t encoding = cursor.take<uint8_t>();
      if (!cursor.pointer(encoding & 0x7f, 0, ignored)) return false;
    } else if (*letter == 'S')
      common.signal_frame = true;
    else
      return false;
  }
  return true;
}

const uint8_t *common_of(const uint8_t *entry) { return entry + 4 - load<uint32_t>(entry + 4); }

bool read_range(const uint8_t *entry, const Common &common, uint64_t &begin, uint64_t &size, Cursor &cursor) {
  cursor.at = entry + 8;
  return cursor.pointer(common.pointer_encoding, 0, begin) &&
         cursor.pointer(common.pointer_encoding & 0x0f, 0, size);
}

// The little machine of call frame instructions.
struct Machine {
  const Common &common;
  uint64_t wanted;  // stop before the first instruction that is for a later pc
  uint64_t location;
  Row row{};
  Row initial{};
  Row saved[4]{};
  int depth = 0;

  bool set(uint64_t reg, How how, int64_t value) {
    if (reg < 17) {
      row.how[reg] = how;
      row.value[reg] = value;
    }
    return true;  // vector registers and the like are not ours to restore
  }
  void define(uint64_t reg, int64_t offset) {
    row.cfa_expression = nullptr;
    row.cfa_register = static_cast<uint8_t>(reg);
    row.cfa_offset = offset;
  }
  const uint8_t *block(Cursor &cursor) {
    const uint8_t *start = cursor.at;
    uint64_t size = cursor.uleb();
    cursor.at += size;
    return start;
  }
  bool run(const uint8_t *program, const uint8_t *end);
  bool extended(uint8_t op, Cursor &cursor);
  bool set_cfa(uint8_t op, Cursor &cursor);
};

bool Machine::set_cfa(uint8_t op, Cursor &cursor) {
  switch (op) {
    case 0x0c: {  // def_cfa
      uint64_t reg = cursor.uleb();
      define(reg, static_cast<int64_t>(cursor.uleb()));
      return reg < 17;
    }
    case 0x12: {  // def_cfa_sf
      uint64_t reg = cursor.uleb();
      define(reg, cursor.sleb() * common.data_factor);
      return reg < 17;
    }
    case 0x0d: {  // def_cfa_register
      uint64_t reg = cursor.uleb();
      define(reg, row.cfa_offset);
      return reg < 17;
    }
    case 0x0e:
      row.cfa_offset = static_cast<int64_t>(cursor.uleb());
      return true;
    case 0x13:
      row.cfa_offset = cursor.sleb() * common.data_factor;
      return true;
    case 0x0f:
      row.cfa_expression = block(cursor);
      return true;
    default:
      return false;
  }
}

bool Machine::extended(uint8_t op, Cursor &cursor) {
  uint64_t reg;
  switch (op) {
    case 0x00:
      return true;  // nop
    case 0x01:
      return cursor.pointer(common.pointer_encoding, 0, location);
    case 0x02:
      location += cursor.take<uint8_t>() * common.code_factor;
      return true;
    case 0x03:
      location += cursor.take<uint16_t>() * common.code_factor;
      return true;
    case 0x04:
      location += cursor.take<uint32_t>() * common.code_factor;
      return true;
    case 0x05:  // offset_extended
      reg = cursor.uleb();
      return set(reg, How::at_offset, static_cast<int64_t>(cursor.uleb()) * common.data_factor);
    case 0x06:  // restore_extended
      reg = cursor.uleb();
      return reg >= 17 || set(reg, initial.how[reg], initial.value[reg]);
    case 0x07:
      return set(cursor.uleb(), How::undefined, 0);
    case 0x08:
      return set(cursor.uleb(), How::same, 0);
    case 0x09:
      reg = cursor.uleb();
      return set(reg, How::in_register, static_cast<int64_t>(cursor.uleb()));
    case 0x0a:
      if (depth == 4) return false;
      saved[depth++] = row;
      return true;
    case 0x0b:
      if (depth == 0) return false;
      row = saved[--depth];
      return true;
    case 0x10:
    case 0x16:  // expression, val_expression
      reg = cursor.uleb();
      return set(reg, op == 0x10 ? How::at_expression : How::value_expression,
                 reinterpret_cast<int64_t>(block(cursor)));
    case 0x11:  // offset_extended_sf
      reg = cursor.uleb();
      return set(reg, How::at_offset, cursor.sleb() * common.data_factor);
    case 0x14:  // val_offset
      reg = cursor.uleb();
      return set(reg, How::value_offset, static_cast<int64_t>(cursor.uleb()) * common.data_factor);
    case 0x15:
      reg = cursor.uleb();
      return set(reg, How::value_offset, cursor.sleb() * common.data_factor);
    case 0x2e:
      cursor.uleb();
      return true;  // GNU_args_size
    default:
      return set_cfa(op, cursor);
  }
}

bool Machine::run(const uint8_t *program, const uint8_t *end) {
  Cursor cursor{program};
  while (cursor.at < end && location <= wanted) {
    uint8_t op = cursor.take<uint8_t>(), low = op & 0x3f;
    bool ok = true;
    switch (op >> 6) {
      case 1:
        location += low * common.code_factor;
        break;
      case 2:
        ok = set(low, How::at_offset, static_cast<int64_t>(cursor.uleb()) * common.data_factor);
        break;
      case 3:
        ok = low >= 17 || set(low, initial.how[low], initial.value[low]);
        break;
      default:
        ok = extended(op, cursor);
    }
    if (!ok) return false;
  }
  return true;
}

}  // namespace

const uint8_t *scan_frames(const uint8_t *begin, const uint8_t *end, uint64_t pc) {
  for (const uint8_t *entry = begin; entry + 4 <= end;) {
    uint32_t size = load<uint32_t>(entry);
    if (size == 0xffffffff) return nullptr;
    // A zero length ends one input file's part; more may follow.
    if (size != 0 && load<uint32_t>(entry + 4) != 0) {
      Common common;
      Cursor cursor{};
      uint64_t first, bytes;
      if (read_common(common_of(entry), common) && read_range(entry, common, first, bytes, cursor) &&
          pc - first < bytes)
        return entry;
    }
    entry += 4 + size;
  }
  return nullptr;
}

const uint8_t *look_up_frame(const uint8_t *header, uint64_t pc) {
  uint64_t base = reinterpret_cast<uint64_t>(header), frames, count;
  Cursor cursor{header + 4};
  if (header[0] != 1 || !cursor.pointer(header[1], base, frames)) return nullptr;
  if (header[2] == 0xff || header[3] != 0x3b || !cursor.pointer(header[2], base, count))
    return scan_frames(reinterpret_cast<const uint8_t *>(frames),
                       reinterpret_cast<const uint8_t *>(~uint64_t{0}), pc);
  struct Pair {
    int32_t first, entry;
  };
  auto *table = reinterpret_cast<const Pair *>(cursor.at);
  int64_t wanted = static_cast<int64_t>(pc - base);
  uint64_t low = 0, high = count;
  while (low < high) {
    uint64_t middle = (low + high) / 2;
    if (table[middle].first <= wanted)
      low = middle + 1;
    else
      high = middle;
  }
  return low == 0 ? nullptr : header + table[low - 1].entry;
}

Range range_of(const uint8_t *entry) {
  Common common;
  Cursor cursor{};
  uint64_t begin, size;
  if (!read_common(common_of(entry), common) || !read_range(entry, common, begin, size, cursor)) return {0, 0};
  return {begin, begin + size};
}

bool find_row(const uint8_t *entry, uint64_t pc, Row &row) {
  Common common;
  Cursor cursor{};
  uint64_t begin, size;
  if (!read_common(common_of(entry), common) || !read_range(entry, common, begin, size, cursor)) return false;
  if (pc - begin >= size || common.return_register != 16) return false;
  const uint8_t *program = cursor.at;
  if (common.has_augmentation_size) {
    uint64_t skip = cursor.uleb();
    program = cursor.at + skip;
  }
  Machine machine{common, pc, 0};
  if (!machine.run(common.program, common.program_end)) return false;
  machine.initial = machine.row;
  machine.location = begin;
  if (!machine.run(program, entry + 4 + load<uint32_t>(entry))) return false;
  row = machine.row;
  row.signal_frame = common.signal_frame;
  return true;
}

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
