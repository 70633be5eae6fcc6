#include "report/tables/function_names.h"

#include "base/cxx_names.h"
#include "base/function_names.h"

namespace chord::report {
std::set<const analysis::CountedProcedure *> functions_named(const analysis::Program &program, const std::string &wanted) {
  std::set<const analysis::CountedProcedure *> found;
  base::Fit best = base::Fit::none;
  for (const analysis::CountedProcedure &p : program.procedures) {
    base::Fit fit = base::fit_of(p.map->name, wanted);
    if (fit == base::Fit::none || fit > best) continue;
    if (fit < best) found.clear();
    best = fit;
    found.insert(&p);
  }
  return found;
}

std::string telling_name(const analysis::Program &program, const analysis::CountedProcedure &procedure) {
  const std::string &linkage_name = procedure.map->name, shown = base::demangle(linkage_name);
  if (shown == linkage_name) return linkage_name;
  const std::string last = base::unqualified(shown);
  for (const std::string &name : {last.substr(0, last.find("[abi:")), last, base::without_parameters(shown)}) {
    if (name.empty() || name.find('\'') != std::string::npos) continue;  // 'lambda' would need care in a shell
    if (functions_named(program, name) == std::set<const analysis::CountedProcedure *>{&procedure}) return name;
  }
  return linkage_name;
}

}  // namespace chord::report
