#include "engine/contract/run/emoji_files.h"

#include <system_error>

namespace contract {

std::string describeMissingFile(const EmojiFiles& files)
{
    std::error_code ignored;
    if (!std::filesystem::exists(files.font, ignored))
        return files.font.string() + " is missing; install Debian's package fonts-noto-color-emoji";
    if (!std::filesystem::exists(files.names, ignored))
        return files.names.string() + " is missing; install Debian's package unicode-data";
    return {};
}

std::filesystem::path emojiFolder(const std::filesystem::path& cache) { return cache / "emoji"; }

std::filesystem::path sharedCache(const std::filesystem::path& runFolder) { return runFolder.parent_path().parent_path() / "cache"; }

}  // namespace contract
