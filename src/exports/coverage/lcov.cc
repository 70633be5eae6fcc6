// lcov's tracefile: one record a source file. genhtml and most coverage services read it.
#include "exports/coverage/coverage.h"
#include "exports/exports.h"
#include "exports/text_file.h"

namespace chord::exports {
namespace {

void write_file(TextFile &out, const CoveredFile &file) {
  out.line("SF:{}", file.path);
  for (const CoveredFunction &f : file.functions) out.line("FN:{},{}", f.line, f.name);
  for (const CoveredFunction &f : file.functions) out.line("FNDA:{},{}", f.calls, f.name);
  Share functions = functions_of(file), branches = branches_of(file), lines = lines_of(file);
  out.line("FNF:{}", functions.all);
  out.line("FNH:{}", functions.hit);
  for (const CoveredBranch &b : file.branches) {
    out.line("BRDA:{},{},{},{}", b.line, b.jump, b.outcome, b.reached ? std::to_string(b.taken) : "-");
  }
  out.line("BRF:{}", branches.all);
  out.line("BRH:{}", branches.hit);
  for (const CoveredLine &l : file.lines) out.line("DA:{},{}", l.line, l.hits);
  out.line("LF:{}", lines.all);
  out.line("LH:{}", lines.hit);
  out.line("end_of_record");
}

}  // namespace

Exported write_lcov(const Input &input) {
  Coverage coverage = measure_coverage(input.program);
  TextFile out;
  out.line("TN:");
  for (const CoveredFile &file : coverage.files) write_file(out, file);
  return {out.take(), std::move(coverage.warnings)};
}

}  // namespace chord::exports
