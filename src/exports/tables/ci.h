// Verdicts of `chord check` for the machines that show them: annotations and summaries of
// GitHub, JUnit's XML, series of benchmark dashboards.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace chord::exports {

struct Verdict {
  std::string name;     // function, rule, or total
  bool holds = true;
  std::string message;  // why not: one line, then details
  std::string file;     // where to show it; may be empty
  uint32_t line = 0;
};

struct Measure {
  std::string name;
  double instructions = 0, calls = 0;  // a run
};

struct CheckReport {
  std::string program;
  std::vector<Verdict> verdicts;
  std::vector<Measure> measures;  // the program first, then its functions
};

// ::error file=…,line=…::… for each verdict that does not hold. Paths are relative to `root`.
std::string github_annotations(const CheckReport &report, const std::string &root);
std::string markdown_summary(const CheckReport &report);
std::string junit_xml(const CheckReport &report);
// github-action-benchmark, customSmallerIsBetter.
std::string benchmark_json(const CheckReport &report);
// Bencher's metric format.
std::string bencher_json(const CheckReport &report);

}  // namespace chord::exports
