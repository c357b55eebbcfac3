// The options, in the order in which people read them: each table is a file.
#pragma once
#include "engine/contract/options.h"

#include <vector>

namespace contract {

std::vector<Option> runOptions();
std::vector<Option> engineOptions();
std::vector<Option> optimizerOptions();
std::vector<Option> resultOptions();

}  // namespace contract
