#include "engine/contract/file_content.h"

#include "engine/contract/input_file.h"

#include <algorithm>
#include <stdexcept>

namespace contract {

std::string fileContent(const std::filesystem::path& file, std::uint64_t mostBytes)
{
    const InputFile input(file);
    if (input.bytes() > mostBytes)
        throw std::runtime_error(file.string() + ": has " + std::to_string(input.bytes()) + " bytes, more than the "
            + std::to_string(mostBytes) + " that such a file may have");
    std::string content(input.bytes(), '\0');
    input.read(content.data(), content.size(), 0);
    return content;
}

std::string fileBeginning(const std::filesystem::path& file, std::uint64_t count)
{
    const InputFile input(file);
    std::string content(std::min(input.bytes(), count), '\0');
    input.read(content.data(), content.size(), 0);
    return content;
}

}  // namespace contract
