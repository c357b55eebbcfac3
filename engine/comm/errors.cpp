#include "engine/comm/errors.h"

namespace engine {

std::string firstLine(const std::exception& error)
{
    std::string text = error.what();
    text.resize(std::min(text.find('\n'), text.size()));
    return text;
}

}  // namespace engine
