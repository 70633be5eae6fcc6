// A trace as a recording, with what it reads.
#pragma once

#include <memory>
#include <utility>

#include "cli/arguments/trace_input.h"
#include "dap/trace_recording.h"

namespace chord::cli {

class OpenTrace : public dap::TraceRecording {
 public:
  explicit OpenTrace(std::unique_ptr<TraceInput> input)
      : TraceRecording(input->trace(), [&input](const format::TraceStream &stream) -> const analysis::TracedCode & { return input->code(stream); },
                       [&input](const format::TraceStream &stream) { return input->index(stream); }),
        input_(std::move(input)) {}

 private:
  std::unique_ptr<TraceInput> input_;
};

}  // namespace chord::cli
