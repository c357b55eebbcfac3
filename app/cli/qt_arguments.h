// The command-line options of Qt itself, such as "-style fusion", which `atelier` passes on to the window.
#pragma once
#include <string>
#include <vector>

namespace app {

struct SplitArguments {
    std::vector<std::string> own;  ///< for the command line of `atelier`; without the program's name
    std::vector<std::string> qt;   ///< options of Qt, each as "-name", followed by its value if it takes one
};

/// Separates Qt's options, in any of the forms "-name value", "-name=value" and with two dashes, from the others.
SplitArguments splitArguments(int argc, char** argv);

}  // namespace app
