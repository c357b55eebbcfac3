// How long a test waits for what it was not told a limit of: twenty seconds, not Qt's five, which a slow machine that runs several tests at
// once can need. Included before the tests of a program that holds several.
#pragma once
#include <QTest>

#undef QTRY_VERIFY
#define QTRY_VERIFY(expr) QTRY_VERIFY_WITH_TIMEOUT(expr, 20'000)

#undef QTRY_VERIFY2
#define QTRY_VERIFY2(expr, message) QTRY_VERIFY2_WITH_TIMEOUT(expr, message, 20'000)

#undef QTRY_COMPARE
#define QTRY_COMPARE(expr, expected) QTRY_COMPARE_WITH_TIMEOUT(expr, expected, 20'000)
