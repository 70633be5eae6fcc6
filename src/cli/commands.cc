#include "cli/command.h"

namespace chord::cli {
namespace {

constexpr Command kCommands[] = {
    {"report", "chord report [PROFILE…] [--by=KIND]", "what ran, how often, and where the instructions went",
     cmd_report},
    {"annotate", "chord annotate [PROFILE…] [FILE|FUNCTION]", "the source with counts in the margin",
     cmd_annotate},
    {"merge", "chord merge -o OUT PROFILE…", "add profiles of the same program", cmd_merge},
    {"study", "chord study TABLE [PROFILE|PROGRAM…]", "the papers' tables about placing counters, on your programs",
     cmd_study},
    {"doctor", "chord doctor [PROFILE…]", "what works on this machine, what was left uninstrumented and why",
     cmd_doctor},
};

}  // namespace

std::span<const Command> commands() { return kCommands; }

}  // namespace chord::cli
