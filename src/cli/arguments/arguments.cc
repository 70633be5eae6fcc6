#include "cli/arguments/arguments.h"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <deque>
#include <optional>

#include "base/diagnostics.h"

namespace chord::cli::arguments {
namespace {

::CLI::Option *real(void *option) { return static_cast<::CLI::Option *>(option); }

::CLI::Validator validator(const Check &what) {
  switch (what.kind) {
    case Check::Kind::member:
      return ::CLI::IsMember(what.members);
    case Check::Kind::whole:
      return ::CLI::Range(what.least, what.most);
    case Check::Kind::real:
      return ::CLI::Range(what.low, what.high);
    case Check::Kind::positive:
      return ::CLI::PositiveNumber;
  }
  return {};
}

}  // namespace

Option *Option::type_name(const std::string &name) {
  real(option_)->type_name(name);
  return this;
}

Option *Option::check(const Check &what) {
  real(option_)->check(validator(what));
  return this;
}

Option *Option::required() {
  real(option_)->required();
  return this;
}

Option *Option::capture_default_str() {
  real(option_)->capture_default_str();
  return this;
}

Option *Option::expected(int least, int most) {
  real(option_)->expected(least, most);
  return this;
}

Option *Option::excludes(const Option *other) {
  real(option_)->excludes(real(other->option_));
  return this;
}

Option *Option::needs(const Option *other) {
  real(option_)->needs(real(other->option_));
  return this;
}

struct App::Parts {
  Parts(const std::string &description, const std::string &name) : app(description, name) {}
  ::CLI::App app;
  std::deque<Option> options;  // stay where they are
};

App::App(const std::string &description, const std::string &name) : parts_(std::make_unique<Parts>(description, name)) {}
App::~App() = default;

Option *App::keep(void *option) { return &parts_->options.emplace_back(option); }

Option *App::add_flag(const std::string &name, bool &value, const std::string &help) {
  return keep(parts_->app.add_flag(name, value, help));
}

template <class T>
Option *App::add_option(const std::string &name, T &value, const std::string &help) {
  return keep(parts_->app.add_option(name, value, help));
}

template Option *App::add_option(const std::string &, std::string &, const std::string &);
template Option *App::add_option(const std::string &, std::vector<std::string> &, const std::string &);
template Option *App::add_option(const std::string &, std::optional<std::string> &, const std::string &);
template Option *App::add_option(const std::string &, int &, const std::string &);
template Option *App::add_option(const std::string &, unsigned &, const std::string &);
template Option *App::add_option(const std::string &, long &, const std::string &);
template Option *App::add_option(const std::string &, unsigned long &, const std::string &);
template Option *App::add_option(const std::string &, double &, const std::string &);
template Option *App::add_option(const std::string &, std::optional<unsigned long> &, const std::string &);
template Option *App::add_option(const std::string &, std::optional<double> &, const std::string &);

void App::footer(const std::string &text) { parts_->app.footer(text); }

bool App::parse(std::vector<std::string> args, std::string &help) {
  std::reverse(args.begin(), args.end());  // the library takes them from the back
  try {
    parts_->app.parse(std::move(args));
  } catch (const ::CLI::CallForHelp &) {
    help = parts_->app.help();
    return false;
  } catch (const ::CLI::ParseError &e) {
    throw base::UsageError(e.what(), fmt::format("`{} --help` shows how it is used", parts_->app.get_name()));
  }
  return true;
}

}  // namespace chord::cli::arguments
