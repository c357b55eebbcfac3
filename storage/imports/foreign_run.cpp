#include "storage/imports/foreign_run.h"

#include "engine/contract/formats/checksum.h"
#include "engine/contract/formats/folder_entries.h"
#include "engine/contract/formats/sentence.h"
#include "engine/contract/formats/text.h"
#include "storage/imports/csv_source.h"
#include "storage/imports/json_source.h"
#include "storage/imports/trackio_source.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <stdexcept>
#include <system_error>

namespace storage {
namespace {

namespace fs = std::filesystem;
using Program = ForeignRun::Program;

constexpr int kMostLevels = 16;

bool isFile(const fs::path& path)
{
    std::error_code error;
    return fs::symlink_status(path, error).type() == fs::file_type::regular;
}

bool isEventFile(const fs::path& path) { return path.filename().string().find("tfevents") != std::string::npos && isFile(path); }
bool isWandbLog(const fs::path& path) { return path.extension() == ".wandb" && isFile(path); }
bool isDatabase(const fs::path& path) { return path.extension() == ".db" && isFile(path); }
bool isTable(const fs::path& path) { return (path.extension() == ".csv" || path.extension() == ".tsv") && isFile(path); }
bool isJson(const fs::path& path)
{
    return (path.extension() == ".json" || path.extension() == ".jsonl" || path.extension() == ".ndjson") && isFile(path);
}

ForeignRun eventRun(const fs::path& folder, const fs::path& top)
{
    const fs::path below = folder.lexically_relative(top);
    const bool isTop = below == "." || below.empty();
    return {.program = Program::TensorBoard, .place = folder, .key = {}, .name = isTop ? folder.filename().string() : below.string(),
        .project = isTop ? std::string() : top.filename().string()};
}

void addDatabase(const fs::path& file, bool isGiven, std::vector<ForeignRun>& runs, std::vector<std::string>& problems)
{
    try {
        const auto found = trackioRuns(file);
        if (!found && isGiven)
            throw std::runtime_error(file.string() + ": is not a trackio database");
        if (found)
            runs.insert(runs.end(), found->begin(), found->end());
    } catch (const std::runtime_error& error) {
        if (isGiven)
            throw;
        problems.emplace_back(error.what());
    }
}

void addFolder(const fs::path& folder, const fs::path& top, int levels, std::vector<ForeignRun>& runs, std::vector<std::string>& problems)
{
    std::error_code error;
    const std::vector<fs::path> entries = contract::entriesOf(folder, error);
    if (error)
        problems.push_back(contract::cannotBe("read", folder, error.value()));
    if (std::ranges::any_of(entries, isEventFile))
        runs.push_back(eventRun(folder, top));
    for (const fs::path& entry : entries) {
        const fs::file_type type = fs::symlink_status(entry, error).type();
        if (isWandbLog(entry))
            runs.push_back({.program = Program::WandB, .place = entry, .key = {}, .name = entry.stem().string(), .project = {}});
        else if (isDatabase(entry))
            addDatabase(entry, false, runs, problems);
        else if (type == fs::file_type::directory && levels > 0)
            addFolder(entry, top, levels - 1, runs, problems);
    }
}

}  // namespace

const char* nameOf(Program program)
{
    switch (program) {
    case Program::TensorBoard:
        return "TensorBoard";
    case Program::WandB:
        return "Weights & Biases";
    case Program::Csv:
        return "CSV";
    case Program::Json:
        return "JSON";
    case Program::Trackio:
        break;
    }
    return "trackio";
}

std::vector<ForeignRun> findForeignRuns(const fs::path& path, std::vector<std::string>& problems)
{
    std::error_code error;
    const fs::path place = fs::canonical(path, error);
    if (error)
        throw std::runtime_error(contract::cannotBe("read", path, error.value()));
    std::vector<ForeignRun> runs;
    if (isDatabase(place)) {
        addDatabase(place, true, runs, problems);
    } else if (isWandbLog(place)) {
        runs.push_back({.program = Program::WandB, .place = place, .key = {}, .name = place.stem().string(), .project = {}});
    } else if (isEventFile(place)) {
        runs.push_back(eventRun(place.parent_path(), place.parent_path()));
    } else if (isTable(place)) {
        runs = csvRuns(place);
    } else if (isJson(place)) {
        runs.push_back(jsonRun(place));
    } else if (contract::isFolder(place)) {
        addFolder(place, place, kMostLevels, runs, problems);
    } else {
        throw std::runtime_error(path.string() + ": is neither an event file of TensorBoard, nor the log (.wandb) of a Weights & Biases run, nor a "
                                                  "trackio database (.db), nor a table (.csv, .tsv, .json, .jsonl)");
    }
    return runs;
}

std::vector<fs::path> eventFiles(const fs::path& folder)
{
    std::vector<fs::path> files = contract::entriesOf(folder);
    std::erase_if(files, [](const fs::path& file) { return !isEventFile(file); });
    return files;
}

std::string stampOf(const ForeignRun& run)
{
    std::vector<fs::path> files {run.place};
    if (run.program == Program::TensorBoard)
        files = eventFiles(run.place);
    else if (run.program == Program::Trackio)
        files.emplace_back(run.place.string() + "-wal");
    std::string text;
    for (const fs::path& file : files) {
        struct stat info {};
        if (::stat(file.c_str(), &info) == 0)
            text += file.filename().string() + ":" + std::to_string(info.st_size) + ":" + std::to_string(info.st_mtim.tv_sec) + "."
                + std::to_string(info.st_mtim.tv_nsec) + "\n";
    }
    contract::Checksum checksum;
    checksum.add(text.data(), text.size());
    return checksum.text();
}

}  // namespace storage
