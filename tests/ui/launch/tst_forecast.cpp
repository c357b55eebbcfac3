// N6: the tab Forecast of the launch window, with a program in place of the worker that answers at once.
#include "tests/paths.h"
#include "tests/ui/support/processes.h"
#include "tests/ui/support/test_home.h"
#include "tests/ui/support/ui_test_main.h"
#include "ui/launch/draft.h"
#include "ui/launch/forecast_view.h"
#include "ui/launch/launch_window.h"
#include "ui/launch/memory_bar.h"
#include "ui/launch/trial_view.h"

#include <QFile>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QSignalSpy>
#include <QTabWidget>
#include <QTemporaryDir>
#include <QTreeWidget>

#include <filesystem>
#include <memory>

class ForecastTest : public QObject {
    Q_OBJECT

private:
    std::unique_ptr<ui_test::TestHome> m_home;
    std::unique_ptr<ui::RunControl> m_control;
    std::unique_ptr<ui::Settings> m_settings;
    std::unique_ptr<ui::LaunchWindow> m_window;
    QTemporaryDir m_folder;

    /// Plans as answer() does; trials are the fake worker's.
    void answerAndTrain(int stepMs)
    {
        qputenv("FAKE_STEP_MS", QByteArray::number(stepMs));
        answer("800000000");
        QFile file(m_folder.filePath("worker"));
        if (!file.open(QIODevice::ReadOnly))
            qFatal("the worker cannot be read");
        const QByteArray plan = file.readAll().split('\n').value(2);
        file.close();
        write("[ \"$1\" = --plan ] || exec " FAKE_WORKER " \"$@\"\n" + plan);
    }
    std::filesystem::path trials() const { return m_home->home().data / "trials"; }
    QPushButton& button(const char* name) { return *m_window->findChild<QPushButton*>(QLatin1String(name)); }

    /// @param available of the host, for two ranks
    void answer(const QByteArray& available, const QByteArray& activationsKnown = "true")
    {
        write("echo '{\"v\":1,\"device\":\"cpu\",\"ranks\":2,\"parameters\":1000,\"trained\":900,\"checkpoint_bytes\":5000000,\"sample_bytes\":2000000,\"cache_bytes\":7000000,"
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
        for (const char* name : {"ATELIER_WORKER", "FAKE_STEP_MS", "FAKE_DO", "FAKE_STEP"})
            qunsetenv(name);
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
        QVERIFY2(text("forecastDisk").startsWith("On the disk at the end: 3 checkpoints with 15.0 MB; ") && text("forecastDisk").endsWith("Samples take up to 2.0 MB more. Data that is encoded for the first time takes up to 7.0 MB more."),
            qPrintable(text("forecastDisk")));
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
        QVERIFY(shown.wait(20'000));
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

    void N6_threeStepsSayHowLongTheRunWillTake()
    {
        answerAndTrain(40);
        open();
        m_window->draft().setField("run.total_steps", "1000");
        QTRY_VERIFY(button("trialStart").isEnabled());
        QCOMPARE(button("trialStart").text(), QStringLiteral("&Try three steps"));
        QVERIFY(!button("trialCancel").isVisible());
        QSignalSpy ended(m_window->findChild<ui::TrialView*>(), &ui::TrialView::ended);
        button("trialStart").click();
        QVERIFY(button("trialCancel").isVisible());
        QVERIFY(m_window->findChild<QProgressBar*>(QStringLiteral("trialProgress"))->isVisible());
        QTRY_VERIFY2(text("trialNote").startsWith("Step ") || text("trialNote") == "Rank 0 loads data", qPrintable(text("trialNote")));
        QTRY_COMPARE(ended.count(), 1);
        QVERIFY(!button("trialCancel").isVisible() && button("trialStart").isVisible());
        const QString result = text("trialResult");
        QVERIFY2(result.startsWith("1000 steps take about 4") && result.contains(" ms a step, the median of 3 after the first."), qPrintable(result));
        QVERIFY2(result.contains("Not included: the start, "), qPrintable(result));
        QVERIFY(!std::filesystem::exists(trials()));

        // The time follows the number of steps; what changes a step needs another trial.
        m_window->draft().setField("run.total_steps", "10");
        QTRY_VERIFY2(text("trialResult").startsWith("10 steps take about 4"), qPrintable(text("trialResult")));
        const QString micro = m_window->draft().fieldText("batch.micro");
        m_window->draft().setField("batch.micro", "7");
        QTRY_COMPARE(text("trialResult"), QStringLiteral("The settings have changed since the trial."));

        // Another window knows what was tried.
        m_window->draft().setField("batch.micro", micro);
        m_window.reset();
        open();
        QTRY_VERIFY2(text("trialResult").contains(" ms a step, the median of 3"), qPrintable(text("trialResult")));
    }

    void N6_aTrialIsCancelled_data()
    {
        QTest::addColumn<bool>("isByClosing");
        QTest::newRow("N6 by its button") << false;
        QTest::newRow("N6 with the window") << true;
    }
    void N6_aTrialIsCancelled()
    {
        QFETCH(bool, isByClosing);
        answerAndTrain(100'000);
        open();
        QTRY_VERIFY(button("trialStart").isEnabled());
        button("trialStart").click();
        QTRY_COMPARE(text("trialNote"), QStringLiteral("Rank 0 loads data"));
        QVERIFY(std::filesystem::exists(trials()));
        QCOMPARE(ui_test::processes(trials().string()).size(), std::size_t(3));  // two ranks, and what cleans up after a kill
        if (isByClosing)
            m_window->close();
        else
            button("trialCancel").click();
        QTRY_VERIFY(!std::filesystem::exists(trials()));
        QTRY_COMPARE(text("trialNote"), QStringLiteral("The trial was cancelled."));
        QVERIFY(ui_test::processes(trials().string()).empty());
        QVERIFY(text("trialResult").isEmpty());
    }

    void N6_aTrialThatFailsSaysWhy()
    {
        answerAndTrain(1);
        qputenv("FAKE_DO", "exit");
        qputenv("FAKE_STEP", "2");
        open();
        QTRY_VERIFY(button("trialStart").isEnabled());
        button("trialStart").click();
        QTRY_COMPARE(text("trialNote"), QStringLiteral("the fake was told to fail"));
    }

    void N6_aForecastOfBeforeIsToldFromOneOfNow()
    {
        answer("800000000");
        open();
        const auto isDimmed = [&] { return !m_window->findChild<ui::MemoryBar*>()->isEnabled() && !m_window->findChild<QTreeWidget*>(QStringLiteral("forecastParts"))->isEnabled(); };
        QTRY_VERIFY(text("forecastMemory").startsWith("Each rank needs 100.0 MB"));
        QVERIFY(!isDimmed());
        const QString lr = m_window->draft().fieldText("optim.lr");
        m_window->draft().setField("optim.lr", "fast");
        QTRY_COMPARE(text("forecastNote"), QStringLiteral("The experiment has problems. The forecast below is of what it was before them."));
        QVERIFY(isDimmed());
        const QImage image = m_window->findChild<ui::MemoryBar*>()->grab().toImage();
        QVERIFY(image.pixelColor(image.width() / 2, image.height() / 5) != ui::partColour(0, m_window->palette()));
        m_window->draft().setField("optim.lr", lr);
        QTRY_COMPARE(text("forecastNote"), QString());
        QVERIFY(!isDimmed());
        // A plan that fails leaves it dimmed, and is not forgotten by looking at another tab.
        write("echo '2026-01-01 [error] [rank 0] [step 0] the sky is grey' >&2\nexit 1");
        m_window->draft().setField("batch.micro", "8");
        QTRY_VERIFY(text("forecastNote").contains("rank 0 failed") || text("forecastNote").contains("the sky is grey"));
        QVERIFY(isDimmed());
        const QString reason = text("forecastNote");
        auto* const tabs = m_window->findChild<QTabWidget*>(QStringLiteral("launchTabs"));
        tabs->setCurrentIndex(0);
        tabs->setCurrentWidget(&view());
        QTRY_COMPARE(text("forecastNote"), reason);
        QVERIFY(isDimmed());
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
