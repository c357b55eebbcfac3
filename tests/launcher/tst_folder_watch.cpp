#include "engine/contract/run/journal.h"
#include "launcher/base/folder_watch.h"
#include "launcher/runs/launch.h"
#include "tests/launcher/test_home.h"
#include "tests/support/failing_disk.h"

#include <QSignalSpy>
#include <QtTest>

#include <fstream>

class FolderWatchTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// Otherwise the supervisor's own stall event would count as a record of a rank.
    void m01_theSupervisorsOwnJournalsAreNoSignOfARank_data()
    {
        QTest::addColumn<int>("rank");
        QTest::newRow("the supervisor's") << contract::kSupervisorRank;
        QTest::newRow("E8: the host's") << contract::kHostRank;
    }
    void m01_theSupervisorsOwnJournalsAreNoSignOfARank()
    {
        QFETCH(int, rank);
        TestHome test;
        const auto folder = launcher::createRun(test.home(), test.experiment()).folder;
        launcher::FolderWatch watch(folder);
        QSignalSpy changed(&watch, &launcher::FolderWatch::changed);
        std::ofstream(folder.journal(rank)) << "{}\n";
        QVERIFY(changed.wait(20'000));
        QCOMPARE(changed.takeFirst().front().toBool(), false);
        std::ofstream(folder.journal(1)) << "{}\n";
        QVERIFY(changed.wait(20'000));
        QCOMPARE(changed.takeFirst().front().toBool(), true);
    }

    void aDiskThatFailsEndsNothing_defect_19()
    {
        TestHome test;
        const auto folder = launcher::createRun(test.home(), test.experiment()).folder;
        std::ofstream(folder.journal(0)) << "{}\n";
        std::filesystem::remove(folder.samples());  // so that the folders cannot be watched and are polled instead
        launcher::FolderWatch watch(folder);
        QSignalSpy changed(&watch, &launcher::FolderWatch::changed);
        QVERIFY(changed.wait(20'000));
        tests::readableEntries = 2;
        QVERIFY(changed.wait(20'000));  // the sizes that can be read differ
        tests::readableEntries = -1;
        QVERIFY(changed.wait(20'000));
    }
};

QTEST_GUILESS_MAIN(FolderWatchTest)
#include "tst_folder_watch.moc"
