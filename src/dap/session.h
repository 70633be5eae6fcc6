// A debugger's session with a recorded run: the Debug Adapter Protocol's requests, answered from a recording.
//
// Stepping and running go in both directions. What a recording does not have (values of variables, memory, registers) is said to be
// unavailable. Each thread is at a moment of its own; a step moves the thread it names and no other.
#pragma once

#include <functional>
#include <istream>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <ostream>
#include <string>

#include "dap/recording.h"

namespace chord::dap {

// Opens the recording that `launch` or `attach` names ("trace": a file; empty: the one given on the command line).
using OpenRecording = std::function<std::unique_ptr<Recording>(const std::string &file)>;

// Answers requests until the client disconnects or the input ends.
void serve(std::istream &in, std::ostream &out, const OpenRecording &open);

}  // namespace chord::dap
