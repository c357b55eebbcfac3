// atelier data emoji
#include "app/cli/cli11.h"
#include "app/cli/command.h"
#include "app/cli/output.h"
#include "app/emoji/emoji_font.h"
#include "app/emoji/emoji_names.h"
#include "engine/contract/file_content.h"

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>

namespace app {
namespace {

namespace fs = std::filesystem;

struct EmojiRequest {
    std::string folder;
    std::string font = "/usr/share/fonts/truetype/noto/NotoColorEmoji.ttf";
    std::string names = "/usr/share/unicode/emoji/emoji-test.txt";
};

/// The file's content; where it is missing, the sentence says which package has it.
std::string contentOf(const std::string& file, const char* package)
{
    constexpr std::uint64_t kMostBytes = std::uint64_t {1} << 28;
    if (!fs::exists(file))
        throw Failure(file + " is missing; Debian's package " + package + " has it");
    return contract::fileContent(file, kMostBytes);
}

/// Runs @p read; its sentence gets the file's name in front.
template <typename Read>
auto namingFile(const std::string& file, Read read)
{
    try {
        return read();
    } catch (const std::runtime_error& error) {
        const std::string sentence = error.what();
        throw Failure(sentence.starts_with(file) ? sentence : file + ": " + sentence);
    }
}

void writeWhole(const fs::path& file, std::string_view content)
{
    std::ofstream stream(file, std::ios::binary);
    stream.write(content.data(), static_cast<std::streamsize>(content.size()));
    stream.close();
    if (!stream)
        throw Failure(file.string() + " cannot be written");
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

ExitCode writeEmoji(const EmojiRequest& request)
{
    const auto emoji = namingFile(request.names, [&] { return parseEmojiNames(contentOf(request.names, "unicode-data")); });
    const auto font = namingFile(
        request.font, [&] { return std::make_unique<EmojiFont>(contentOf(request.font, "fonts-noto-color-emoji")); });
    const fs::path folder = request.folder;
    std::error_code error;
    fs::create_directories(folder, error);
    if (error)
        throw Failure(request.folder + " cannot be made (" + error.message() + ")");
    int written = 0;
    for (const Emoji& one : emoji) {
        const auto png = namingFile(request.font, [&] { return font->png(one.sequence); });
        if (!png)
            continue;
        const std::string stem = fileStem(one.sequence);
        writeWhole(folder / (stem + ".png"), *png);
        writeWhole(folder / (stem + ".txt"), one.name + "\n");
        ++written;
    }
    if (written == 0)
        throw Failure(request.font + " has none of the emoji of " + request.names);
    printText("Wrote " + std::to_string(written) + " pictures with their captions to " + request.folder + ".\n");
    return kSuccess;
}

}  // namespace

void addDataCommand(CLI::App& app, Action& action)
{
    const auto request = std::make_shared<EmojiRequest>();
    CLI::App* data = app.add_subcommand("data", "Make data to train on");
    data->require_subcommand(1);
    CLI::App* emoji = data->add_subcommand("emoji", "Write the emoji of a colour font, captioned with their names, to a folder");
    emoji->add_option("--to", request->folder, "Folder for NAME.png and NAME.txt; made when missing")->required();
    emoji->add_option("--font", request->font, "Colour font with PNGs in it")->capture_default_str();
    emoji->add_option("--names", request->names, "Unicode's emoji-test.txt")->capture_default_str();
    emoji->callback([request, &action] { action = [request] { return writeEmoji(*request); }; });
}

}  // namespace app
