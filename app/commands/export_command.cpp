// atelier export
#include "app/cli/catalogue.h"
#include "app/cli/cli11.h"
#include "app/cli/command.h"
#include "app/cli/find_run.h"
#include "app/cli/output.h"
#include "app/cli/target_file.h"
#include "app/cli/target_folder.h"
#include "engine/contract/formats/temporary_name.h"
#include "storage/exports/export_metrics.h"
#include "storage/exports/tensorboard_export.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace app {
namespace {

struct ExportRequest {
    std::vector<std::string> runs;
    bool isCsv = false;
    bool isJson = false;
    std::string tensorBoard;  ///< folder for event files; empty: none
    std::string output;
    bool isOverwriting = false;
};

/// Writes to standard output, or to a temporary file that finish() renames.
class Target {
public:
    Target(const std::string& file, bool isOverwriting)
        : m_file(file)
        , m_existing(isOverwriting ? contract::Existing::Replace : contract::Existing::Refuse)
        , m_temporary(file.empty() ? "" : contract::temporaryName(file).string())
        , m_stream(file.empty() ? stdout : std::fopen(m_temporary.c_str(), "we"))
    {
        if (!m_stream)
            fail();
    }
    ~Target()
    {
        if (m_stream && m_stream != stdout) {
            std::fclose(m_stream);
            ::unlink(m_temporary.c_str());
        }
    }
    Target(const Target&) = delete;
    Target& operator=(const Target&) = delete;

    void write(std::string_view text)
    {
        if (std::fwrite(text.data(), 1, text.size(), m_stream) != text.size())
            fail();
    }
    void finish()
    {
        if (std::fflush(m_stream) != 0)
            fail();
        if (m_stream == stdout)
            return;
        if (::fsync(::fileno(m_stream)) != 0)
            fail();
        errno = contract::publishFile(m_temporary, m_file, m_existing);
        if (errno == EEXIST)  // another export was at it, too
            checkTargetFile(m_file, false);
        if (errno != 0)
            fail();
        std::fclose(std::exchange(m_stream, nullptr));
    }

private:
    [[noreturn]] void fail() const
    {
        throw Failure((m_file.empty() ? "standard output" : m_file) + " cannot be written: "
            + std::strerror(errno));
    }

    std::string m_file;
    contract::Existing m_existing;
    std::string m_temporary;
    std::FILE* m_stream;
};

/// @param file empty: standard output
void writeValues(const storage::Store& store, const std::string& id, const ExportRequest& request, const std::string& file)
{
    Target target(file, request.isOverwriting);
    const auto write = [&](std::string_view text) { target.write(text); };
    if (request.isCsv)
        storage::exportCsv(store, id, write);
    else
        storage::exportJson(store, id, write);
    target.finish();
}

void writeEventFiles(const storage::Store& store, const std::vector<std::string>& ids, const std::filesystem::path& folder)
{
    for (const std::string& id : ids)
        checkTargetFolder(folder / id, false);
    for (const std::string& id : ids) {
        storage::exportTensorBoard(store, id, folder / id);
        printText((folder / id).string() + "\n");
    }
}

ExitCode exportRuns(const ExportRequest& request)
{
    if (int(request.isCsv) + int(request.isJson) + int(!request.tensorBoard.empty()) != 1)
        throw Failure("export: give one of --csv, --json and --tensorboard", kWrongUsage);
    if (!request.tensorBoard.empty() && !request.output.empty())
        throw Failure("export: --tensorboard names the folder itself; leave --output out", kWrongUsage);
    const bool isOne = request.runs.size() == 1;
    if (!isOne && request.tensorBoard.empty() && request.output.empty())
        throw Failure("export: name the folder for the files of several runs with --output", kWrongUsage);
    if (!request.output.empty() && isOne)
        checkTargetFile(request.output, request.isOverwriting);
    const launcher::DataHome home = existingHome();
    std::vector<std::string> ids;
    for (const std::string& run : request.runs) {
        if (const std::string id = findRun(home, run).id(); std::ranges::find(ids, id) == ids.end())
            ids.push_back(id);
    }
    const storage::Store store = openCatalogue(home);
    if (!request.tensorBoard.empty()) {
        writeEventFiles(store, ids, request.tensorBoard);
    } else if (isOne) {
        writeValues(store, ids.front(), request, request.output);
    } else {
        const std::filesystem::path folder = request.output;
        const auto file = [&](const std::string& id) { return (folder / (id + (request.isCsv ? ".csv" : ".json"))).string(); };
        for (const std::string& id : ids)
            checkTargetFile(file(id), request.isOverwriting);
        std::error_code error;
        if (std::filesystem::create_directories(folder, error); error)
            throw Failure(folder.string() + " cannot be created: " + error.message());
        for (const std::string& id : ids) {
            writeValues(store, id, request, file(id));
            printText(file(id) + "\n");
        }
    }
    return kSuccess;
}

}  // namespace

void addExportCommand(CLI::App& app, Action& action)
{
    const auto request = std::make_shared<ExportRequest>();
    CLI::App* command = app.add_subcommand("export", "Write every metric value of runs, without loss of precision");
    command->add_option("RUN", request->runs, "Id, start of an id, name, or latest")->required();
    command->add_flag("--csv", request->isCsv, "Write CSV, one value per line");
    command->add_flag("--json", request->isJson, "Write one JSON document");
    command->add_option("--tensorboard", request->tensorBoard,
               "Write event files for TensorBoard to DIR/RUN: curves as float32, samples and options")
        ->type_name("DIR");
    command->add_option("-o,--output", request->output, "File to write instead of standard output; of several runs the folder for files RUN.csv or RUN.json")
        ->type_name("FILE");
    command->add_flag("--overwrite", request->isOverwriting, "Replace FILE if it exists");
    command->callback([request, &action] { action = [request] { return exportRuns(*request); }; });
}

}  // namespace app
