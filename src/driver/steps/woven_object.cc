#include "driver/steps/woven_object.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "assembly/text/join_objects.h"
#include "base/file.h"
#include "driver/compilers/installation.h"

namespace chord::driver {
namespace {

namespace fs = std::filesystem;

// Whether the user wants something of all code, ours included, or of the name of the output.
bool concerns_runtime(const std::string &option) {
  bool is_machine = option.starts_with("-m") && !option.starts_with("-march") && !option.starts_with("-mtune");
  return is_machine || option == "--MD";
}

bool may_join(const WovenObject &wanted) {
  std::error_code failed;
  fs::file_status output = fs::symlink_status(wanted.output, failed);
  if (fs::exists(output) && !fs::is_regular_file(output)) return false;  // /dev/null
  // What cannot be written is the assembler's to say.
  fs::path folder = fs::path(wanted.output).parent_path();
  if (::access(folder.empty() ? "." : folder.c_str(), W_OK | X_OK) != 0) return false;
  return std::none_of(wanted.assembler.begin() + 1, wanted.assembler.end(), concerns_runtime);
}

base::Outcome assemble(const WovenObject &wanted, const std::string &text, base::ScratchFiles &scratch, const std::string &output) {
  std::string file = scratch.file("woven.s");
  base::write_file(file, text);
  std::vector<std::string> command = wanted.assembler;
  command.insert(command.end(), {"-o", output, file});
  return base::run(command, nullptr, true);
}

// False if it cannot be.
bool join(const WovenObject &wanted, const std::string &object) {
  std::string joined = base::read_file(object);
  for (const std::string &name : wanted.runtime) {
    std::string file = fmt::format("{}/{}.o", runtime_folder(), name);
    if (!fs::exists(file)) return false;
    std::optional<std::string> both = assembly::join_objects(joined, base::read_file(file));
    if (!both) return false;
    joined = std::move(*both);
  }
  // As the assembler does it: another name of the old file keeps what it had.
  std::error_code failed;
  fs::remove(wanted.output, failed);
  base::write_file(wanted.output, joined);
  return true;
}

}  // namespace

base::Outcome make_object(const WovenObject &wanted, base::ScratchFiles &scratch) {
  if (may_join(wanted)) {
    std::string object = scratch.file("woven.o");
    base::Outcome outcome = assemble(wanted, wanted.text, scratch, object);
    if (outcome.status != 0 || join(wanted, object)) return outcome;
  }
  std::string text = wanted.text;
  for (const std::string &name : wanted.runtime) text += fmt::format("\t.include \"{}/{}.s\"\n", in_quotes(runtime_folder()), name);
  return assemble(wanted, text, scratch, wanted.output);
}

}  // namespace chord::driver
