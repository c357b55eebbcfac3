// The emoji of a colour font as a folder of captioned pictures.
#pragma once
#include "engine/contract/emoji_files.h"

#include <filesystem>

namespace engine {

/// Writes NAME.png and NAME.txt, its name in Unicode's list, for each emoji that the font has; NAME is its characters in
/// hexadecimal, "1f468-200d-1f680".
/// @param folder is made when it is not there
/// @return how many
/// @throws std::runtime_error, std::system_error in one sentence naming the file that is missing, damaged or not writable.
int writeEmojiPictures(const contract::EmojiFiles& files, const std::filesystem::path& folder);

/// The same, unless @p folder is there; it has its name when it is whole, whoever else makes it at the time.
void makeEmojiPictures(const contract::EmojiFiles& files, const std::filesystem::path& folder);

}  // namespace engine
