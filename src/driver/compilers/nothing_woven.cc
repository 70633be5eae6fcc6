#include "driver/compilers/nothing_woven.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "base/diagnostics.h"

namespace chord::driver {
namespace {

constexpr const char *kWitnessVariable = "CHORD_WITNESS";

struct Cure {
  std::string_view program, why, hint;
};

// Programs that make code without the help of `as`.
constexpr Cure kCures[] = {
    {"rustc", "rustc assembles by itself", "only C and C++ parts can be counted: give cargo CC=chord-gcc CXX=chord-g++"},
    {"cargo", "rustc assembles by itself", "only C and C++ parts can be counted: give cargo CC=chord-gcc CXX=chord-g++"},
    {"ldc2", "ldc2 assembles by itself", "write assembly (-output-s) and assemble that with `chord gcc -c`; or use gdc"},
    {"fpc", "fpc assembles by itself", "add -Aas, so that it calls as"},
    {"flang", "flang assembles by itself", "use gfortran, or add -fno-integrated-as if this version has it"},
    {"nasm", "nasm is an assembler of its own", "only what as assembles can be counted (`chord gcc -c file.s`)"},
    {"yasm", "yasm is an assembler of its own", "only what as assembles can be counted (`chord gcc -c file.s`)"},
    {"go", "go assembles by itself", "use gccgo"},
    {"zig", "zig assembles by itself", "use clang"},
    {"tcc", "tcc assembles by itself", "use gcc or clang"},
};

constexpr std::string_view kGeneral = "chord counts what a compiler hands to `as`: that of gcc, g++, gfortran, clang and others that write assembly";

Cure cure_for(std::string_view program) {
  std::string_view name = program.substr(program.rfind('/') + 1);
  for (const Cure &cure : kCures) {
    bool versioned = name.size() > cure.program.size() && name[cure.program.size()] == '-';
    if (name == cure.program || (name.starts_with(cure.program) && versioned)) return cure;
  }
  return {program, "neither it nor a compiler that it ran called the assembler", kGeneral};
}

bool has(const std::vector<std::string> &args, std::string_view word) { return std::find(args.begin(), args.end(), word) != args.end(); }

Cure cure_for(const std::vector<std::string> &args, Family family, Made made, bool linked) {
  bool clang = family == Family::clang;
  if (made == Made::bitcode) return {{}, "clang's link-time optimisation writes no assembly", "leave out -flto (gcc's works)"};
  if (clang && has(args, "-fintegrated-as")) return {{}, "-fintegrated-as lets clang assemble by itself", "leave it out"};
  for (const std::string &a : args) {
    if (clang && a.starts_with("-flto")) return {{}, "clang's link-time optimisation writes no assembly", "leave out -flto (gcc's works)"};
  }
  if (linked) return {{}, "no object in it was built with chord", "put `chord` in front of the commands that compile, too"};
  return {{}, "the compiler called another assembler than chord's, or there is no function in it", "does an option such as -B lead elsewhere?"};
}

}  // namespace

void warn_if_plain(const std::vector<std::string> &args, Family family, const Outputs &outputs) {
  std::string plain;
  Made kind = Made::nothing;
  for (const std::string &file : outputs.files) {
    Made made = what_was_made(file, outputs.linked);
    if (made == Made::woven) return;
    if (made == Made::nothing || !plain.empty()) continue;
    plain = file;
    kind = made;
  }
  if (plain.empty()) return;
  Cure cure = cure_for(args, family, kind, outputs.linked);
  base::warning(fmt::format("{}: nothing in it is counted: {}", plain, cure.why), cure.hint);
}

// A file in memory that others reach by this process's number: it needs no place on a disk, and no descriptor
// that programs on the way might close.
Witness::Witness() {
  file_ = ::memfd_create("chord-witness", MFD_CLOEXEC);
  if (file_ >= 0) ::setenv(kWitnessVariable, fmt::format("/proc/{}/fd/{}", ::getpid(), file_).c_str(), 1);
}

Witness::~Witness() {
  if (file_ >= 0) ::close(file_);
}

void Witness::warn_if_nothing(const std::string &program) const {
  struct stat facts;
  if (file_ < 0 || ::fstat(file_, &facts) != 0 || facts.st_size != 0) return;
  Cure cure = cure_for(program);
  base::warning(fmt::format("{}: nothing was counted: {}", program, cure.why), cure.hint);
}

void tell_witness() {
  const char *path = std::getenv(kWitnessVariable);
  int file = path != nullptr ? ::open(path, O_WRONLY | O_APPEND | O_CLOEXEC) : -1;
  if (file < 0) return;
  // Who cannot be told will warn although there is no need to.
  [[maybe_unused]] ssize_t written = ::write(file, "w", 1);
  ::close(file);
}

}  // namespace chord::driver
