#include "engine/contract/checkpoint/damage_mark.h"

#include "engine/contract/formats/file_content.h"
#include "engine/contract/formats/folder_entries.h"
#include "engine/contract/formats/output_file.h"
#include "engine/contract/formats/text.h"

#include <exception>
#include <system_error>

namespace contract {

void markDamaged(const std::filesystem::path& checkpointFolder, const std::string& damage)
{
    try {
        if (!hasEntry(checkpointFolder / kDamageFile))
            writeFileAtomically(checkpointFolder / kDamageFile, damage + "\n");
    } catch (const std::exception&) {
        // The damage is reported all the same; the next reader finds it again.
    }
}

std::string damageMark(const std::filesystem::path& checkpointFolder)
{
    constexpr std::uint64_t kMaxBytes = 4096;
    constexpr std::size_t kMaxShown = 400;
    if (!hasEntry(checkpointFolder / kDamageFile))
        return {};
    std::string text;
    try {
        text = fileContent(checkpointFolder / kDamageFile, kMaxBytes);
    } catch (const std::exception&) {
        // Too long or not readable: it is a mark nevertheless.
    }
    text = text.substr(0, text.find('\n'));
    return text.empty() ? std::string(kDamageFile) + ": it marks the content as damaged" : escapedBytes(shortened(text, kMaxShown));
}

void removeDamageMark(const std::filesystem::path& checkpointFolder)
{
    std::error_code ignored;
    std::filesystem::remove(checkpointFolder / kDamageFile, ignored);
}

}  // namespace contract
