// atelier data emoji
#include "app/cli/cli11.h"
#include "app/cli/command.h"
#include "app/cli/output.h"
#include "engine/emoji/emoji_pictures.h"

#include <memory>
#include <stdexcept>
#include <string>

namespace app {
namespace {

struct EmojiRequest {
    std::string folder;
    std::string font = contract::EmojiFiles().font, names = contract::EmojiFiles().names;
};

ExitCode writeEmoji(const EmojiRequest& request)
{
    try {
        const int written = engine::writeEmojiPictures({request.font, request.names}, request.folder);
        printText("Wrote " + std::to_string(written) + " pictures with their captions to " + request.folder + ".\n");
    } catch (const std::runtime_error& error) {
        throw Failure(error.what());
    }
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
