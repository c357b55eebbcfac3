// What tests/run leaves out of a long test: rows that show for another model, or for more ranks, what the others show. Of a test that includes
// this header there is also NAME_rest, label slow, which runs those rows alone (tests/support/rest_of_test.py): data functions are called
// without initTestCase(), and once for each row.
#pragma once
#include <QTest>

namespace tests {

inline bool isWhole() { return qEnvironmentVariableIsSet("ATELIER_WHOLE_TESTS"); }

/// The data function of a test function that tests/run leaves out: call nothing else in it.
inline void onlyInTheWholeTest()
{
    if (!isWhole())
        QSKIP("part of the whole test, label slow");
    QTest::addColumn<bool>("isWhole");
    QTest::newRow("whole") << true;
}

}  // namespace tests
