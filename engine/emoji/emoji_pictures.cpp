#include "engine/emoji/emoji_pictures.h"

#include "engine/contract/file_content.h"
#include "engine/emoji/emoji_font.h"
#include "engine/emoji/emoji_names.h"

#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>

namespace engine {
namespace {

namespace fs = std::filesystem;

std::string contentOf(const fs::path& file)
{
    constexpr std::uint64_t kMostBytes = std::uint64_t {1} << 28;
    return contract::fileContent(file, kMostBytes);
}

/// Runs @p read; its sentence gets the file's name in front.
template <typename Read>
auto namingFile(const fs::path& file, Read read)
{
    try {
        return read();
    } catch (const std::runtime_error& error) {
        const std::string sentence = error.what();
        throw std::runtime_error(sentence.starts_with(file.string()) ? sentence : file.string() + ": " + sentence);
    }
}

void writeWhole(const fs::path& file, std::string_view content)
{
    std::ofstream stream(file, std::ios::binary);
    stream.write(content.data(), static_cast<std::streamsize>(content.size()));
    stream.close();
    if (!stream)
        throw std::runtime_error(file.string() + " cannot be written");
}

/// "1f468-200d-1f680"
std::string fileStem(const std::u32string& sequence)
{
    std::string stem;
    for (const char32_t character : sequence) {
        char number[12];
        std::snprintf(number, sizeof(number), "%s%04x", stem.empty() ? "" : "-", static_cast<unsigned>(character));
        stem += number;
    }
    return stem;
}

}  // namespace

int writeEmojiPictures(const contract::EmojiFiles& files, const fs::path& folder)
{
    if (const std::string missing = contract::missingIn(files); !missing.empty())
        throw std::runtime_error(missing);
    const auto emoji = namingFile(files.names, [&] { return parseEmojiNames(contentOf(files.names)); });
    const auto font = namingFile(files.font, [&] { return std::make_unique<EmojiFont>(contentOf(files.font)); });
    std::error_code error;
    fs::create_directories(folder, error);
    if (error)
        throw std::runtime_error(folder.string() + " cannot be made (" + error.message() + ")");
    int written = 0;
    for (const Emoji& one : emoji) {
        const auto png = namingFile(files.font, [&] { return font->png(one.sequence); });
        if (!png)
            continue;
        const std::string stem = fileStem(one.sequence);
        writeWhole(folder / (stem + ".png"), *png);
        writeWhole(folder / (stem + ".txt"), one.name + "\n");
        ++written;
    }
    if (written == 0)
        throw std::runtime_error(files.font.string() + " has none of the emoji of " + files.names.string());
    return written;
}

void makeEmojiPictures(const contract::EmojiFiles& files, const fs::path& folder)
{
    std::error_code error;
    if (fs::is_directory(folder, error))
        return;
    const fs::path unfinished = folder.string() + "." + std::to_string(::getpid());
    fs::remove_all(unfinished, error);
    writeEmojiPictures(files, unfinished);
    fs::rename(unfinished, folder, error);
    if (!error)
        return;
    std::error_code ignored;
    fs::remove_all(unfinished, ignored);
    if (!fs::is_directory(folder, ignored))  // else another run was first
        throw std::system_error(error, folder.string() + " cannot be made");
}

}  // namespace engine
