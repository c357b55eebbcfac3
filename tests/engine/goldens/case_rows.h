// Cases as the rows of a Qt test.
#pragma once
#include "tests/engine/goldens/golden_folders.h"

#include <QtTest>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

namespace tests {

/// For a data function, whose test it skips when there are no cases: $ATELIER_GOLDENS need not have every kind, as this tree has.
inline std::vector<std::filesystem::path> rowsOf(std::vector<std::filesystem::path> cases)
{
    if (cases.empty() && std::getenv("ATELIER_GOLDENS"))
        QTest::qSkip("$ATELIER_GOLDENS has no such cases", __FILE__, __LINE__);
    return cases;
}

/// Returns the folder of one case. Where there is none, returns an empty path, and the test must return: it has failed, or is
/// skipped with $ATELIER_GOLDENS.
inline std::filesystem::path caseNamed(CaseKind kind, const std::string& name)
{
    const auto cases = modelCases(kind);
    const auto found = std::ranges::find_if(cases, [&](const std::filesystem::path& folder) { return folder.filename() == name; });
    if (found != cases.end())
        return *found;
    if (std::getenv("ATELIER_GOLDENS"))
        QTest::qSkip("$ATELIER_GOLDENS has no such case", __FILE__, __LINE__);
    else
        QTest::qFail(("the goldens have no case " + name).c_str(), __FILE__, __LINE__);
    return {};
}

}  // namespace tests
