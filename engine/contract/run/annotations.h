// The user's annotations of a run. They are appended to annotations.jsonl before they reach the database.
#pragma once
#include "engine/contract/run/run_line.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace contract {

/// The state after all lines. An empty name or project means that the experiment's value applies.
struct Annotations {
    std::string name;     ///< empty: run.name
    std::string project;  ///< empty: run.project
    std::vector<std::string> tags;
    std::string notes;
    bool isArchived = false;
    RunLine line = {};

    bool operator==(const Annotations&) const = default;
};

/// Replays the file. Ignores torn and malformed lines; a missing file gives empty annotations.
/// @throws std::runtime_error naming the file when it is there but cannot be read, is no regular file or has more than 64 MiB.
Annotations readAnnotations(const std::filesystem::path& file);

/// Appends the differences between @p before and @p after, one line per changed field:
/// {"v":1,"t_unix_ms":…,"set":"tags","value":[…]}. Fsyncs the file. @throws std::system_error naming the file.
void appendAnnotations(
    const std::filesystem::path& file, const Annotations& before, const Annotations& after);

}  // namespace contract
