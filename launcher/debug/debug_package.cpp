#include "launcher/debug/debug_package.h"

#include "engine/contract/experiment/experiment.h"
#include "engine/contract/formats/folder_entries.h"
#include "engine/contract/formats/output_file.h"
#include "engine/contract/run/origin.h"
#include "engine/contract/variables/variable_list.h"
#include "launcher/base/file_end.h"
#include "launcher/base/tar_stream.h"
#include "launcher/debug/machine_facts.h"
#include "launcher/debug/redaction.h"
#include "launcher/state/failure_report.h"
#include "launcher/state/run_state.h"
#include "launcher/supervisor/webhook.h"

#include <QDateTime>

#include <zlib.h>

#include <algorithm>
#include <stdexcept>
#include <system_error>
#include <utility>

namespace launcher {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kMostBytes = std::int64_t {256} << 10;      // of a file
constexpr std::int64_t kBeginning = std::int64_t {16} << 10;       // of them from its beginning
constexpr std::size_t kMostInAll = std::size_t {16} << 20;
constexpr std::size_t kMostListed = 20'000;

std::string timeText(std::int64_t unixMs) { return QDateTime::fromMSecsSinceEpoch(unixMs, Qt::UTC).toString(Qt::ISODateWithMs).toStdString(); }

/// The beginning and the end of a text file, cut between lines.
std::string excerpt(const fs::path& file)
{
    FileEnd end = readFileEnd(file, 0, kMostBytes - kBeginning);
    if (end.isWhole)
        return std::move(end.text);
    std::string beginning = readFilePart(file, 0, kBeginning);
    beginning.erase(beginning.rfind('\n') + 1);
    end.text.erase(0, end.text.find('\n') + 1);
    const std::int64_t leftOut = end.size - static_cast<std::int64_t>(beginning.size() + end.text.size());
    return beginning + "… " + std::to_string(leftOut) + " bytes are left out here …\n" + end.text;
}

std::string about(const DataHome& home, const contract::RunFolder& run, const std::string& version)
{
    const RunStatus status = inspectRun(run);
    std::string text = "Atelier " + version + "\nwritten: " + timeText(nowUnixMs()) + "\nrun: " + run.id() + "\nstate: " + std::string(stateName(status.state))
        + "\nattempt: " + std::to_string(status.attempt) + "\nranks: " + std::to_string(status.ranks) + "\nstep: " + std::to_string(status.step) + " of "
        + std::to_string(status.totalSteps) + "\n";
    if (!status.cause.empty())
        text += "cause: " + status.cause + "\n";
    if (status.lastRecordUnixMs > 0)
        text += "last record: " + timeText(status.lastRecordUnixMs) + "\n";
    return text + "\n" + machineFacts(home);
}

/// Name, bytes and time of everything in the run's folder, without following links.
std::string listOf(const contract::RunFolder& run)
{
    std::string text;
    std::size_t count = 0;
    std::error_code error;
    for (fs::recursive_directory_iterator entry(run.root(), fs::directory_options::skip_permission_denied, error), none; !error && entry != none;
         entry.increment(error)) {
        if (++count > kMostListed) {
            text += "… and more\n";
            break;
        }
        std::error_code ignored;
        const fs::file_status status = entry->symlink_status(ignored);
        const std::string name = entry->path().lexically_relative(run.root()).string();
        if (fs::is_regular_file(status))
            text += name + "\t" + std::to_string(entry->file_size(ignored)) + " bytes\n";
        else
            text += name + (fs::is_directory(status) ? "/\n" : fs::is_symlink(status) ? "\ta link\n" : "\tneither file nor folder\n");
    }
    return error ? text + "… the rest cannot be read: " + error.message() + "\n" : text;
}

/// The texts of a run, the most telling first.
std::vector<fs::path> textsOf(const contract::RunFolder& run)
{
    std::vector<fs::path> files;
    constexpr std::size_t kMostAttempts = 20;
    std::vector<int> attempts = run.attempts();
    attempts.erase(attempts.begin(), attempts.end() - static_cast<std::ptrdiff_t>(std::min(attempts.size(), kMostAttempts)));
    for (const int attempt : attempts) {
        files.push_back(run.config(attempt));
        files.push_back(run.start(attempt));
    }
    files.push_back(contract::originFile(run));
    files.push_back(run.control());
    for (const fs::path& folder : {run.journals(), run.logs()}) {
        std::vector<fs::path> entries = contract::entriesOf(folder);
        // rank-2 before rank-10
        std::ranges::stable_sort(entries, {}, [](const fs::path& entry) { return entry.filename().string().size(); });
        files.insert(files.end(), entries.begin(), entries.end());
    }
    std::erase_if(files, [](const fs::path& file) {
        std::error_code error;
        return !fs::is_regular_file(fs::symlink_status(file, error));
    });
    return files;
}

std::string compressed(const std::string& content)
{
    constexpr int kGzip = 16;
    z_stream stream {};
    if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, MAX_WBITS + kGzip, MAX_MEM_LEVEL, Z_DEFAULT_STRATEGY) != Z_OK)
        throw std::runtime_error("the debug package could not be compressed");
    std::string out(deflateBound(&stream, static_cast<uLong>(content.size())), '\0');
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(content.data()));
    stream.avail_in = static_cast<uInt>(content.size());
    stream.next_out = reinterpret_cast<Bytef*>(out.data());
    stream.avail_out = static_cast<uInt>(out.size());
    const int ending = deflate(&stream, Z_FINISH);
    out.resize(stream.total_out);
    deflateEnd(&stream);
    if (ending != Z_STREAM_END)
        throw std::runtime_error("the debug package could not be compressed");
    return out;
}

/// The values of the variables of the ranks that are called as secrets are.
std::vector<std::string> secretVariables(const contract::RunFolder& run)
{
    std::vector<std::string> secrets;
    for (const int attempt : run.attempts()) {
        for (const auto& [name, value] : contract::parseVariables(contract::loadExperiment(run.config(attempt)).experiment.text("launch.environment")).variables) {
            if (Redaction::isSecretName(name))
                secrets.push_back(value);
        }
    }
    return secrets;
}

}  // namespace

std::vector<DebugFile> debugFiles(const DataHome& home, const contract::RunFolder& run, const std::string& version)
{
    std::vector<std::string> secrets = secretVariables(run);
    try {
        secrets.push_back(webhook(home));
    } catch (const std::runtime_error&) {
        // Then nothing of it can be in the texts either.
    }
    const Redaction redaction = Redaction::here(secrets);
    std::vector<DebugFile> files;
    std::size_t bytes = 0;
    std::string leftOut;
    const auto add = [&](const std::string& name, const std::string& text) {
        if (bytes + text.size() > kMostInAll) {
            leftOut += name + "\n";
            return;
        }
        Redaction::Result result = redaction.apply(text);
        bytes += result.text.size();
        files.push_back({name, std::move(result.text), result.secrets, result.names});
    };
    add("about.txt", about(home, run, version));
    if (const auto failure = readFailure(run))
        add("failure.txt", failureText(*failure));
    add("doctor.txt", doctorText());
    add("files.txt", listOf(run));
    for (const fs::path& file : textsOf(run))
        add(file.lexically_relative(run.root()).string(), excerpt(file));
    if (!leftOut.empty())
        files.push_back({"left-out.txt", "The package would be too large with these files of the run:\n" + leftOut});
    return files;
}

void writeDebugPackage(const fs::path& archive, const std::string& runId, const std::vector<DebugFile>& files)
{
    std::string content;
    TarWriter writer([&content](const void* data, std::size_t bytes) { content.append(static_cast<const char*>(data), bytes); });
    const std::int64_t now = nowUnixMs() / 1000;
    for (const DebugFile& file : files) {
        writer.begin({.path = runId + "-debug/" + file.name, .bytes = file.text.size(), .changedSeconds = now});
        writer.write(file.text.data(), file.text.size());
    }
    writer.finish();
    contract::writeFileAtomically(archive, compressed(content));
}

}  // namespace launcher
