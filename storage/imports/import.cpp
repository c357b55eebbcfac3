#include "storage/imports/import.h"

#include "engine/contract/formats/checksum.h"
#include "engine/contract/formats/folder_entries.h"
#include "engine/contract/formats/new_folder.h"
#include "engine/contract/formats/output_file.h"
#include "engine/contract/formats/sentence.h"
#include "engine/contract/formats/text.h"
#include "engine/contract/run/annotations.h"
#include "engine/contract/run/origin.h"
#include "storage/imports/run_writer.h"
#include "storage/imports/tensorboard_source.h"
#include "storage/imports/trackio_source.h"
#include "storage/imports/wandb_source.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>
#include <stdexcept>
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

std::optional<Earlier> importedBefore(const fs::path& runs, const std::string& identity)
{
    const std::string end = endOfId(identity);
    for (const fs::path& entry : contract::entriesOf(runs)) {
        if (!entry.filename().string().ends_with(end))
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

constexpr std::int64_t kLatestUnixMs = 9'000'000'000'000;

/// Makes what was read the folder of a new run, with its author's notes.
contract::RunFolder publish(const contract::RunFolder& written, const fs::path& runs, const std::string& identity, const std::string& name, std::int64_t startUnixMs,
    const ForeignNotes& notes)
{
    if (!notes.tags.empty() || !notes.notes.empty()) {
        contract::Annotations annotations;
        annotations.tags = notes.tags;
        annotations.notes = notes.notes;
        contract::appendAnnotations(written.annotations(), {}, annotations);
    }
    // Ends in four letters of its own, which those of the identity replace.
    // A file may name any time; the clock's type ends in 2262.
    const std::chrono::milliseconds start(std::clamp<std::int64_t>(startUnixMs, 0, kLatestUnixMs));
    std::string id = contract::makeRunId(name, std::chrono::system_clock::time_point(start));
    const std::string end = endOfId(identity);
    id.replace(id.size() - end.size(), end.size(), end);
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

}  // namespace

ImportResult importRun(const ForeignRun& run, const fs::path& runs, const fs::path& staging, const std::function<bool()>& isCancelled)
{
    const std::string stamp = stampOf(run);
    const std::string identity = contract::escapedBytes(identityOf(run));  // as origin.json can hold it
    const std::optional<Earlier> earlier = importedBefore(runs, identity);
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
    const ForeignNotes notes = readRun(run, writer);
    writer.finish();

    ImportResult result {.what = ImportResult::What::New, .folder = {}, .newValues = origin.values, .leftOut = origin.leftOut};
    if (!earlier) {
        const std::int64_t start = writer.folder().readStart(1).startUnixMs;
        result.folder = publish(writer.folder(), runs, identity, fs::path(origin.name).filename().string(), start, notes).root();
        return result;
    }
    replaceFiles(writer.folder(), earlier->folder);
    result.folder = earlier->folder.root();
    result.newValues = origin.values - earlier->origin.values;
    result.what = result.newValues == 0 ? ImportResult::What::Known : ImportResult::What::Extended;
    return result;
}

}  // namespace storage
