// What tests/run leaves out of a long test: rows that show for another model, or for more ranks, what the others show. Of a test that includes
// this header there is also NAME_whole, label slow, which leaves out nothing (tests/CMakeLists.txt).
#pragma once
#include <QtGlobal>

namespace tests {

inline bool isWhole() { return qEnvironmentVariableIsSet("ATELIER_WHOLE_TESTS"); }

}  // namespace tests

/// First in a test function that only the whole test runs.
#define ONLY_IN_THE_WHOLE_TEST() \
    do { \
        if (!tests::isWhole()) \
            QSKIP("part of the whole test, label slow"); \
    } while (false)
