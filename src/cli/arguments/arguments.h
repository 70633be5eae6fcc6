// Arguments of commands: the part of CLI11 that commands use, under the same names. The library is one
// large header, so arguments.cc alone includes it.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

namespace chord::cli::arguments {

// What a value must be.
struct Check {
  enum class Kind : uint8_t { member, whole, real, positive } kind = Kind::positive;
  std::vector<std::string> members{};
  uint64_t least = 0, most = 0;
  double low = 0, high = 0;
};

inline Check IsMember(std::initializer_list<const char *> members) { return {Check::Kind::member, {members.begin(), members.end()}}; }
template <class T>
Check Range(T low, T high) {
  if constexpr (std::is_floating_point_v<T>) {
    return {Check::Kind::real, {}, 0, 0, low, high};
  } else {
    return {Check::Kind::whole, {}, static_cast<uint64_t>(low), static_cast<uint64_t>(high)};
  }
}
inline const Check PositiveNumber{};

// Belongs to its App.
class Option {
 public:
  explicit Option(void *option) : option_(option) {}
  Option *type_name(const std::string &name);
  Option *check(const Check &what);
  Option *required();
  Option *capture_default_str();  // so that help shows the default
  Option *expected(int least, int most);
  Option *excludes(const Option *other);
  Option *needs(const Option *other);

 private:
  void *option_;  // CLI::Option
};

class App {
 public:
  App(const std::string &description, const std::string &name);
  ~App();
  App(const App &) = delete;
  App &operator=(const App &) = delete;

  Option *add_flag(const std::string &name, bool &value, const std::string &help);
  // For strings, lists of strings, whole and real numbers (listed in arguments.cc).
  template <class T>
  Option *add_option(const std::string &name, T &value, const std::string &help);
  void footer(const std::string &text);
  // True if the command should go on; false if --help was asked for: its text is in `help` then. Throws UsageError.
  bool parse(std::vector<std::string> args, std::string &help);

 private:
  Option *keep(void *option);
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace chord::cli::arguments

namespace chord::cli {
namespace CLI = arguments;
}
