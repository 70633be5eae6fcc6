#include <fmt/core.h>

#include <algorithm>

#include "cli/arguments/options.h"
#include "cli/command.h"
#include "driver/options/option_help.h"

namespace chord::cli {
namespace {

constexpr const char *kCompletionExamples =
    "Examples:\n"
    "  eval \"$(chord completion bash)\"                        for this shell\n"
    "  chord completion bash >~/.local/share/bash-completion/completions/chord\n"
    "  chord completion zsh >~/.zfunc/_chord                    a folder of fpath\n";

// The first word after the options is a command or a compiler; what follows it are files to the shell.
// `=` separates words for bash, so the one being typed is taken from the line.
constexpr const char *kBash = R"(_chord() {
  local line="${COMP_LINE:0:COMP_POINT}" word before
  word="${line##*[[:space:]]}"
  before="${line%"$word"}"
  for one in ${before#*chord}; do
    case "$one" in --*) ;; *) return ;; esac
  done
  local choices='@'
  mapfile -t COMPREPLY < <(compgen -W "$choices" -- "$word")
  case "$word" in
    *=*) COMPREPLY=("${COMPREPLY[@]#"${word%%=*}="}") ;;
    -*) ;;
    *) mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -c -- "$word") ;;
  esac
  [[ ${#COMPREPLY[@]} != 1 || ${COMPREPLY[0]} != *= ]] || compopt -o nospace
}
complete -o default -F _chord chord
)";

constexpr const char *kZsh = R"(#compdef chord
local -a choices
choices=(@)
local one
for one in "${(@)words[2,CURRENT-1]}"; do
  [[ $one == --* ]] || { _files; return }
done
compadd -- $choices
[[ $PREFIX == -* ]] || _command_names
)";

std::string choices() {
  std::string words = driver::build_option_words();
  for (const Command &c : commands()) words += fmt::format("{}\n", c.name);
  words += "help";
  std::replace(words.begin(), words.end(), '\n', ' ');
  return words;
}

}  // namespace

int cmd_completion(std::vector<std::string> args) {
  CLI::App app("Completion of commands and build options, for a shell.", "chord completion");
  std::string shell;
  app.add_option("SHELL", shell, "bash or zsh")->type_name("")->required()->check(CLI::IsMember({"bash", "zsh"}));
  app.footer(kCompletionExamples);
  if (!parse(app, std::move(args))) return 0;
  std::string script = shell == "bash" ? kBash : kZsh;
  size_t place = script.find("(@)") != std::string::npos ? script.find("(@)") + 1 : script.find("'@'") + 1;
  print(script.replace(place, 1, choices()));
  return 0;
}

}  // namespace chord::cli
