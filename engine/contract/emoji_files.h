// What the emoji of a machine are made from, and where runs find them as pictures.
#pragma once
#include <filesystem>
#include <string>

namespace contract {

/// As Debian installs them.
struct EmojiFiles {
    std::filesystem::path font = "/usr/share/fonts/truetype/noto/NotoColorEmoji.ttf";  ///< in colour, with PNGs in it
    std::filesystem::path names = "/usr/share/unicode/emoji/emoji-test.txt";           ///< Unicode's list
};

/// One sentence that names a missing file and the package that has it. Empty: both are there.
std::string missingIn(const EmojiFiles& files);

/// Where the runs of a data home have them as captioned pictures (data.source = emoji). It is there when it is whole.
std::filesystem::path emojiFolder(const std::filesystem::path& cache);

/// What runs of one data home share. @param runFolder of one of them
std::filesystem::path sharedCache(const std::filesystem::path& runFolder);

}  // namespace contract
