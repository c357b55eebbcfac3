#include "engine/models/text/text_encoder.h"

#include "engine/comm/errors.h"

#include <ATen/ops/aminmax.h>

#include <string>

namespace engine {

TextFeatures TextEncoder::encode(const at::Tensor& ids, const at::Tensor& mask, const Observer& observer) const
{
    if (ids.size(1) > longestPrompt())
        throw EngineError(EngineError::Kind::WrongUsage,
            "a prompt of " + std::to_string(ids.size(1)) + " tokens is longer than the text encoder's "
                + std::to_string(longestPrompt()) + " positions");
    const auto [smallest, largest] = at::aminmax(ids);
    if (smallest.item<std::int64_t>() < 0 || largest.item<std::int64_t>() >= vocabulary())
        throw EngineError(EngineError::Kind::WrongUsage,
            "a token id is not below " + std::to_string(vocabulary())
                + ", the size of the text encoder's vocabulary; check that the tokenizer belongs to this model");
    static const Observer kNoObserver = [](std::int64_t, const at::Tensor&) {};
    return run(ids, mask, observer ? observer : kNoObserver);
}

}  // namespace engine
