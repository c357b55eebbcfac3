#include "engine/models/transformer/model_config.h"

#include "engine/comm/errors.h"
#include "engine/contract/formats/text.h"

#include <algorithm>

namespace engine {

std::int64_t sizeIn(const contract::JsonConfig& config, std::string_view key, std::optional<std::int64_t> otherwise,
    std::int64_t largest)
{
    const std::int64_t size = config.count(key, otherwise);
    if (size > largest)
        config.fail(key, "must be at most " + std::to_string(largest));
    return size;
}

std::string choiceIn(const contract::JsonConfig& config, std::string_view key, const std::string& otherwise,
    const std::vector<std::string>& known)
{
    std::string value = config.text(key, otherwise);
    if (value != otherwise && std::ranges::find(known, value) == known.end()) {
        std::string all;
        for (const std::string& each : known)
            all += (all.empty() ? "" : ", ") + each;
        config.fail(key, "is " + contract::inQuotes(contract::shortened(value, 80)) + ", which is not supported; supported: " + all);
    }
    return value;
}

void requireMultiple(const char* what, std::int64_t value, const char* ofWhat, std::int64_t divisor)
{
    if (divisor < 1 || value < 1 || value % divisor != 0)
        throw EngineError(EngineError::Kind::WrongUsage,
            std::string(what) + " = " + std::to_string(value) + " must be a multiple of " + ofWhat
                + " = " + std::to_string(divisor));
}

}  // namespace engine
