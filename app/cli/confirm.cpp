#include "app/cli/confirm.h"

#include "app/cli/failure.h"
#include "app/cli/format.h"

#include <unistd.h>

#include <iostream>

namespace app {

bool confirm(const std::string& command, const std::vector<std::string>& names, const std::string& question)
{
    if (::isatty(STDIN_FILENO) != 1)
        throw Failure(command + " asks before it goes on, which needs a terminal; use --yes without one", kWrongUsage);
    for (const std::string& name : names)
        std::cerr << "  " << printable(name) << "\n";
    std::cerr << question << " [y/N] ";
    std::string answer;
    std::getline(std::cin, answer);
    return answer == "y" || answer == "Y" || answer == "yes";
}

}  // namespace app
