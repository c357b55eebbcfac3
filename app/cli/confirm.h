// Asks the user in the terminal before something is done.
#pragma once
#include <string>
#include <vector>

namespace app {

/// Lists @p names on standard error, asks @p question, and returns whether the answer is yes.
/// @throws Failure when standard input is not a terminal, naming @p command and its option --yes.
bool confirm(const std::string& command, const std::vector<std::string>& names, const std::string& question);

}  // namespace app
