#include "engine/comm/errors.h"

#include <algorithm>

namespace engine {

std::string firstLine(const std::exception& error)
{
    std::string text = error.what();
    text.resize(std::min(text.find('\n'), text.size()));
    // Gloo and LibTorch begin with the place in their own source: "[/pytorch/third_party/…:538] ",
    // "[enforce fail at alloc_cpu.cpp:121] err == 0. ".
    const auto end = text.find("] ");
    if ((text.starts_with("[/") || text.starts_with("[enforce fail")) && end != std::string::npos)
        text.erase(0, end + 2);
    return text;
}

}  // namespace engine
