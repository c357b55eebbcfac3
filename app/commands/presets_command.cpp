// atelier presets [list|show|save|rename|rm]
#include "app/cli/cli11.h"
#include "app/cli/command.h"
#include "app/cli/experiment_options.h"
#include "app/cli/format.h"
#include "app/cli/output.h"
#include "engine/contract/experiment/toml_text.h"
#include "engine/contract/formats/file_content.h"
#include "launcher/home/presets.h"

#include <cstdint>
#include <filesystem>
#include <memory>

namespace app {
namespace {

constexpr std::uint64_t kLargestPreset = 16 << 20;

struct PresetsRequest {
    std::string name;
    std::string newName;
    ExperimentChoice choice;
    ExperimentChanges changes;
    bool isJson = false;
};

ExitCode list(const PresetsRequest& request)
{
    Table table({{"NAME"}, {"FILE"}});
    Json rows = Json::array();
    for (const launcher::Preset& preset : launcher::presets(launcher::DataHome::locate())) {
        table.addRow({printable(preset.name), preset.file.string()});
        rows.push_back({{"name", preset.name}, {"file", preset.file.string()}});
    }
    if (request.isJson)
        printJson(rows);
    else
        printText(table.isEmpty() ? "No presets yet: `atelier presets save NAME FILE` or Ctrl+S in the launch window saves one.\n" : table.text());
    return kSuccess;
}

ExitCode show(const PresetsRequest& request)
{
    const std::filesystem::path file = launcher::presetFile(launcher::DataHome::locate(), request.name);
    const std::string toml = contract::fileContent(file, kLargestPreset);
    if (request.isJson)
        printJson({{"name", request.name}, {"file", file.string()}, {"toml", toml}});
    else
        printText(toml);
    return kSuccess;
}

ExitCode save(const PresetsRequest& request)
{
    const launcher::DataHome home = launcher::DataHome::locate();
    const std::filesystem::path file = chosenFile(home, request.choice);
    const auto experiment = readExperiment(file, request.changes);
    // The file of a run lists every option and has no comments to keep.
    const std::string text = request.choice.like.empty()
        ? contract::withValuesOf(contract::fileContent(file, kLargestPreset), experiment, launcher::presetsFolder(home))
        : experiment.toToml(contract::Experiment::Write::ChangedOnly);
    launcher::savePreset(home, request.name, text);
    printText("Saved as " + launcher::presetFile(home, request.name).string() + ".\n");
    return kSuccess;
}

ExitCode rename(const PresetsRequest& request)
{
    launcher::renamePreset(launcher::DataHome::locate(), request.name, request.newName);
    printText("Renamed " + request.name + " to " + request.newName + ".\n");
    return kSuccess;
}

ExitCode remove(const PresetsRequest& request)
{
    launcher::deletePreset(launcher::DataHome::locate(), request.name);
    printText("Deleted the preset " + request.name + ".\n");
    return kSuccess;
}

}  // namespace

void addPresetsCommand(CLI::App& app, Action& action)
{
    const auto request = std::make_shared<PresetsRequest>();
    CLI::App* command = app.add_subcommand("presets", "List, save, rename or delete experiments that are kept by name");
    const auto set = [request, &action](ExitCode (*handler)(const PresetsRequest&)) { action = [request, handler] { return handler(*request); }; };
    command->add_flag("--json", request->isJson, "Print one JSON document");
    command->callback([set, command] {
        if (command->get_subcommands().empty())
            set(list);
    });
    CLI::App* listing = command->add_subcommand("list", "List the presets; the same as `atelier presets`");
    listing->add_flag("--json", request->isJson, "Print one JSON document");
    listing->callback([set] { set(list); });
    CLI::App* showing = command->add_subcommand("show", "Print a preset");
    showing->add_option("NAME", request->name, "The preset")->required();
    showing->add_flag("--json", request->isJson, "Print one JSON document");
    showing->callback([set] { set(show); });
    CLI::App* saving = command->add_subcommand("save", "Keep an experiment by name, in place of a preset of that name");
    saving->add_option("NAME", request->name, "Name of the preset, with which `atelier run` then starts it")->required();
    addExperimentChoice(*saving, request->choice);
    addExperimentOptions(*saving, request->changes);
    saving->callback([set] { set(save); });
    CLI::App* renaming = command->add_subcommand("rename", "Give a preset another name");
    renaming->add_option("NAME", request->name, "The preset")->required();
    renaming->add_option("NEW", request->newName, "Its new name")->required();
    renaming->callback([set] { set(rename); });
    CLI::App* removing = command->add_subcommand("rm", "Delete a preset");
    removing->add_option("NAME", request->name, "The preset")->required();
    removing->callback([set] { set(remove); });
    command->footer("Presets are experiment files in the folder presets beside the settings; they appear in the launch window, too.");
}

}  // namespace app
