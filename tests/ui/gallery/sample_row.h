// A sample as the store lists it.
#pragma once
#include "storage/store.h"

#include <cstdint>

inline storage::SampleRow sample(std::int64_t step, const char* prompt, int attempt = 1, const char* file = "x.png")
{
    return {.step = step, .attempt = attempt, .file = file, .prompt = prompt, .seed = 3, .guidance = 2, .weights = "ema"};
}
