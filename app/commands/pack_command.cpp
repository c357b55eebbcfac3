// atelier pack, atelier unpack
#include "app/cli/catalogue.h"
#include "app/cli/cli11.h"
#include "app/cli/command.h"
#include "app/cli/find_run.h"
#include "app/cli/format.h"
#include "app/cli/live_line.h"
#include "app/cli/output.h"
#include "launcher/home/run_archive_file.h"
#include "storage/ingest.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <map>
#include <memory>
#include <system_error>

namespace app {
namespace {

struct PackRequest {
    std::string run;
    std::string file;
    std::string checkpoints = "all";
    bool isOverwriting = false;
    bool isJson = false;
};

/// Says on standard error how far a long copy has come.
class CopyLine {
public:
    explicit CopyLine(std::uint64_t total)
        : m_total(total)
    {
    }
    void show(std::uint64_t done)
    {
        constexpr std::uint64_t kLong = 200'000'000;
        if (m_total > kLong && ::isatty(STDERR_FILENO) == 1)
            m_line.show(formatBytes(done) + " of " + formatBytes(m_total));
    }

private:
    LiveLine m_line {stderr};
    std::uint64_t m_total;
};

void writeToStandardOutput(const void* data, std::size_t bytes)
{
    for (const char* at = static_cast<const char*>(data); bytes > 0;) {
        const ssize_t count = ::write(STDOUT_FILENO, at, bytes);
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0)
            throw Failure("standard output cannot be written: " + std::string(std::strerror(errno)));
        at += count;
        bytes -= static_cast<std::size_t>(count);
    }
}

void writeArchive(const launcher::RunArchive& archive, const PackRequest& request)
{
    CopyLine progress(archive.bytes());
    if (request.file == "-") {
        std::uint64_t done = 0;
        archive.write([&](const void* data, std::size_t bytes) {
            writeToStandardOutput(data, bytes);
            progress.show(done += bytes);
        });
        return;
    }
    std::error_code error;
    if (std::filesystem::exists(std::filesystem::symlink_status(request.file, error)) && !request.isOverwriting)
        throw Failure(request.file + " exists; choose another name, or use --overwrite to replace it");
    launcher::packToFile(archive, request.file, request.isOverwriting ? contract::Existing::Replace : contract::Existing::Refuse, [&progress](std::uint64_t done) {
        progress.show(done);
        return true;
    });
}

ExitCode pack(const PackRequest& request)
{
    static const std::map<std::string, launcher::PackedCheckpoints> kinds = {
        {"all", launcher::PackedCheckpoints::All}, {"last", launcher::PackedCheckpoints::Last}, {"none", launcher::PackedCheckpoints::None}};
    const bool isStream = request.file == "-";
    if (isStream && (request.isJson || ::isatty(STDOUT_FILENO) == 1))
        throw Failure("pack: with - the archive itself goes to standard output, which must be a pipe or a file, without --json", kWrongUsage);
    const contract::RunFolder folder = findRun(existingHome(), request.run);
    const launcher::RunArchive archive(folder, kinds.at(request.checkpoints));
    for (const std::string& sentence : archive.leftOut())
        printWarning(sentence);
    writeArchive(archive, request);
    if (request.isJson)
        printJson({{"run", folder.id()}, {"file", std::filesystem::absolute(request.file).string()}, {"files", archive.files()}, {"bytes", archive.bytes()}});
    else if (!isStream)
        printText("Packed " + folder.id() + ": " + formatCount(static_cast<std::int64_t>(archive.files())) + " files, "
            + formatBytes(archive.bytes()) + ". `atelier unpack " + request.file + "` brings the run into another data home.\n");
    return kSuccess;
}

std::size_t readFromStandardInput(void* data, std::size_t bytes)
{
    std::size_t done = 0;
    while (done < bytes) {
        const ssize_t count = ::read(STDIN_FILENO, static_cast<char*>(data) + done, bytes - done);
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0)
            throw Failure("standard input cannot be read: " + std::string(std::strerror(errno)));
        if (count == 0)
            break;
        done += static_cast<std::size_t>(count);
    }
    return done;
}

contract::RunFolder unpackFile(const launcher::DataHome& home, const std::string& file)
{
    std::error_code unknown;
    const std::uintmax_t bytes = std::filesystem::file_size(file, unknown);
    CopyLine progress(unknown ? 0 : bytes);
    return launcher::unpackFromFile(home, file, [&progress](std::uint64_t done) {
        progress.show(done);
        return true;
    });
}

ExitCode unpack(const PackRequest& request)
{
    const launcher::DataHome home = launcher::DataHome::locate();
    home.create();
    const bool isStream = request.file == "-";
    const contract::RunFolder folder = isStream ? launcher::unpackRun(home, readFromStandardInput) : unpackFile(home, request.file);
    try {
        storage::Store store(home.database());
        for (const std::string& problem : storage::Ingest(store).catchUp(folder).problems)
            printWarning(problem);
    } catch (const storage::StoreError& error) {
        printWarning(error.what());
    }
    if (request.isJson)
        printJson({{"run", folder.id()}, {"folder", folder.root().string()}});
    else
        printText("Unpacked " + folder.id() + " to " + folder.root().string() + "; every file has its checksum.\n");
    return kSuccess;
}

}  // namespace

void addPackCommands(CLI::App& app, Action& action)
{
    const auto request = std::make_shared<PackRequest>();
    CLI::App* packing = app.add_subcommand("pack", "Write a run with all its files to one archive, a plain tar file");
    packing->add_option("RUN", request->run, "Id, start of an id, name, or latest")->required();
    packing->add_option("FILE", request->file, "The archive, such as run.tar; - for standard output")->required();
    packing->add_option("--checkpoints", request->checkpoints, "Which checkpoints are packed")
        ->check(CLI::IsMember({"all", "last", "none"}))->capture_default_str();
    packing->add_flag("--overwrite", request->isOverwriting, "Replace FILE if it exists");
    packing->add_flag("--json", request->isJson, "Print one JSON document");
    packing->footer("The archive ends with checksums: `tar -xf FILE && sha256sum -c SHA256SUMS` unpacks and checks it without Atelier.");
    packing->callback([request, &action] { action = [request] { return pack(*request); }; });

    CLI::App* unpacking = app.add_subcommand("unpack", "Bring a packed run into the data home");
    unpacking->add_option("FILE", request->file, "An archive of `atelier pack`; - for standard input")->required();
    unpacking->add_flag("--json", request->isJson, "Print one JSON document");
    unpacking->callback([request, &action] { action = [request] { return unpack(*request); }; });
}

}  // namespace app
