#include "engine/comm/errors.h"

#include <algorithm>

namespace engine {

std::string firstLine(const std::exception& error)
{
    std::string text = error.what();
    text.resize(std::min(text.find('\n'), text.size()));
    // Gloo begins with the place in its own source: "[/pytorch/third_party/…:538] ".
    const auto end = text.find("] ");
    if (text.starts_with("[/") && end != std::string::npos)
        text.erase(0, end + 2);
    return text;
}

}  // namespace engine
