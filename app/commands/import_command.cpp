// atelier import
#include "app/cli/catalogue.h"
#include "app/cli/cli11.h"
#include "app/cli/command.h"
#include "app/cli/format.h"
#include "app/cli/live_line.h"
#include "app/cli/output.h"
#include "engine/contract/formats/text.h"
#include "launcher/home/incoming_folder.h"
#include "storage/imports/import.h"
#include "storage/ingest.h"

#include <cstdio>
#include <memory>
#include <optional>
#include <utility>

namespace app {
namespace {

using What = storage::ImportResult::What;

struct ImportRequest {
    std::vector<std::string> paths;
    bool isJson = false;
};

const char* wordOf(What what)
{
    return what == What::New ? "new" : what == What::Extended ? "extended" : what == What::Changed ? "changed" : "known";
}

/// The index, as far as it can be used; the run folders are complete without it.
class Index {
public:
    explicit Index(const launcher::DataHome& home)
    {
        attempt([&] { m_store.emplace(home.database()); });
    }
    void add(const std::filesystem::path& folder)
    {
        attempt([&] {
            for (const std::string& problem : m_store ? storage::Ingest(*m_store).catchUp(contract::RunFolder(folder)).problems : std::vector<std::string>())
                printWarning(problem);
        });
    }

private:
    template <typename Work>
    void attempt(Work work)
    {
        try {
            work();
        } catch (const storage::StoreError& error) {
            printWarning(error.what());
            m_store.reset();
        }
    }
    std::optional<storage::Store> m_store;
};

/// @param failures counts the paths that cannot be read, of which there are others. @throws std::runtime_error when the only one cannot
std::vector<storage::ForeignRun> foundAt(const std::vector<std::string>& paths, std::size_t& failures)
{
    std::vector<storage::ForeignRun> runs;
    for (const std::string& path : paths) {
        std::vector<storage::ForeignRun> found;
        std::vector<std::string> problems;
        try {
            found = storage::findForeignRuns(path, problems);
        } catch (const std::runtime_error& error) {
            if (paths.size() == 1)
                throw;
            ++failures;
            printError(contract::sentenceOf(error));
            continue;
        }
        for (const std::string& problem : problems)
            found.empty() ? printError(problem) : printWarning(problem);
        if (found.empty() && problems.empty())
            printWarning(path + " holds nothing to import: no event files of TensorBoard, no offline run of Weights & Biases, no trackio database; tables (.csv, .json) are to be named themselves");
        runs.insert(runs.end(), std::make_move_iterator(found.begin()), std::make_move_iterator(found.end()));
    }
    return runs;
}

ExitCode importAll(const ImportRequest& request)
{
    std::size_t failures = 0;
    const std::vector<storage::ForeignRun> runs = foundAt(request.paths, failures);
    if (runs.empty())
        return kFailed;
    const launcher::DataHome home = launcher::DataHome::locate();
    home.create();
    const launcher::IncomingFolder staging(home);
    Index index(home);
    Table table({{"RUN"}, {"FROM"}, {"VALUES", Table::Align::Right}, {""}});
    Json list = Json::array();
    for (const storage::ForeignRun& run : runs) {
        try {
            const storage::ImportResult result = storage::importRun(run, home.runs(), staging.path());
            index.add(result.folder);
            const std::string id = result.folder.filename().string();
            for (const std::string& sentence : result.leftOut)
                printWarning(id + ": " + printable(sentence));
            table.addRow({id, nameOf(run.program), formatCount(result.newValues), wordOf(result.what)});
            list.push_back({{"run", id}, {"program", nameOf(run.program)}, {"source", run.place.string()}, {"what", wordOf(result.what)},
                {"new_values", result.newValues}, {"left_out", result.leftOut}});
        } catch (const std::runtime_error& error) {
            ++failures;
            printError(contract::sentenceOf(error));
        }
    }
    if (request.isJson)
        printJson({{"runs", list}, {"failures", failures}});
    else if (!table.isEmpty())
        printText(table.text());
    return failures == 0 ? kSuccess : kFailed;
}

}  // namespace

void addImportCommand(CLI::App& app, Action& action)
{
    const auto request = std::make_shared<ImportRequest>();
    CLI::App* command = app.add_subcommand("import", "Bring runs of TensorBoard, Weights & Biases or trackio, and tables of metrics, into the data home");
    command->add_option("PATH", request->paths,
               "Folders with event files, offline runs (offline-run-*) or databases of trackio in or below them; such files; or a table of metrics (.csv, .tsv, .json, .jsonl)")
        ->required();
    command->add_flag("--json", request->isJson, "Print one JSON document");
    command->footer("Nothing is changed where the runs come from. Importing again adds what is new there.\n\n"
                    "A table has a row or an object for each step, with step, global_step, iteration or epoch as the name of what tells the step. What\n"
                    "`atelier export` writes comes back with every value, rank and attempt. Downloads from TensorBoard and Weights & Biases are tables, too, and so\n"
                    "is transformers' trainer_state.json. In folders tables are not looked for: name the files.\n\n"
                    "  atelier import metrics.csv\n"
                    "  atelier import run-train-tag-loss.csv wandb_export.csv");
    command->callback([request, &action] { action = [request] { return importAll(*request); }; });
}

}  // namespace app
