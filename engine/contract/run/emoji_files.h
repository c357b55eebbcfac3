// The system files that the emoji data set is made from, and the folder that holds it.
#pragma once
#include <filesystem>
#include <string>

namespace contract {

/// The defaults are the paths of Debian's packages.
struct EmojiFiles {
    std::filesystem::path font = "/usr/share/fonts/truetype/noto/NotoColorEmoji.ttf";  ///< colour font of PNG images
    std::filesystem::path names = "/usr/share/unicode/emoji/emoji-test.txt";           ///< Unicode's list of emoji names
};

/// One sentence that names a missing file and the package to install; empty when both files exist.
std::string describeMissingFile(const EmojiFiles& files);

/// Folder with the emoji as captioned images, for data.source = emoji. It exists only once it is complete.
/// @param cache see sharedCache()
std::filesystem::path emojiFolder(const std::filesystem::path& cache);

/// Cache folder that all runs of a data home share. @param runFolder the folder of one of these runs
std::filesystem::path sharedCache(const std::filesystem::path& runFolder);

}  // namespace contract
