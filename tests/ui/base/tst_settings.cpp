#include "tests/ui/support/ui_test_main.h"
#include "ui/base/background.h"
#include "ui/base/settings.h"

#include <QFile>
#include <QSemaphore>
#include <QTemporaryDir>
#include <QTimer>

class SettingsTest : public QObject {
    Q_OBJECT

private:
    QTemporaryDir m_folder;

    launcher::DataHome home() const
    {
        launcher::DataHome home;
        home.state = m_folder.path().toStdString();
        home.config = m_folder.path().toStdString();
        return home;
    }

private Q_SLOTS:
    void whatWasSetIsThereAtTheNextStart()
    {
        {
            ui::Settings settings(home());
            settings.setAppearance(ui::Appearance::Dark);
            settings.setLooks({{"digits-1", 3}});
            settings.setDraft("[optim]\nlr = 0.5\n", "/somewhere");
            settings.setLayout(QByteArray("\x00\xff layout", 9));
            settings.setViewState("plots", "{\"width\":50}");
            settings.setDrawnRuns({"b, with a comma", "a"});
            settings.setInspectedRun("a");
        }
        const ui::Settings settings(home());
        QCOMPARE(settings.appearance(), ui::Appearance::Dark);
        QCOMPARE(settings.looks().value("digits-1"), 3);
        QCOMPARE(settings.draft(), QStringLiteral("[optim]\nlr = 0.5\n"));
        QCOMPARE(settings.draftFolder(), QStringLiteral("/somewhere"));
        QCOMPARE(settings.layout(), QByteArray("\x00\xff layout", 9));
        QCOMPARE(settings.viewState("plots"), QByteArray("{\"width\":50}"));
        QCOMPARE(settings.drawnRuns(), QStringList({"b, with a comma", "a"}));
        QCOMPARE(settings.inspectedRun(), QStringLiteral("a"));
    }

    /// Settings are written while the window is open, so that a killed window loses only the latest changes.
    void changesReachTheFileWhileTheWindowIsOpen()
    {
        ui::Settings settings(home());
        settings.setDraft("killed later", {});
        QTRY_COMPARE(ui::Settings(home()).draft(), QStringLiteral("killed later"));
    }

    /// What is written at the end is not overwritten by an earlier change whose writing had to wait for a thread.
    void theLastChangeIsTheOneThatStays()
    {
        QSemaphore isOver;
        const int threads = ui::backgroundPool().maxThreadCount();
        for (int thread = 0; thread < threads; ++thread)
            ui::backgroundPool().start([&] { isOver.acquire(); });
        {
            ui::SettingsFile file(m_folder.filePath("order.ini"));
            file.setValue("when", "earlier");
            QTimer later;  // than the one that delays its writing, which then waits for a thread
            later.setSingleShot(true);
            later.start(350);
            QTRY_VERIFY(!later.isActive());
            file.setValue("when", "last");
        }
        isOver.release(threads);
        QVERIFY(ui::backgroundPool().waitForDone());
        QCOMPARE(ui::SettingsFile(m_folder.filePath("order.ini")).value("when").toString(), QStringLiteral("last"));
    }

    void aFileThatCannotBeReadIsNoObstacle()
    {
        QFile file(m_folder.filePath("window.ini"));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("[[[ \xff no ini");
        file.close();
        QCOMPARE(ui::Settings(home()).draft(), QString());
    }
};

ATELIER_UI_TEST_MAIN(SettingsTest)
#include "tst_settings.moc"
