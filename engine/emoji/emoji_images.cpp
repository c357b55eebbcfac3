#include "engine/emoji/emoji_images.h"

#include "engine/contract/formats/file_content.h"
#include "engine/contract/formats/temporary_name.h"
#include "engine/emoji/emoji_font.h"
#include "engine/emoji/emoji_names.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
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
    constexpr std::uint64_t kMaxBytes = std::uint64_t {1} << 28;
    return contract::fileContent(file, kMaxBytes);
}

/// Runs @p read and puts the file's name in front of its error messages.
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

/// Waits until the files of @p folder are on the disk, with everything else on that disk: one by one, thousands take minutes.
void syncDiskOf(const fs::path& folder)
{
    const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const bool isSynced = descriptor >= 0 && ::syncfs(descriptor) == 0;
    const int cause = errno;
    if (descriptor >= 0)
        ::close(descriptor);
    if (!isSynced)
        throw std::system_error(cause, std::generic_category(), folder.string());
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

void forEachEmoji(const contract::EmojiFiles& files, const std::function<void(const std::string& stem, std::string_view png, const std::string& name)>& visit)
{
    if (const std::string missing = contract::describeMissingFile(files); !missing.empty())
        throw std::runtime_error(missing);
    const auto emoji = namingFile(files.names, [&] { return parseEmojiNames(contentOf(files.names)); });
    const auto font = namingFile(files.font, [&] { return std::make_unique<EmojiFont>(contentOf(files.font)); });
    for (const Emoji& one : emoji) {
        if (const auto png = namingFile(files.font, [&] { return font->png(one.sequence); }))
            visit(fileStem(one.sequence), *png, one.name);
    }
}

int writeEmojiImages(const contract::EmojiFiles& files, const fs::path& folder)
{
    if (const std::string missing = contract::describeMissingFile(files); !missing.empty())
        throw std::runtime_error(missing);
    std::error_code error;
    fs::create_directories(folder, error);
    if (error)
        throw std::runtime_error(folder.string() + " cannot be created (" + error.message() + ")");
    int written = 0;
    forEachEmoji(files, [&](const std::string& stem, std::string_view png, const std::string& name) {
        writeWhole(folder / (stem + ".png"), png);
        writeWhole(folder / (stem + ".txt"), name + "\n");
        ++written;
    });
    if (written == 0)
        throw std::runtime_error(files.font.string() + " contains none of the emoji in " + files.names.string());
    return written;
}

void makeEmojiImages(const contract::EmojiFiles& files, const fs::path& folder)
{
    std::error_code error;
    if (fs::is_directory(folder, error))
        return;
    const fs::path unfinished = contract::temporaryName(folder);
    std::error_code ignored;
    try {
        writeEmojiImages(files, unfinished);
        syncDiskOf(unfinished);
    } catch (...) {
        fs::remove_all(unfinished, ignored);
        throw;
    }
    fs::rename(unfinished, folder, error);
    if (!error)
        return;
    fs::remove_all(unfinished, ignored);
    if (!fs::is_directory(folder, ignored))  // otherwise another process has created it
        throw std::system_error(error, folder.string() + " cannot be created");
}

}  // namespace engine
