// What a reward model's folder or file is refused with.
#pragma once
#include "engine/comm/errors.h"
#include "engine/contract/formats/text.h"

#include <filesystem>
#include <string>

namespace engine {

/// "the reward model "@p place" @p clause".
inline EngineError rewardFailure(const std::filesystem::path& place, const std::string& clause)
{
    return {EngineError::Kind::Failure, "the reward model " + contract::inQuotes(place.string()) + " " + clause};
}

}  // namespace engine
