// atelier rename, tag, project, note, look and archive: what the user adds to runs
#include "app/cli/catalogue.h"
#include "app/cli/cli11.h"
#include "app/cli/command.h"
#include "app/cli/find_run.h"
#include "app/cli/output.h"
#include "engine/contract/run/annotations.h"
#include "storage/ingest.h"

#include <algorithm>
#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace app {
namespace {

using Change = std::function<void(contract::Annotations&)>;

/// Brings the database up to date. An error is only a warning, because the next command or window reads the folders anyway.
void ingest(const launcher::DataHome& home, const std::vector<contract::RunFolder>& folders)
{
    try {
        storage::Store store(home.database());
        storage::Ingest ingest(store);
        for (const contract::RunFolder& folder : folders) {
            for (const std::string& problem : ingest.catchUp(folder).problems)
                printWarning(problem);
        }
    } catch (const storage::StoreError& error) {
        printWarning(error.what());
    }
}

ExitCode annotate(const std::vector<std::string>& runs, const Change& change, const std::string& what)
{
    const launcher::DataHome home = existingHome();
    std::vector<contract::RunFolder> folders;
    for (const std::string& name : runs) {
        const contract::RunFolder folder = findRun(home, name);
        if (std::ranges::find(folders, folder.root(), &contract::RunFolder::root) == folders.end())
            folders.push_back(folder);
    }
    for (const contract::RunFolder& folder : folders) {
        const contract::Annotations before = contract::readAnnotations(folder.annotations());
        contract::Annotations after = before;
        change(after);
        contract::appendAnnotations(folder.annotations(), before, after);
        printText((before == after ? "Nothing to change in " : what + " ") + folder.id() + ".\n");
    }
    ingest(home, folders);
    return kSuccess;
}

struct Request {
    std::vector<std::string> runs;
    std::string text;
    std::vector<std::string> added;
    std::vector<std::string> removed;
    bool isRestoring = false;
    std::optional<std::string> color;
    std::optional<std::string> dash;
    std::optional<std::string> marker;
};

CLI::App* addCommand(CLI::App& app, const char* name, const char* help, const std::shared_ptr<Request>& request)
{
    CLI::App* command = app.add_subcommand(name, help);
    command->add_option("RUN", request->runs, "Ids, starts of ids, names, or latest")->required();
    return command;
}

void addRename(CLI::App& app, Action& action)
{
    const auto request = std::make_shared<Request>();
    CLI::App* command = app.add_subcommand("rename", "Give a run another name; its id stays");
    request->runs.resize(1);
    command->add_option("RUN", request->runs.front(), "Id, start of an id, name, or latest")->required();
    command->add_option("NAME", request->text, "The new name; empty: the experiment's run.name")->required();
    command->callback([request, &action] {
        action = [request] {
            return annotate(request->runs, [request](contract::Annotations& run) { run.name = request->text; }, "Renamed");
        };
    });
}

bool isBlank(const std::string& text) { return text.find_first_not_of(" \t\n") == std::string::npos; }

void addTag(CLI::App& app, Action& action)
{
    const auto request = std::make_shared<Request>();
    CLI::App* command = addCommand(app, "tag", "Add tags to runs, or remove them", request);
    command->add_option("--add", request->added, "A tag to add")->type_name("TAG")->allow_extra_args(false);
    command->add_option("--remove", request->removed, "A tag to remove")->type_name("TAG")->allow_extra_args(false);
    command->callback([request, &action] {
        action = [request] {
            if (request->added.empty() && request->removed.empty())
                throw Failure("tag: give --add TAG, --remove TAG or both", kWrongUsage);
            if (std::ranges::any_of(request->added, isBlank))
                throw Failure("tag: a tag to add must not be empty", kWrongUsage);
            const auto change = [request](contract::Annotations& run) {
                for (const std::string& tag : request->removed)
                    std::erase(run.tags, tag);
                for (const std::string& tag : request->added) {
                    if (std::ranges::find(run.tags, tag) == run.tags.end())
                        run.tags.push_back(tag);
                }
            };
            return annotate(request->runs, change, "Changed the tags of");
        };
    });
}

void addProject(CLI::App& app, Action& action)
{
    const auto request = std::make_shared<Request>();
    CLI::App* command = addCommand(app, "project", "Give runs another project", request);
    command->add_option("--to", request->text, "The project; empty: the experiment's run.project")->type_name("PROJECT")->required();
    command->callback([request, &action] {
        action = [request] {
            return annotate(request->runs, [request](contract::Annotations& run) { run.project = request->text; },
                "Changed the project of");
        };
    });
}

void addNote(CLI::App& app, Action& action)
{
    const auto request = std::make_shared<Request>();
    CLI::App* command = addCommand(app, "note", "Write a note about runs, in place of the one before", request);
    command->add_option("--text", request->text, "The note; empty: none")->type_name("TEXT")->required();
    command->callback([request, &action] {
        action = [request] {
            return annotate(request->runs, [request](contract::Annotations& run) { run.notes = request->text; }, "Changed the note of");
        };
    });
}

template <std::size_t Count>
std::string listed(const std::array<std::string_view, Count>& words)
{
    std::string list;
    for (std::size_t word = 1; word < Count; ++word)
        list += std::string(words[word]) + ", ";
    return list + "or " + std::string(words.front());
}

/// Changes @p line as the command line says. @throws Failure when it names no colour, dash pattern or marker.
void setLine(const Request& request, contract::RunLine& line)
{
    if (request.color && !contract::setColour(line, *request.color))
        throw Failure("look: --color " + *request.color + " is no colour; give six hexadecimal digits, as in '#d55e00', or automatic", kWrongUsage);
    if (request.dash && !contract::setDash(line, *request.dash))
        throw Failure("look: --line takes " + listed(contract::kLineDashes) + ", not " + *request.dash, kWrongUsage);
    if (request.marker && !contract::setMarker(line, *request.marker))
        throw Failure("look: --marker takes " + listed(contract::kLineMarkers) + ", not " + *request.marker, kWrongUsage);
}

void addLook(CLI::App& app, Action& action)
{
    const auto request = std::make_shared<Request>();
    CLI::App* command = addCommand(app, "look", "Choose how plots draw the lines of runs", request);
    command->add_option("--color", request->color, "'#RRGGBB', or automatic; drawn darker or lighter where the background needs it")->type_name("COLOR");
    command->add_option("--line", request->dash, "One of " + listed(contract::kLineDashes))->type_name("DASH");
    command->add_option("--marker", request->marker, "One of " + listed(contract::kLineMarkers))->type_name("MARKER");
    command->callback([request, &action] {
        action = [request] {
            if (!request->color && !request->dash && !request->marker)
                throw Failure("look: give --color, --line, --marker or several of them", kWrongUsage);
            return annotate(request->runs, [request](contract::Annotations& run) { setLine(*request, run.line); }, "Changed the look of");
        };
    });
}

void addArchive(CLI::App& app, Action& action)
{
    const auto request = std::make_shared<Request>();
    CLI::App* command = addCommand(app, "archive", "Hide runs from lists, or show them again", request);
    command->add_flag("--restore", request->isRestoring, "Show the runs again");
    command->callback([request, &action] {
        action = [request] {
            return annotate(request->runs, [request](contract::Annotations& run) { run.isArchived = !request->isRestoring; },
                request->isRestoring ? "Restored" : "Archived");
        };
    });
}

}  // namespace

void addAnnotateCommands(CLI::App& app, Action& action)
{
    addRename(app, action);
    addTag(app, action);
    addProject(app, action);
    addNote(app, action);
    addLook(app, action);
    addArchive(app, action);
}

}  // namespace app
