// Scripts that complete the command line in bash, zsh and fish. What they know is written into
// them, so that a press of the tab key starts no process.
#include <iostream>
#include <memory>
#include <string>

#include "src/tool/command_line/command_tree.h"
#include "src/tool/commands.h"

namespace bloomline::tool {
namespace {

using Value = OptionInfo::Value;

std::string Joined(const std::vector<std::string>& words, const char* separator) {
  std::string joined;
  for (const std::string& word : words) joined += (joined.empty() ? "" : separator) + word;
  return joined;
}

// In single quotes, for any shell. `escaped` is what stands for a single quote within them.
std::string Quoted(const std::string& text, const char* escaped) {
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? escaped : std::string(1, c);
  return quoted + "'";
}

// "db_inspect", for the names of functions.
std::string FunctionName(const CommandInfo& command) { return "_" + Joined(command.path, "_"); }

// With a backslash before each character of `special`.
std::string Escaped(const std::string& text, const std::string& special) {
  std::string escaped;
  for (const char c : text) {
    if (special.find(c) != std::string::npos) escaped += '\\';
    escaped += c;
  }
  return escaped;
}

// What zsh's _arguments wants behind an option or a positional.
std::string ZshValue(const OptionInfo& option) {
  switch (option.value) {
    case Value::kNone:
      return "";
    case Value::kFile:
      return ":file:_files";
    case Value::kChoice:
      return ":value:(" + Joined(option.choices, " ") + ")";
    case Value::kOther:
      break;
  }
  return ":value: ";
}

std::string ZshFunction(const CommandInfo& command) {
  const auto quoted = [](const std::string& text) { return Quoted(text, "'\\''"); };
  std::string text = FunctionName(command) + "() {\n";
  if (!command.subcommands.empty()) {
    text +=
        "  local context state state_descr line\n  typeset -A opt_args\n"
        "  local -a commands=(\n";
    for (const CommandInfo* child : command.subcommands) {
      text += "    " + quoted(Escaped(child->path.back(), ":") + ":" + child->description) + "\n";
    }
    text += "  )\n";
  }
  text += "  _arguments -s" + std::string(command.subcommands.empty() ? "" : " -C");
  for (const OptionInfo& option : command.options) {
    for (const std::string& name : option.names) {
      text += " \\\n    " + quoted("(" + Joined(option.names, " ") + ")" + name +
                                   (name[1] == '-' && option.value != Value::kNone ? "=" : "") +
                                   "[" + Escaped(option.help, "[]\\:") + "]" + ZshValue(option));
    }
  }
  for (const OptionInfo& positional : command.positionals) {
    text += " \\\n    " + quoted((positional.repeated ? "*" : "") + ZshValue(positional));
  }
  if (!command.subcommands.empty()) {
    text +=
        " \\\n    '1: :->command' '*:: :->rest'\n"
        "  case $state in\n    command) _describe command commands ;;\n"
        "    rest)\n      case $words[1] in\n";
    for (const CommandInfo* child : command.subcommands) {
      text += "        " + child->path.back() + ") " + FunctionName(*child) + " ;;\n";
    }
    text += "      esac\n      ;;\n  esac\n}\n\n";
    return text;
  }
  return text + "\n}\n\n";
}

}  // namespace

std::string BashCompletion(const std::vector<CommandInfo>& commands) {
  std::string steps;   // from word to word
  std::string values;  // behind an option
  std::string words;   // everywhere else
  for (const CommandInfo& command : commands) {
    const std::string name = command.name();
    std::string names;
    std::vector<std::string> options;
    for (const CommandInfo* child : command.subcommands) {
      steps += "      '" + child->name() + "') command='" + child->name() + "' ;;\n";
      names += (names.empty() ? "" : " ") + child->path.back();
    }
    bool files = false;
    for (const OptionInfo& positional : command.positionals) {
      files = files || positional.value == Value::kFile;
      names += Joined(positional.choices, " ");
    }
    for (const OptionInfo& option : command.options) {
      std::string patterns;
      for (const std::string& option_name : option.names) {
        options.push_back(option_name);
        patterns += (patterns.empty() ? "'" : " | '") + name + " " + option_name + "'";
      }
      if (option.value == Value::kNone) continue;
      values += "    " + patterns + ") files=" + (option.value == Value::kFile ? "1" : "0") +
                " words='" + Joined(option.choices, " ") + "' options='' ;;\n";
    }
    words += "      '" + name + "') files=" + (files ? "1" : "0") + " words='" + names +
             "' options='" + Joined(options, " ") + "' ;;\n";
  }
  return "# Completion of `bloomline` in bash, as `bloomline completion bash` prints it.\n"
         "_bloomline() {\n"
         "  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}\n"
         "  local command=bloomline files=0 words='' options='' i\n"
         "  for ((i = 1; i < COMP_CWORD; i++)); do\n"
         "    case \"$command ${COMP_WORDS[i]}\" in\n" +
         steps +
         "    esac\n  done\n"
         "  # bash splits --option=value into three words.\n"
         "  if [[ $current == '=' ]]; then\n    current=\n"
         "  elif [[ $previous == '=' ]]; then\n    previous=${COMP_WORDS[COMP_CWORD - 2]}\n  fi\n"
         "  case \"$command $previous\" in\n" +
         values + "    *)\n      case $command in\n" + words +
         "      esac\n      ;;\n  esac\n"
         "  COMPREPLY=()\n"
         "  [[ $current == -* ]] && words=$options files=0\n"
         "  if [[ $files == 1 ]]; then\n"
         "    compopt -o filenames 2>/dev/null\n"
         "    mapfile -t COMPREPLY < <(compgen -f -- \"$current\")\n"
         "  else\n"
         "    mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$current\")\n"
         "  fi\n"
         "}\n"
         "complete -F _bloomline bloomline\n";
}

std::string ZshCompletion(const std::vector<CommandInfo>& commands) {
  std::string text =
      "#compdef bloomline\n# Completion of `bloomline` in zsh, as `bloomline completion zsh` "
      "prints it.\n\n";
  for (const CommandInfo& command : commands) text += ZshFunction(command);
  // As a file of $fpath it is the body of _bloomline; otherwise it is sourced.
  return text +
         "if [[ $funcstack[1] == _bloomline ]]; then\n  _bloomline \"$@\"\nelse\n"
         "  compdef _bloomline bloomline\nfi\n";
}

std::string FishCompletion(const std::vector<CommandInfo>& commands) {
  const auto quoted = [](const std::string& text) { return Quoted(Escaped(text, "\\"), "\\'"); };
  std::string steps;
  std::string lines;
  for (const CommandInfo& command : commands) {
    const std::string start = "complete -c bloomline -n " +
                              quoted("test (__bloomline_command) = " + Quoted(command.name(), ""));
    for (const CommandInfo* child : command.subcommands) {
      steps += "      case " + quoted(child->name()) + "\n        set found " +
               quoted(child->name()) + "\n";
      lines += start + " -f -a " + child->path.back() + " -d " + quoted(child->description) + "\n";
    }
    for (const OptionInfo& option : command.options) {
      lines += start;
      for (const std::string& name : option.names) {
        lines += name[1] == '-' ? " -l " + name.substr(2) : " -s " + name.substr(1);
      }
      if (option.value == Value::kFile) lines += " -r -F";
      if (option.value == Value::kOther) lines += " -x";
      if (option.value == Value::kChoice) lines += " -x -a " + quoted(Joined(option.choices, " "));
      lines += " -d " + quoted(option.help) + "\n";
    }
    for (const OptionInfo& positional : command.positionals) {
      if (positional.value == Value::kFile) lines += start + " -F\n";
      if (positional.value == Value::kChoice) {
        lines += start + " -f -a " + quoted(Joined(positional.choices, " ")) + "\n";
      }
    }
  }
  return "# Completion of `bloomline` in fish, as `bloomline completion fish` prints it.\n"
         "function __bloomline_command\n"
         "  set -l found bloomline\n"
         "  for word in (commandline -opc)[2..]\n"
         "    switch \"$found $word\"\n" +
         steps + "    end\n  end\n  echo $found\nend\n" + lines;
}

void AddCompletionCommand(CLI::App* app, int* exit_code) {
  CLI::App* command = app->add_subcommand(
      "completion", "Prints a script that completes commands and options in a shell");
  auto shell = std::make_shared<std::string>();
  command->add_option("SHELL", *shell, "bash, zsh or fish")
      ->required()
      ->type_name("{bash,zsh,fish}");
  command->footer("For this session, in bash: source <(bloomline completion bash)");
  command->callback([=] {
    const std::vector<CommandInfo> commands = CommandTree(*app);
    *exit_code = kExitOk;
    if (*shell == "bash") {
      std::cout << BashCompletion(commands);
    } else if (*shell == "zsh") {
      std::cout << ZshCompletion(commands);
    } else if (*shell == "fish") {
      std::cout << FishCompletion(commands);
    } else {
      std::cerr << "bloomline completion: SHELL is '" << *shell << "'; allowed: bash, zsh, fish\n";
      *exit_code = kExitImpossible;
    }
  });
  CLI::App* page = app->add_subcommand("man-page", "Prints the manual page");
  page->group("");
  page->callback([=] {
    std::cout << ManualPage(CommandTree(*app));
    *exit_code = kExitOk;
  });
}

}  // namespace bloomline::tool
