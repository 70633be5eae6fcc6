// See cfi.h. Only what compilers, linkers and hand-written unwind information of
// x86-64 Linux use; anything else ends the walk, which is then reported.
#include "stack/cfi.h"

#include "system/cursor.h"

namespace chord::runtime {
namespace {

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

}  // namespace chord::runtime
