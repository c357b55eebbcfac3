// atelier data emoji
#include "app/cli/cli11.h"
#include "app/cli/command.h"
#include "app/cli/output.h"
#include "app/cli/target_folder.h"
#include "engine/emoji/emoji_images.h"

#include <memory>
#include <stdexcept>
#include <string>

namespace app {
namespace {

struct EmojiRequest {
    std::string folder;
    bool isOverwriting = false;
    std::string font = contract::EmojiFiles().font, names = contract::EmojiFiles().names;
};

ExitCode writeEmoji(const EmojiRequest& request)
{
    checkTargetFolder(request.folder, request.isOverwriting);
    try {
        const int written = engine::writeEmojiImages({request.font, request.names}, request.folder);
        printText("Wrote " + std::to_string(written) + " images with their captions to " + request.folder + ".\n");
    } catch (const std::runtime_error& error) {
        throw Failure(error.what());
    }
    return kSuccess;
}

}  // namespace

void addDataCommand(CLI::App& app, Action& action)
{
    const auto request = std::make_shared<EmojiRequest>();
    CLI::App* data = app.add_subcommand("data", "Create training data");
    data->require_subcommand(1);
    CLI::App* emoji
        = data->add_subcommand("emoji", "Write the emoji of a colour font, captioned with their names, to a folder");
    emoji->add_option("--to", request->folder, "Folder for NAME.png and NAME.txt; created when missing")->required();
    emoji->add_flag("--overwrite", request->isOverwriting, "Write to the folder even if it holds files");
    emoji->add_option("--font", request->font, "Colour font that contains PNG images")->capture_default_str();
    emoji->add_option("--names", request->names, "Unicode's emoji-test.txt")->capture_default_str();
    emoji->callback([request, &action] { action = [request] { return writeEmoji(*request); }; });
}

}  // namespace app
