// main() of a test with widgets: as QTEST_MAIN, in the application that measures its event loop.
#pragma once
#include "ui/base/watchdog.h"

#include <QLocale>
#include <QTest>

#define ATELIER_UI_TEST_MAIN(TestClass)                                                            \
    int main(int argc, char** argv)                                                                \
    {                                                                                              \
        QLocale::setDefault(QLocale::c());                                                         \
        ui::WatchedApplication application(argc, argv);                                            \
        TestClass test;                                                                            \
        return QTest::qExec(&test, argc, argv);                                                    \
    }
