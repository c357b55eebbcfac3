// The options, in the order in which people read them: each table is a file.
#pragma once
#include "engine/contract/options.h"

#include <vector>

namespace contract {

/// Of options that choose a dtype (row E-005).
inline constexpr Spelling kDtypes[] = {
    {"bfloat16", "bf16"}, {"float16", "fp16"}, {"16", "fp16"}, {"float32", "fp32"}, {"32", "fp32"}};

std::vector<Option> runOptions();
std::vector<Option> engineOptions();
std::vector<Option> optimizerOptions();
std::vector<Option> resultOptions();

}  // namespace contract
