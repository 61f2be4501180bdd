// bloomline completion, and bloomline man-page, which is for packagers and hidden.
#include <iostream>
#include <memory>
#include <string>

#include "src/tool/command_line/command_tree.h"
#include "src/tool/commands.h"

namespace bloomline::tool {

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
