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
            settings.setDraft({.toml = "[optim]\nlr = \n", .readableToml = "[optim]\nlr = 0.5\n", .folder = "/somewhere", .typed = {"optim.lr=a, b"}});
            settings.setDraft({.toml = "queued", .isEdited = true}, "run-1");
            settings.setDraft({.toml = "saved", .isEdited = true}, "run-2");
            settings.removeDraft("run-2");
            settings.setLayout(QByteArray("\x00\xff layout", 9));
            settings.setViewState("plots", "{\"width\":50}");
            settings.setDrawnRuns({"b, with a comma", "a"});
            settings.setInspectedRun("a");
        }
        const ui::Settings settings(home());
        QCOMPARE(settings.appearance(), ui::Appearance::Dark);
        QCOMPARE(settings.looks().value("digits-1"), 3);
        QCOMPARE(settings.draft().toml, QStringLiteral("[optim]\nlr = \n"));
        QCOMPARE(settings.draft().readableToml, QStringLiteral("[optim]\nlr = 0.5\n"));
        QCOMPARE(settings.draft().folder, QStringLiteral("/somewhere"));
        QCOMPARE(settings.draft().typed, QStringList("optim.lr=a, b"));
        QVERIFY(!settings.draft().isEdited);
        QVERIFY(settings.draft("run-1").isEdited && settings.draft("run-1").toml == "queued");
        QVERIFY(!settings.draft("run-2").isEdited && settings.draft("run-2").toml.isEmpty());
        QCOMPARE(settings.layout(), QByteArray("\x00\xff layout", 9));
        QCOMPARE(settings.viewState("plots"), QByteArray("{\"width\":50}"));
        QCOMPARE(settings.drawnRuns(), QStringList({"b, with a comma", "a"}));
        QCOMPARE(settings.inspectedRun(), QStringLiteral("a"));
    }

    /// Settings are written while the window is open, so that a killed window loses only the latest changes.
    void changesReachTheFileWhileTheWindowIsOpen()
    {
        ui::Settings settings(home());
        settings.setDraft({.toml = "killed later"});
        QTRY_COMPARE(ui::Settings(home()).draft().toml, QStringLiteral("killed later"));
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
        QCOMPARE(ui::Settings(home()).draft().toml, QString());
    }
};

ATELIER_UI_TEST_MAIN(SettingsTest)
#include "tst_settings.moc"
