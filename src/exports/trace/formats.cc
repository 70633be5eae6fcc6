#include "exports/trace/formats.h"

namespace chord::exports {
namespace {

constexpr TraceFormat kTraceFormats[] = {
    {"perfetto", "of a trace: every call, for Perfetto (ui.perfetto.dev)", write_perfetto, true},
    {"chrome", "of a trace: every call as JSON trace events, for Perfetto, speedscope and chrome://tracing", write_chrome, false},
    {"speedscope", "of a trace: every call, for speedscope", write_speedscope_events, false},
};

}  // namespace

std::span<const TraceFormat> trace_formats() { return kTraceFormats; }

}  // namespace chord::exports
