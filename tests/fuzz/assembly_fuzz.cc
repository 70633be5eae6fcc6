// Assembly text of any kind, with code bytes of any kind: reading, graph building,
// planning and weaving never crash. The assembler is left out: bytes are made up from
// the text, so statements and their decoding contradict each other as no assembler
// would let them.
#include <filesystem>

#include "assembly/graph/procedure.h"
#include "base/file.h"
#include "base/hash.h"
#include "fuzz.h"
#include "weave/weave.h"

using namespace chord;

namespace {

// Instructions that matter to control flow, and some that do not.
constexpr std::string_view kCodes[] = {
    std::string_view("\xc3", 1), std::string_view("\x74\x05", 2), std::string_view("\xeb\xfe", 2),
    std::string_view("\xe8\0\0\0\0", 5), std::string_view("\xff\xe0", 2), std::string_view("\x31\xc0", 2),
    std::string_view("\xe2\x02", 2), std::string_view("\x01\xc8", 2), std::string_view("\xf3", 1),
    std::string_view("\x0f\x0b", 2), std::string_view("\x06", 1), std::string_view("\xf3\x0f\x1e\xfa", 4)};

assembly::Layout invented_layout(const assembly::Source &source) {
  assembly::Layout layout;
  layout.contents.resize(source.sections.size());
  layout.places.resize(source.statements.size());
  for (size_t i = 0; i < source.statements.size(); ++i) {
    const assembly::Statement &s = source.statements[i];
    std::string &code = layout.contents[s.section];
    uint32_t begin = static_cast<uint32_t>(code.size());
    bool emits = source.sections[s.section].executable && s.kind == assembly::StatementKind::instruction;
    if (emits) code += kCodes[base::Hash().add(s.name).add(s.operands).value() % std::size(kCodes)];
    layout.places[i] = {begin, static_cast<uint32_t>(code.size())};
  }
  return layout;
}

}  // namespace

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  assembly::Source source;
  read_source(std::string(reinterpret_cast<const char *>(data), size), source);
  assembly::Unit unit;
  build_unit(source, invented_layout(source), unit);
  weave::Woven woven = weave::weave_unit(unit, {}, {"map", "runtime"});
  format::encode_map(woven.map);
  return 0;
}

std::vector<std::string> seeds() {
  std::vector<std::string> corpus;
  for (const auto &entry : std::filesystem::directory_iterator(CHORD_GOLDEN_FOLDER)) {
    if (entry.path().extension() == ".s") corpus.push_back(base::read_file(entry.path().string()));
  }
  return corpus;
}

void repair(std::string &) {}
