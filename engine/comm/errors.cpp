#include "engine/comm/errors.h"

#include "engine/contract/formats/text.h"

#include <c10/util/Exception.h>

#include <algorithm>
#include <new>
#include <string_view>

namespace engine {

std::string firstLine(const std::exception& error)
{
    std::string text = contract::sentenceOf(error);
    text.resize(std::min(text.find('\n'), text.size()));
    // Messages of Gloo and LibTorch begin with a location in their own source: "[/pytorch/third_party/…:538] ",
    // "[enforce fail at alloc_cpu.cpp:121] err == 0. ".
    const auto end = text.find("] ");
    if ((text.starts_with("[/") || text.starts_with("[enforce fail")) && end != std::string::npos)
        text.erase(0, end + 2);
    return text;
}

bool isOutOfMemory(const std::exception& error)
{
    if (dynamic_cast<const std::bad_alloc*>(&error) || dynamic_cast<const c10::OutOfMemoryError*>(&error))
        return true;
    const std::string_view text = error.what();  // NCCL says it in a later line
    return text.find("can't allocate memory") != text.npos || text.find("out of memory") != text.npos;
}

}  // namespace engine
