// atelier debug
#include "app/cli/catalogue.h"
#include "app/cli/cli11.h"
#include "app/cli/command.h"
#include "app/cli/find_run.h"
#include "app/cli/format.h"
#include "app/cli/output.h"
#include "app/cli/version.h"
#include "engine/contract/formats/folder_entries.h"
#include "engine/contract/formats/text.h"
#include "launcher/debug/debug_package.h"

#include <algorithm>
#include <memory>

namespace app {
namespace {

struct DebugRequest {
    std::string run;
    std::string file;
    std::string shown;  ///< the name of a file of the package that is printed; empty: none
    bool isPreview = false;
    bool isOverwriting = false;
    bool isJson = false;
};

void printFiles(const DebugRequest& request, const std::vector<launcher::DebugFile>& files)
{
    Json list = Json::array();
    using enum Table::Align;
    Table table({{"FILE"}, {"SIZE", Right}, {"SECRETS REMOVED", Right}});
    for (const launcher::DebugFile& file : files) {
        list.push_back({{"name", file.name}, {"bytes", file.text.size()}, {"secrets_removed", file.secrets}, {"names_replaced", file.names}});
        table.addRow({printable(file.name), formatBytes(file.text.size()), file.secrets > 0 ? formatCount(file.secrets) : ""});
    }
    if (request.isJson)
        printJson({{"file", request.isPreview ? Json(nullptr) : Json(request.file)}, {"files", list}});
    else if (request.isPreview)
        printText(table.text() + "`--show FILE` prints one of them.\n");
    else
        printText(table.text() + request.file + " was written. Look through it before you hand it on.\n");
}

ExitCode debug(const DebugRequest& request)
{
    if (!request.isPreview && request.shown.empty() && request.file.empty())
        throw Failure("debug: name the file to write, as in `atelier debug " + request.run + " debug.tar.gz`, or use --preview", kWrongUsage);
    const launcher::DataHome home = existingHome();
    const contract::RunFolder run = findRun(home, request.run);
    if (!request.isPreview && request.shown.empty() && !request.isOverwriting && contract::hasEntry(request.file))
        throw Failure("debug: " + request.file + " is there already; choose another name, or replace it with --overwrite");
    const std::vector<launcher::DebugFile> files = launcher::debugFiles(home, run, kVersion);
    if (!request.shown.empty()) {
        const auto file = std::ranges::find(files, request.shown, &launcher::DebugFile::name);
        if (file == files.end())
            throw Failure("debug: the package has no file " + request.shown + "; --preview lists them");
        printText(file->text);
        return kSuccess;
    }
    try {
        if (!request.isPreview)
            launcher::writeDebugPackage(request.file, run.id(), files);
    } catch (const std::exception& error) {
        throw Failure("debug: " + contract::sentenceOf(error));
    }
    printFiles(request, files);
    return kSuccess;
}

}  // namespace

void addDebugCommand(CLI::App& app, Action& action)
{
    const auto request = std::make_shared<DebugRequest>();
    CLI::App* command = app.add_subcommand("debug", "Write one file about a run that did not do what it should, to hand on");
    command->add_option("RUN", request->run, "Id, start of an id, name, or latest")->required();
    command->add_option("FILE", request->file, "The file to write, a .tar.gz");
    command->add_flag("--preview", request->isPreview, "Only list what it would hold");
    command->add_option("--show", request->shown, "Print one of its files instead")->type_name("NAME");
    command->add_flag("--overwrite", request->isOverwriting, "Replace FILE");
    command->add_flag("--json", request->isJson, "Print one JSON document");
    command->footer("It holds settings, the ends of journals and logs, a list of the run's files, and what `atelier doctor` says; no weights, samples or data. "
                    "Passwords, tokens and keys are removed, mail addresses and the names of user and machine are replaced.");
    command->callback([request, &action] { action = [request] { return debug(*request); }; });
}

}  // namespace app
