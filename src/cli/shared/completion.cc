// Completion in bash, zsh and fish. The scripts ask the command itself, which knows its options:
// the hidden `bloomline complete -- WORD...` prints what may stand in place of the last word.
#include <algorithm>
#include <iostream>
#include <map>
#include <memory>
#include <string>

#include "src/cli/shared/command_tree.h"
#include "src/cli/shared/commands.h"
#include "src/cli/shared/printable.h"
#include "src/support/quoted.h"

namespace bloomline::cli {
namespace {

// Each installs a function that calls `complete`. It prints "FILE" where a file's name is due.
const std::map<std::string, const char*> kScripts = {
    {"bash", R"script(# Completion of `bloomline` in bash, as `bloomline completion bash` prints it.
_bloomline() {
  local current=${COMP_WORDS[COMP_CWORD]}
  [[ $current == '=' ]] && current=  # bash splits --option=value into three words
  mapfile -t COMPREPLY < <("${COMP_WORDS[0]}" complete -- "${COMP_WORDS[@]:1:COMP_CWORD}" \
    2>/dev/null | cut -f 1)
  if [[ ${COMPREPLY[0]} == FILE ]]; then
    compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <(compgen -f -- "$current")
  fi
}
complete -F _bloomline bloomline
)script"},
    {"zsh", R"script(#compdef bloomline
# Completion of `bloomline` in zsh, as `bloomline completion zsh` prints it.
_bloomline() {
  local line
  local -a found
  for line in ${(f)"$($words[1] complete -- "${(@)words[2,CURRENT]}" 2>/dev/null)"}; do
    [[ $line == FILE ]] && { _files; return }
    found+=("${${line%%$'\t'*}//:/\\:}:${line#*$'\t'}")
  done
  _describe bloomline found
}
# As a file of $fpath it is the body of _bloomline; otherwise it is sourced.
if [[ $funcstack[1] == _bloomline ]]; then
  _bloomline "$@"
else
  compdef _bloomline bloomline
fi
)script"},
    {"fish", R"script(# Completion of `bloomline` in fish, as `bloomline completion fish` prints it.
function __bloomline_complete
  set -l words (commandline -opc) (commandline -ct)
  set -l found ($words[1] complete -- $words[2..] 2>/dev/null)
  if test "$found[1]" = FILE
    __fish_complete_path $words[-1]
  else
    printf '%s\n' $found
  end
end
complete -c bloomline -f -a '(__bloomline_complete)'
)script"}};

const OptionInfo* Find(const CommandInfo& command, const std::string& name) {
  for (const OptionInfo& option : command.options) {
    const auto& names = option.names;
    if (std::find(names.begin(), names.end(), name) != names.end()) return &option;
  }
  return nullptr;
}

// What may stand in place of the last word: a line for each, with its help behind a tab.
class Completion {
 public:
  explicit Completion(const std::vector<CommandInfo>& commands)
      : commands_(commands), command_(&commands.front()) {}

  const std::string& Lines(const std::vector<std::string>& words) {
    const OptionInfo* option = nullptr;  // whose value comes next
    for (size_t i = 0; i + 1 < words.size(); ++i) {
      if (words[i] == "=") continue;  // from bash
      option = option != nullptr ? nullptr : Step(words[i]);
    }
    last_ = words.empty() || words.back() == "=" ? "" : words.back();
    const size_t equals = last_.find('=');
    if (option == nullptr && last_[0] == '-' && equals != last_.npos) {
      option = Find(*command_, last_.substr(0, equals));
      start_ = last_.substr(0, equals + 1);
    }
    if (option != nullptr) {
      AddValues(*option);
    } else if (last_[0] == '-') {
      for (const OptionInfo& known : command_->options) {
        for (const std::string& name : known.names) Add(name, known.help);
      }
    } else {
      for (const CommandInfo& child : commands_) {
        for (const std::string& name : command_->subcommands) {
          if (child.name == command_->name + " " + name) Add(name, child.description);
        }
      }
      for (const OptionInfo& positional : command_->positionals) AddValues(positional);
    }
    return lines_;
  }

 private:
  // Behind a word. The option whose value is the next one, if there is one.
  const OptionInfo* Step(const std::string& word) {
    const OptionInfo* option = Find(*command_, word);
    for (const CommandInfo& child : commands_) {
      if (child.name == command_->name + " " + word) command_ = &child;
    }
    return option != nullptr && option->value != OptionInfo::Value::kNone ? option : nullptr;
  }

  void AddValues(const OptionInfo& option) {
    if (option.value == OptionInfo::Value::kFile) lines_ = "FILE\n";
    for (const std::string& choice : option.choices) Add(start_ + choice, option.help);
  }

  void Add(const std::string& word, const std::string& help) {
    if (word.substr(0, last_.size()) == last_) lines_ += word + '\t' + help + '\n';
  }

  const std::vector<CommandInfo>& commands_;
  const CommandInfo* command_;
  std::string last_;
  std::string start_;  // "--format=", if the value is in the same word
  std::string lines_;
};

}  // namespace

void AddCompletionCommand(CLI::App* app, int* exit_code) {
  CLI::App* command = app->add_subcommand(
      "completion", "Prints a script that completes commands and options in a shell");
  auto shell = std::make_shared<std::string>();
  command->add_option("SHELL", *shell, "bash, zsh or fish")
      ->required()
      ->type_name("{bash,zsh,fish}");
  command->callback([=] {
    const auto script = kScripts.find(*shell);
    if (script != kScripts.end()) {
      std::cout << script->second;
      return;
    }
    PrintError("bloomline completion: SHELL is " + support::Quoted(*shell) +
               "; allowed: bash, zsh, fish");
    *exit_code = kExitImpossible;
  });
  CLI::App* complete = app->add_subcommand("complete", "Prints what may be the last word");
  complete->group("");
  auto words = std::make_shared<std::vector<std::string>>();
  complete->add_option("WORD", *words);
  complete->callback([=] { std::cout << Completion(CommandTree(*app)).Lines(*words); });
  CLI::App* page = app->add_subcommand("man-page", "Prints the manual page");
  page->group("");
  page->callback([=] { std::cout << ManualPage(CommandTree(*app)); });
}

}  // namespace bloomline::cli
