// `chord export FORMAT TRACE`.
#pragma once

#include <string>

namespace chord::cli {

struct TraceExport {
  std::string format, trace, program;
  std::string output;  // file, or folder; empty: standard output
};

// The rows of the help, for formats that are made of traces alone.
std::string trace_formats_help();
// Whether traces have a form of their own in this format; others hold counts, which can be made from a trace.
bool is_trace_format(const std::string &format);
bool is_only_of_traces(const std::string &format);
int export_trace(const TraceExport &wanted);

}  // namespace chord::cli
