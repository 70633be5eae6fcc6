// What a fuzz target provides. mutate.cc drives it without any fuzzing engine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// Valid inputs to start from.
std::vector<std::string> seeds();

// Makes checksums right again after a mutation, so that what lies after them is
// reached. May leave the input as it is.
void repair(std::string &input);
