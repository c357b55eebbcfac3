// The rank's log. It goes to standard error, which the supervisor appends to logs/rank-N.log.
#pragma once
#include <cstdint>
#include <filesystem>
#include <string>

namespace engine {

/// Lines read "2026-11-21 10:15:00.123+01:00 [info] [rank 0] [step 12] text" ([Note: times in logs]).
void setLogRank(int rank);
void setLogStep(std::int64_t step);

/// Appends later lines to @p file as well. @throws std::runtime_error when it cannot be opened.
void addLogFile(const std::filesystem::path& file);

void logInfo(const std::string& text);
void logWarning(const std::string& text);
void logError(const std::string& text);

}  // namespace engine
