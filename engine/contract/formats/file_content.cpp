#include "engine/contract/formats/file_content.h"

#include "engine/contract/formats/input_file.h"

#include <algorithm>
#include <stdexcept>
#include <system_error>

namespace contract {

std::string fileContent(const std::filesystem::path& file, std::uint64_t maxBytes, Links links)
{
    const InputFile input(file, links);
    if (input.bytes() > maxBytes)
        throw std::runtime_error(file.string() + ": has " + std::to_string(input.bytes()) + " bytes; at most "
            + std::to_string(maxBytes) + " are allowed");
    std::string content(input.bytes(), '\0');
    input.read(content.data(), content.size(), 0);
    return content;
}

std::optional<std::string> fileContentIfAny(const std::filesystem::path& file, std::uint64_t maxBytes, Links links)
{
    try {
        return fileContent(file, maxBytes, links);
    } catch (const std::system_error& error) {
        if (error.code() == std::errc::no_such_file_or_directory || error.code() == std::errc::not_a_directory)
            return std::nullopt;
        throw;
    }
}

std::string fileBeginning(const std::filesystem::path& file, std::uint64_t count)
{
    const InputFile input(file);
    std::string content(std::min(input.bytes(), count), '\0');
    input.read(content.data(), content.size(), 0);
    return content;
}

}  // namespace contract
