// N6: the tab Forecast of the launch window, with a program in place of the worker that answers at once.
#include "tests/ui/support/test_home.h"
#include "tests/ui/support/ui_test_main.h"
#include "ui/launch/draft.h"
#include "ui/launch/forecast_view.h"
#include "ui/launch/launch_window.h"
#include "ui/launch/memory_bar.h"

#include <QFile>
#include <QLabel>
#include <QSignalSpy>
#include <QTabWidget>
#include <QTemporaryDir>
#include <QTreeWidget>

#include <memory>

class ForecastTest : public QObject {
    Q_OBJECT

private:
    std::unique_ptr<ui_test::TestHome> m_home;
    std::unique_ptr<ui::RunControl> m_control;
    std::unique_ptr<ui::Settings> m_settings;
    std::unique_ptr<ui::LaunchWindow> m_window;
    QTemporaryDir m_folder;

    /// @param available of the host, for two ranks
    void answer(const QByteArray& available, const QByteArray& activationsKnown = "true")
    {
        write("echo '{\"v\":1,\"device\":\"cpu\",\"ranks\":2,\"parameters\":1000,\"trained\":900,\"checkpoint_bytes\":5000000,"
              "\"activations_known\":" + activationsKnown + ",\"available_bytes\":" + available
            + ",\"parts\":[{\"name\":\"program\",\"bytes\":60000000,\"host\":false},{\"name\":\"optimizer\",\"bytes\":40000000,\"host\":false}]}'");
    }
    void write(const QByteArray& command)
    {
        QFile file(m_folder.filePath("worker"));
        if (!file.open(QIODevice::WriteOnly) || file.write("#!/bin/sh\necho >> \"$0.calls\"\n" + command + "\n") < 0)
            qFatal("the worker cannot be written");
        file.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
        qputenv("ATELIER_WORKER", file.fileName().toUtf8());
    }
    qint64 calls() { return QFile(m_folder.filePath("worker.calls")).size(); }

    QString text(const char* name) { return m_window->findChild<QLabel*>(QLatin1String(name))->text(); }
    ui::ForecastView& view() { return *m_window->findChild<ui::ForecastView*>(); }

    void open()
    {
        m_window = std::make_unique<ui::LaunchWindow>(m_home->home(), *m_control, *m_settings);
        m_window->show();
        QVERIFY(QTest::qWaitForWindowExposed(m_window.get()));
        QTRY_VERIFY(!m_window->draft().isChecking());
        m_window->findChild<QTabWidget*>(QStringLiteral("launchTabs"))->setCurrentWidget(&view());
    }

private Q_SLOTS:
    void init()
    {
        m_home = std::make_unique<ui_test::TestHome>();
        m_control = std::make_unique<ui::RunControl>(m_home->home());
        m_settings = std::make_unique<ui::Settings>(m_home->home());
        QFile::remove(m_folder.filePath("worker.calls"));
    }
    void cleanup()
    {
        m_window.reset();
        m_settings.reset();
        m_control.reset();
        m_home.reset();
        qunsetenv("ATELIER_WORKER");
    }

    void N6_memoryIsShownByPartAgainstWhatIsFree()
    {
        answer("800000000");
        open();
        QTRY_COMPARE(text("forecastMemory"), QStringLiteral("Each rank needs 100.0 MB of the 400.0 MB that are free for it."));
        auto* const parts = m_window->findChild<QTreeWidget*>(QStringLiteral("forecastParts"));
        QCOMPARE(parts->topLevelItemCount(), 2);
        QCOMPARE(parts->topLevelItem(1)->text(0), QStringLiteral("Optimizer"));
        QCOMPARE(parts->topLevelItem(1)->text(1), QStringLiteral("40.0 MB"));
        QVERIFY2(text("forecastDisk").startsWith("At the end, 3 checkpoints take 15.0 MB of the "), qPrintable(text("forecastDisk")));
        auto* const bar = m_window->findChild<ui::MemoryBar*>();
        QCOMPARE(bar->accessibleName(), text("forecastMemory"));
        // 60 and 40 of 400 MB: three twentieths, then a tenth; the rest is free.
        const QImage image = bar->grab().toImage();
        const auto at = [&](double part) { return image.pixelColor(int(part * image.width()), image.height() * 4 / 5).name(); };
        QCOMPARE(at(0.07), ui::partColour(0, bar->palette()).name());
        QCOMPARE(at(0.20), ui::partColour(1, bar->palette()).name());
        // Above it the parts over the whole width.
        QCOMPARE(image.pixelColor(image.width() / 2, image.height() / 5).name(), ui::partColour(0, bar->palette()).name());
        QCOMPARE(image.pixelColor(image.width() * 4 / 5, image.height() / 5).name(), ui::partColour(1, bar->palette()).name());
        QCOMPARE(at(0.60), bar->palette().color(QPalette::Base).name());

        // The same experiment is not planned again, a changed one is.
        const qint64 before = calls();
        QSignalSpy shown(&view(), &ui::ForecastView::forecastShown);
        m_window->draft().setField("batch.micro", "8");
        QVERIFY(shown.wait());
        QCOMPARE(calls(), before + 1);
        QVERIFY(text("forecastNote").isEmpty());
    }

    void N6_whatDoesNotFitIsSaid()
    {
        answer("100000000", "false");
        open();
        QTRY_VERIFY2(text("forecastMemory").contains("That is not enough"), qPrintable(text("forecastMemory")));
        QVERIFY(text("forecastMemory").contains("Activations come on top"));
        // 50 of 100 MB are free: the bar is full, and a line shows where the free memory ends.
        auto* const bar = m_window->findChild<ui::MemoryBar*>();
        const QImage image = bar->grab().toImage();
        QCOMPARE(image.pixelColor(image.width() * 9 / 10, image.height() * 4 / 5).name(), ui::partColour(1, bar->palette()).name());
    }

    void N6_withoutAForecastTheReasonIsSaid()
    {
        write("echo '2026-01-01 [error] [rank 0] [step 0] the sky is grey' >&2\nexit 1");
        open();
        QTRY_VERIFY2(text("forecastNote").contains("rank 0 failed with exit code 1") || text("forecastNote").contains("the sky is grey"),
            qPrintable(text("forecastNote")));
        m_window->draft().setField("optim.lr", "fast");
        QTRY_COMPARE(text("forecastNote"), QStringLiteral("The forecast appears when the experiment has no problems."));
    }
};

ATELIER_UI_TEST_MAIN(ForecastTest)
#include "tst_forecast.moc"
