#include "html/data/head.h"

#include "report/tables/listings.h"

namespace chord::html {
namespace {

void put_totals(std::string &out, const Totals &t) {
  Object o(out);
  o.member("functions", t.functions);
  o.member("called", t.called);
  o.member("calls", t.calls);
  o.member("instructions", t.instructions);
  o.member("never", t.never);
  o.member("blocks", t.blocks);
  o.member("blocksNever", t.blocks_never);
  o.end();
}

}  // namespace

Tables::Tables(const analysis::Program &program) : loops(report::list_loops(program)), classes(report::list_classes(program)) {}

void put_head(std::string &out, Object &o, const Facts &facts) {
  const analysis::Program &program = facts.program;
  o.member("schema", kSchema);
  o.member("chord", std::string_view(CHORD_VERSION));
  o.member("program", std::string_view(program.name));
  o.member("path", std::string_view(program.path));
  o.member("instructions", program.instructions);
  o.member("runs", program.runs);
  o.member("threads", program.threads);
  o.member("warnings");
  put_array(out, program.warnings, [&](const std::string &w) { put_json(out, std::string_view(w)); });
  o.member("totals");
  put_totals(out, total(program));
}

}  // namespace chord::html
