// Finds a text in everything that is known of runs: in the index, and in their logs.
#pragma once
#include "engine/contract/run/run_folder.h"
#include "storage/store.h"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace ui {

enum class FoundIn { Name, Project, Tag, Note, Option, Cause, Event, Log };

struct FoundText {
    std::string run;    ///< id
    FoundIn place = FoundIn::Name;
    std::string where;  ///< the option's key; the event's kind; the log: "rank 0", "supervisor"; otherwise empty
    std::string text;   ///< the whole line that contains the text; of a log's line at most 1,000 bytes
    int attempt = 0;            ///< of causes, events and options; otherwise 0
    std::int64_t step = -1;     ///< of events; otherwise -1
    std::int64_t unixMs = 0;    ///< of events; otherwise 0
    std::string file = {};      ///< of a log's line; otherwise empty
    std::int64_t offset = -1;   ///< of the line in it, in bytes; otherwise -1
    bool operator==(const FoundText&) const = default;
};

/// The finds of a run in one log, or among its events, are limited to the newest ones.
constexpr std::size_t kMostFoundInOne = 100;

/// Searches the index: names and ids, projects, tags, lines of notes, options of the last attempt ("optim.lr = 0.001"; by the key
/// alone only those that differ from the default), causes, and events that are
/// warnings or errors. @p matches tells whether a text is what is looked for.
/// @return by run, those made last first, archived ones too; in each run in the order of FoundIn. @throws storage::StoreError.
std::vector<FoundText> searchIndex(const storage::Store& store, const std::function<bool(std::string_view)>& matches);

/// Searches the logs in @p folder, each from its beginning. A file that cannot be read is as good as empty.
/// @param isCancelled asked now and then; once it returns true, what has been found is returned
std::vector<FoundText> searchLogs(
    const contract::RunFolder& folder, const std::function<bool(std::string_view)>& matches, const std::function<bool()>& isCancelled);

}  // namespace ui
