#include "engine/model/model_config.h"

#include "engine/comm/errors.h"

#include <string>

namespace engine {

void requireMultiple(const char* what, std::int64_t value, const char* ofWhat, std::int64_t divisor)
{
    if (divisor < 1 || value < 1 || value % divisor != 0)
        throw EngineError(EngineError::Kind::WrongUsage,
            std::string(what) + " = " + std::to_string(value) + " must be a multiple of " + ofWhat
                + " = " + std::to_string(divisor));
}

}  // namespace engine
