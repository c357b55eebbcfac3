// Whether the libraries that the worker program links are on this machine. A package of Atelier does not contain LibTorch.
#pragma once
#include "engine/contract/variables/variable_list.h"

#include <string>

namespace launcher {

/// Asks the dynamic linker, which then does not start the program: about 10 ms. Any thread but the GUI's may call it.
/// @param worker path of an executable program
/// @param variables further environment variables, with which the program would run
/// @return empty, or which library is missing and what to do, in one sentence
std::string missingLibraries(const std::string& worker, const contract::Variables& variables);

}  // namespace launcher
