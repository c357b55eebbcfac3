#include "ui/search/text_search.h"

#include "engine/contract/experiment/experiment.h"
#include "engine/contract/formats/folder_entries.h"
#include "engine/contract/formats/text.h"
#include "engine/contract/run/journal.h"
#include "engine/contract/run/log_time.h"
#include "ui/logs/log_file_reader.h"

#include <algorithm>
#include <deque>
#include <map>
#include <unordered_map>

namespace ui {
namespace {

using Matches = std::function<bool(std::string_view)>;
using FoundByRun = std::unordered_map<std::string, std::vector<FoundText>>;

constexpr int kMostEvents = 100'000;  ///< of a run
constexpr std::size_t kMostLineBytes = 1000;
constexpr std::int64_t kLinesPerLook = 10'000;  ///< between two looks at whether the search was cancelled

void searchNotes(const storage::RunRow& run, const Matches& matches, std::vector<FoundText>& found)
{
    for (std::size_t begin = 0; begin < run.notes.size();) {
        const std::size_t end = std::min(run.notes.find('\n', begin), run.notes.size());
        const std::string line = run.notes.substr(begin, end - begin);
        if (matches(line))
            found.push_back({.run = run.id, .place = FoundIn::Note, .where = {}, .text = line});
        begin = end + 1;
    }
}

void searchRow(const storage::RunRow& run, const Matches& matches, std::vector<FoundText>& found)
{
    if (matches(run.name) || matches(run.id))
        found.push_back({.run = run.id, .place = FoundIn::Name, .where = {}, .text = run.name});
    if (matches(run.project))
        found.push_back({.run = run.id, .place = FoundIn::Project, .where = {}, .text = run.project});
    for (const std::string& tag : run.tags) {
        if (matches(tag))
            found.push_back({.run = run.id, .place = FoundIn::Tag, .where = {}, .text = tag});
    }
    searchNotes(run, matches, found);
}

/// Whether the option is worth showing: one that nobody has set is not found by its key alone.
bool isFound(const std::string& key, const std::string& value, const Matches& matches)
{
    const contract::Option* const option = contract::findOption(key);
    const bool isDefault = option && value == contract::toText(option->defaultValue);
    return matches(value) || (matches(key + " = " + value) && !(isDefault && matches(key)));
}

/// Most runs have the same values, so that each one is compared once.
FoundByRun searchOptions(const storage::Store& store, const Matches& matches)
{
    FoundByRun found;
    for (const std::string& key : store.fieldNames().parameters) {
        std::unordered_map<std::string, bool> known;
        for (const storage::RunValue& value : store.values({.kind = storage::RunField::Kind::Parameter, .name = key})) {
            const auto [at, isNew] = known.try_emplace(value.text, false);
            if (isNew)
                at->second = isFound(key, value.text, matches);
            if (at->second)
                found[value.run].push_back({.run = value.run, .place = FoundIn::Option, .where = key, .text = value.text});
        }
    }
    return found;
}

void searchAttempts(const storage::Store& store, const storage::RunRow& run, const Matches& matches, std::vector<FoundText>& found)
{
    for (const storage::AttemptRow& attempt : store.attempts(run.id)) {
        if (!attempt.cause.empty() && matches(attempt.cause))
            found.push_back({.run = run.id, .place = FoundIn::Cause, .where = attempt.outcome, .text = attempt.cause, .attempt = attempt.number});
    }
    std::vector<storage::EventRow> events = store.events(run.id, kMostEvents);
    std::erase_if(events, [&](const storage::EventRow& event) {
        return (event.level != "warning" && event.level != "error") || !matches(event.message);
    });
    if (events.size() > kMostFoundInOne)
        events.erase(events.begin(), events.end() - kMostFoundInOne);
    for (const storage::EventRow& event : events)
        found.push_back({.run = run.id, .place = FoundIn::Event, .where = event.kind, .text = event.message, .attempt = event.attempt,
            .step = event.step, .unixMs = event.unixMs});
}

/// Rank of a log's file; nullopt when it is none.
std::optional<int> rankOf(const contract::RunFolder& folder, const std::filesystem::path& file)
{
    const std::string stem = file.stem().string();
    const std::int64_t rank
        = stem.starts_with("rank-") ? contract::parseInteger(std::string_view(stem).substr(5)).value_or(-2) : contract::kSupervisorRank;
    const bool isLog = rank >= contract::kSupervisorRank && rank < 1'000'000 && file == folder.log(static_cast<int>(rank));
    return isLog ? std::optional(static_cast<int>(rank)) : std::nullopt;
}

}  // namespace

std::vector<FoundText> searchIndex(const storage::Store& store, const Matches& matches)
{
    FoundByRun options = searchOptions(store, matches);
    std::vector<FoundText> found;
    for (const storage::RunRow& run : store.runs()) {
        searchRow(run, matches, found);
        if (const auto own = options.find(run.id); own != options.end())
            std::ranges::move(own->second, std::back_inserter(found));
        searchAttempts(store, run, matches, found);
    }
    return found;
}

std::vector<FoundText> searchLogs(const contract::RunFolder& folder, const Matches& matches, const std::function<bool()>& isCancelled)
{
    std::map<int, std::filesystem::path> files;
    for (const std::filesystem::path& file : contract::entriesOf(folder.logs())) {
        if (const auto rank = rankOf(folder, file))
            files[*rank] = file;
    }
    std::vector<FoundText> found;
    for (const auto& [rank, file] : files) {
        std::deque<FoundText> newest;
        LogFileReader reader(file.string());
        std::int64_t lines = 0;
        while (const auto line = reader.next()) {
            if (!line->isWhole || (++lines % kLinesPerLook == 0 && isCancelled()))
                break;
            if (!matches(line->text))
                continue;
            newest.push_back({.run = folder.id(), .place = FoundIn::Log, .where = rank < 0 ? "supervisor" : "rank " + std::to_string(rank),
                .text = contract::shownLogLine(line->text.substr(0, kMostLineBytes)), .file = file.string(), .offset = line->offset});
            if (newest.size() > kMostFoundInOne)
                newest.pop_front();
        }
        std::ranges::move(newest, std::back_inserter(found));
    }
    return found;
}

}  // namespace ui
