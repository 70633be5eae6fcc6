#include "cli/command.h"

namespace chord::cli {
namespace {

constexpr Command kCommands[] = {
    {"report", "chord report [PROFILE…] [--by=KIND]", "what ran, how often, and where the instructions went",
     cmd_report},
    {"annotate", "chord annotate [PROFILE…] [FILE|FUNCTION]", "the source with counts in the margin",
     cmd_annotate},
    {"html", "chord html [-o FILE] [PROFILE…] [--diff=OLD]", "a report for the browser, in one file", cmd_html},
    {"browse", "chord browse [PROFILE…]", "functions, source, assembly, calls, paths and contexts on a full screen", cmd_browse},
    {"paths", "chord paths [show FUNCTION PATH] [PROFILE…]", "which paths through its functions the program took", cmd_paths},
    {"contexts", "chord contexts [PROFILE…] [--function=NAME]", "what every function did in every chain of callers", cmd_contexts},
    {"events", "chord events [PROFILE…] [--by=KIND]", "how many events of each kind were counted", cmd_events},
    {"trace", "chord trace [diff A B|stats|hot|index|dap] [TRACE] [--by=KIND] [--from=N --to=M]", "what the program did, step by step, and where two runs part", cmd_trace},
    {"check", "chord check [RULES] [PROFILE…] [--baseline=FILE]", "counts against a baseline or rules, for CI", cmd_check},
    {"diff", "chord diff OLD NEW [--by=KIND]", "what changed from one profile to another", cmd_diff},
    {"export", "chord export FORMAT [-o FILE] [PROFILE…]", "files for other programs: lcov, cobertura, callgrind, …", cmd_export},
    {"tests", "chord tests [PROFILE…] [--line=FILE:LINE]", "what each test executes; which tests a line or a change concerns", cmd_tests},
    {"merge", "chord merge -o OUT PROFILE…", "add profiles of the same program", cmd_merge},
    {"archive", "chord archive -o OUT [PROFILE…]", "profiles and what reading them needs, in one file", cmd_archive},
    {"print", "chord print FILE…", "any file of chord's as text: profiles, maps, anchors", cmd_print},
    {"study", "chord study TABLE [PROFILE|PROGRAM…]", "the papers' tables about placing counters, on your programs",
     cmd_study},
    {"dump", "chord dump PID|CORE", "counts of a running program, without stopping it, or of a crashed one", cmd_dump},
    {"top", "chord top PID", "the hottest functions of a running program, refreshed", cmd_top},
    {"doctor", "chord doctor [PROFILE…|PROGRAM]", "what works on this machine, what was left uninstrumented and why",
     cmd_doctor},
    {"env", "chord env [TOOL] [COMPILER]", "what to export so that make, cmake, meson, … build with chord", cmd_env},
    {"completion", "chord completion bash|zsh", "commands and build options for a shell to complete", cmd_completion},
};

}  // namespace

std::span<const Command> commands() { return kCommands; }

}  // namespace chord::cli
