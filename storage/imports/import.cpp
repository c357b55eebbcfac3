#include "storage/imports/import.h"

#include "engine/contract/formats/checksum.h"
#include "engine/contract/formats/folder_entries.h"
#include "engine/contract/formats/input_file.h"
#include "engine/contract/formats/new_folder.h"
#include "engine/contract/formats/output_file.h"
#include "engine/contract/formats/sentence.h"
#include "engine/contract/formats/text.h"
#include "engine/contract/run/annotations.h"
#include "engine/contract/run/origin.h"
#include "storage/imports/csv_source.h"
#include "storage/imports/json_source.h"
#include "storage/imports/moment.h"
#include "storage/imports/run_writer.h"
#include "storage/imports/tensorboard_source.h"
#include "storage/imports/trackio_source.h"
#include "storage/imports/wandb_source.h"

#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <utility>

namespace storage {
namespace {

namespace fs = std::filesystem;
using Program = ForeignRun::Program;

std::string identityOf(const ForeignRun& run)
{
    constexpr std::size_t kTrackioId = 32;  // hexadecimal digits
    switch (run.program) {
    case Program::WandB:
        return wandbIdentity(run.place);
    case Program::Trackio:
        if (run.key.size() == kTrackioId && run.key.find_first_not_of("0123456789abcdef") == std::string::npos)
            return "trackio:" + run.key;
        return "trackio:" + run.place.string() + ":" + run.key;
    case Program::Csv:
        return "csv:" + run.place.string() + (run.key.empty() ? "" : ":" + run.key);
    case Program::Json:
        return run.key.empty() ? "json:" + run.place.string() : "atelier:" + run.key;
    case Program::TensorBoard:
        break;
    }
    return "tensorboard:" + run.place.string();
}

/// The end of the ids of all runs with that identity: "-x3k9".
std::string endOfId(const std::string& identity)
{
    std::string end = "-";
    std::uint64_t sum = contract::checksumOf(identity.data(), identity.size());
    for (int i = 0; i < 4; ++i, sum /= 36)
        end += "0123456789abcdefghijklmnopqrstuvwxyz"[sum % 36];
    return end;
}

struct Earlier {
    contract::RunFolder folder;
    contract::Origin origin;
};

/// The id that a run had where Atelier exported it, which it keeps where no other has it; empty for others.
std::string ownId(const ForeignRun& run) { return run.program == Program::Json ? run.key : std::string(); }

std::optional<Earlier> importedBefore(const fs::path& runs, const std::string& identity, const std::string& ownId)
{
    const std::string end = endOfId(identity);
    for (const fs::path& entry : contract::entriesOf(runs)) {
        if (!entry.filename().string().ends_with(end) && entry.filename() != ownId)
            continue;
        const contract::RunFolder folder(entry);
        if (auto origin = contract::readOrigin(folder); origin && origin->identity == identity)
            return Earlier {folder, std::move(*origin)};
    }
    return std::nullopt;
}

ForeignNotes readRun(const ForeignRun& run, RunWriter& writer)
{
    switch (run.program) {
    case Program::TensorBoard:
        readTensorBoard(run, writer);
        break;
    case Program::WandB:
        return readWandb(run, writer);
    case Program::Trackio:
        readTrackio(run, writer);
        break;
    case Program::Csv:
        readCsv(run, writer);
        break;
    case Program::Json:
        readJson(run, writer);
        break;
    }
    return {};
}

void moveTo(const fs::path& from, const fs::path& to)
{
    std::error_code error;
    fs::rename(from, to, error);
    if (error)
        throw std::runtime_error(contract::cannotBe("written", to, error.value()));
}

bool haveSameContent(const fs::path& a, const fs::path& b)
{
    constexpr std::uint64_t kBlock = std::uint64_t {1} << 20;
    const contract::InputFile first(a), second(b);
    if (first.bytes() != second.bytes())
        return false;
    std::string block(kBlock, '\0'), other(kBlock, '\0');
    for (std::uint64_t at = 0; at < first.bytes(); at += kBlock) {
        const auto bytes = static_cast<std::size_t>(std::min(kBlock, first.bytes() - at));
        first.read(block.data(), bytes, at);
        second.read(other.data(), bytes, at);
        if (std::string_view(block.data(), bytes) != std::string_view(other.data(), bytes))
            return false;
    }
    return true;
}

bool haveSameJournals(const contract::RunFolder& a, const contract::RunFolder& b)
{
    std::error_code error;
    const std::vector<fs::path> journals = contract::entriesOf(a.journals(), error);
    return std::ranges::all_of(journals, [&](const fs::path& journal) {
        const fs::path other = b.journals() / journal.filename();
        return contract::hasEntry(other) && haveSameContent(journal, other);
    });
}

/// Moves every file of @p from in the place of that of the same name in @p to; origin.json last, which says that all are there.
void replaceFiles(const contract::RunFolder& from, const contract::RunFolder& to)
{
    for (const fs::path& entry : contract::entriesOf(from.root())) {
        if (entry == contract::originFile(from))
            continue;
        for (const auto& item : fs::recursive_directory_iterator(entry)) {
            const fs::path target = to.root() / item.path().lexically_relative(from.root());
            if (item.is_directory())
                contract::createFolder(target);
            else {
                contract::createFolder(target.parent_path());
                moveTo(item.path(), target);
            }
        }
    }
    moveTo(contract::originFile(from), contract::originFile(to));
}

/// The id of a new run.
std::string idOf(const ForeignRun& run, const fs::path& runs, const std::string& identity, const std::string& name, std::int64_t startUnixMs)
{
    if (const std::string own = ownId(run); !own.empty() && !contract::hasEntry(runs / own))
        return own;
    // Ends in four letters of its own, which those of the identity replace.
    // A file may name any time; the clock's type ends in 2262.
    const std::chrono::milliseconds start(std::clamp<std::int64_t>(startUnixMs, 0, kLatestUnixMs));
    std::string id = contract::makeRunId(name, std::chrono::system_clock::time_point(start));
    const std::string end = endOfId(identity);
    return id.replace(id.size() - end.size(), end.size(), end);
}

/// Makes what was read the folder of a new run, with its author's notes.
contract::RunFolder publish(const contract::RunFolder& written, const fs::path& runs, const std::string& id, const ForeignNotes& notes)
{
    if (!notes.tags.empty() || !notes.notes.empty()) {
        contract::Annotations annotations;
        annotations.tags = notes.tags;
        annotations.notes = notes.notes;
        contract::appendAnnotations(written.annotations(), {}, annotations);
    }
    contract::createFolder(runs);
    if (contract::hasEntry(runs / id))
        throw std::runtime_error("run " + id + " is in " + runs.string() + " already, and is another one");
    moveTo(written.root(), runs / id);
    contract::syncFolder(runs);
    return contract::RunFolder(runs / id);
}

std::int64_t nowUnixMs()
{
    return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::system_clock::now().time_since_epoch()).count();
}

/// The start of a run whose table has no times: that of an earlier import, so that it stays the same, or when the file was last written.
std::int64_t usualStart(const ForeignRun& run, const std::optional<Earlier>& earlier)
{
    try {
        if (earlier)
            return earlier->folder.readStart(1).startUnixMs;
    } catch (const std::runtime_error&) {
        // its start.json cannot be read, and is now replaced
    }
    struct stat info {};
    return ::stat(run.place.c_str(), &info) == 0 ? std::clamp<std::int64_t>(info.st_mtim.tv_sec * 1000LL + info.st_mtim.tv_nsec / 1'000'000, 0, kLatestUnixMs) : 0;
}

}  // namespace

ImportResult importRun(const ForeignRun& run, const fs::path& runs, const fs::path& staging, const std::function<bool()>& isCancelled)
{
    const std::string stamp = stampOf(run);
    const std::string identity = contract::escapedBytes(identityOf(run));  // as origin.json can hold it
    const std::optional<Earlier> earlier = importedBefore(runs, identity, ownId(run));
    if (earlier && earlier->origin.stamp == stamp)
        return {.what = ImportResult::What::Known, .folder = earlier->folder.root(), .newValues = 0, .leftOut = {}};

    std::error_code ignored;
    fs::remove_all(staging / "run", ignored);  // of an import that failed
    RunWriter writer(staging / "run", isCancelled);
    contract::Origin& origin = writer.origin();
    origin.program = nameOf(run.program);
    origin.source = run.place.string();
    origin.identity = identity;
    origin.stamp = stamp;
    origin.name = run.name;
    origin.project = run.project;
    origin.importedUnixMs = nowUnixMs();
    if (run.program == Program::Csv || run.program == Program::Json) {
        writer.setUsualStart(usualStart(run, earlier));
        writer.seal();
    }
    const ForeignNotes notes = readRun(run, writer);
    writer.finish();

    ImportResult result {.what = ImportResult::What::New, .folder = {}, .newValues = origin.values, .leftOut = origin.leftOut};
    if (!earlier) {
        const std::int64_t start = writer.folder().readStart(1).startUnixMs;
        const std::string id = idOf(run, runs, identity, fs::path(origin.name).filename().string(), start);
        result.folder = publish(writer.folder(), runs, id, notes).root();
        return result;
    }
    result.newValues = origin.values - earlier->origin.values;
    if (result.newValues < 0)
        throw std::runtime_error(run.place.string() + ": holds fewer values than were imported of it before as " + earlier->folder.id() + " ("
            + std::to_string(origin.values) + " of " + std::to_string(earlier->origin.values)
            + "), so nothing was changed; to import what is left, move that run to the trash first");
    const bool isSame = result.newValues == 0 && haveSameJournals(writer.folder(), earlier->folder);
    replaceFiles(writer.folder(), earlier->folder);
    result.folder = earlier->folder.root();
    result.what = isSame ? ImportResult::What::Known : result.newValues == 0 ? ImportResult::What::Changed : ImportResult::What::Extended;
    return result;
}

}  // namespace storage
