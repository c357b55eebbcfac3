// Queries about a run for tests, and the text of a state for failed comparisons.
#pragma once
#include "launcher/state/run_state.h"

#include <QString>
#include <QTest>
#include <QtTest/qtestcase.h>

#include <filesystem>

namespace QTest {
template <>
inline char* toString(const launcher::RunState& state)
{
    return qstrdup(std::string(launcher::stateName(state)).c_str());
}
}  // namespace QTest

/// Within this time what has happened to a process is seen in the run's state.
inline constexpr int kSeenWithinMs = 3000;

inline launcher::RunState stateOf(const contract::RunFolder& folder)
{
    return launcher::inspectRun(folder).state;
}

inline QString causeOf(const contract::RunFolder& folder)
{
    return QString::fromStdString(launcher::inspectRun(folder).cause);
}

/// Number of records of a journal in which a field has the given text.
int recordsWith(const std::filesystem::path& journal, const char* field, const char* text);
inline int errorsIn(const std::filesystem::path& journal) { return recordsWith(journal, "level", "error"); }
