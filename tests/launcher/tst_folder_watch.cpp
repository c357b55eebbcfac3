#include "engine/contract/journal.h"
#include "launcher/folder_watch.h"
#include "launcher/launch.h"
#include "tests/launcher/test_home.h"

#include <QSignalSpy>
#include <QtTest>

#include <fstream>

class FolderWatchTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// Or else the supervisor's word that no rank writes would be taken for a sign of life.
    void m01_theSupervisorsOwnJournalIsNoSignOfARank()
    {
        TestHome test;
        const auto folder = launcher::createRun(test.home(), test.experiment()).folder;
        launcher::FolderWatch watch(folder);
        QSignalSpy changed(&watch, &launcher::FolderWatch::changed);
        std::ofstream(folder.journal(contract::kSupervisorRank)) << "{}\n";
        QVERIFY(changed.wait());
        QCOMPARE(changed.takeFirst().front().toBool(), false);
        std::ofstream(folder.journal(1)) << "{}\n";
        QVERIFY(changed.wait());
        QCOMPARE(changed.takeFirst().front().toBool(), true);
    }
};

QTEST_GUILESS_MAIN(FolderWatchTest)
#include "tst_folder_watch.moc"
