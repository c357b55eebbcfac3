// Writes the emoji of a colour font as a folder of captioned images.
#pragma once
#include "engine/contract/run/emoji_files.h"

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

namespace engine {

/// Calls @p visit for each emoji that the font has, with its code points in hexadecimal ("1f468-200d-1f680"), its PNG and its name in Unicode's list.
/// @throws std::runtime_error with one sentence naming the file that is missing or damaged.
void forEachEmoji(const contract::EmojiFiles& files, const std::function<void(const std::string& stem, std::string_view png, const std::string& name)>& visit);

/// Writes NAME.png, and NAME.txt with the emoji's name in Unicode's list, for each emoji that the font has. NAME is
/// the emoji's stem, see forEachEmoji().
/// @param folder created if it does not exist
/// @return the number of emoji
/// @throws std::runtime_error, std::system_error with one sentence naming the file that is missing, damaged or not writable.
int writeEmojiImages(const contract::EmojiFiles& files, const std::filesystem::path& folder);

/// Does the same unless @p folder exists. The folder gets its name when it is complete, also if several processes create it at
/// the same time.
void makeEmojiImages(const contract::EmojiFiles& files, const std::filesystem::path& folder);

}  // namespace engine
