// What a person adds to a run: appended to annotations.jsonl before it reaches the database.
#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace contract {

/// The state after all lines. An empty optional-like field means "as the experiment says".
struct Annotations {
    std::string name;     ///< empty: run.name
    std::string project;  ///< empty: run.project
    std::vector<std::string> tags;
    std::string notes;
    bool isArchived = false;

    bool operator==(const Annotations&) const = default;
};

/// Replays the file; a missing one, torn and malformed lines are as if not there.
Annotations readAnnotations(const std::filesystem::path& file);

/// Appends what differs between @p before and @p after, each change one line
/// {"v":1,"t_unix_ms":…,"set":"tags","value":[…]}, and syncs. @throws std::system_error naming the file.
void appendAnnotations(
    const std::filesystem::path& file, const Annotations& before, const Annotations& after);

}  // namespace contract
