// E9: the window tells the web address how a run without a supervisor ended whose rank 0 could not, and does so once.
#include "engine/contract/run/notice.h"
#include "engine/contract/run/supervisor_lock.h"
#include "launcher/supervisor/webhook.h"
#include "tests/support/notice_server.h"
#include "tests/ui/support/ui_test_main.h"
#include "tests/ui/window/open_window.h"

#include <QTest>

using launcher::RunState;
using ui_test::OpenWindow;

class WindowNoticesTest : public QObject {
    Q_OBJECT

    /// A run whose rank 0 was killed before it could tell.
    static contract::RunFolder writeKilled(const ui_test::TestHome& home, const char* id)
    {
        const contract::RunFolder run(home.home().runs() / id);
        std::filesystem::create_directories(run.root());
        contract::SupervisorLock lock(run);
        [&] { QCOMPARE(lock.take(), std::string()); }();
        lock.describe(1, true);
        home.writeRun(id, 60, "");
        contract::markUntold(run, 1);
        return run;
    }

private Q_SLOTS:
    void E9_theNextWindowTellsOnceHowARunEnded()
    {
        const ui_test::TestHome home;
        tests::NoticeServer server;
        launcher::setWebhook(home.home(), server.url());
        const auto run = writeKilled(home, "digits-20261121-100000-aaaa");
        home.writeRun("digits-20261121-110000-bbbb", 60, "failed", "Rank 1 was killed");  // its supervisor has told
        home.ingest();
        const QString id = QString::fromStdString(run.id());
        {
            OpenWindow window(home.home());
            QVERIFY(window.becomes(id, RunState::Interrupted));
            QTRY_COMPARE(server.states(), QStringList {"interrupted"});
            QCOMPARE(server.documents[0]["run"].toString(), id);
            QVERIFY(server.documents[0]["text"].toString().contains(" was interrupted at step 60: Rank 0 (process "));
        }
        // Another window finds nothing to tell, but what has happened since.
        const auto later = writeKilled(home, "digits-20261121-120000-cccc");
        home.ingest();
        OpenWindow window(home.home());
        QVERIFY(window.becomes(id, RunState::Interrupted));
        QTRY_COMPARE(server.documents.size(), 2);
        QCOMPARE(server.documents[1]["run"].toString().toStdString(), later.id());
    }
};

ATELIER_UI_TEST_MAIN(WindowNoticesTest)
#include "tst_window_notices.moc"
