// E8, M14: a bar for each GPU in the toolbar: what is used by us and by others, whose processes, and since when nothing is known.
#include "engine/contract/run/journal.h"
#include "engine/contract/run/journal_writer.h"
#include "tests/launcher/fakes/fake_gpus.h"
#include "tests/ui/support/ui_test_main.h"
#include "tests/ui/window/open_window.h"
#include "ui/gpus/gpu_bar.h"
#include "ui/gpus/gpu_bars.h"
#include "ui/plot/canvas/plot_panel.h"
#include "ui/plot/plot_grid.h"
#include "ui/system/system_view.h"

#include <QDir>
#include <QDockWidget>
#include <QLabel>
#include <QProcess>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTest>

#include <unistd.h>

#include <memory>

using ui_test::kTimeoutMs;
using ui_test::OpenWindow;

namespace {

ui::GpuBars& barsOf(OpenWindow& window) { return *window->findChild<ui::GpuBars*>(); }
ui::GpuWatch& watchOf(OpenWindow& window) { return *window->findChild<ui::GpuWatch*>(QString(), Qt::FindDirectChildrenOnly); }

/// A process whose command line is that of a rank of @p run.
class Rank {
public:
    explicit Rank(const contract::RunFolder& run)
    {
        m_folder = std::make_unique<QTemporaryDir>();
        const QString program = m_folder->filePath(QStringLiteral("atelier-worker"));
        QFile::link(QStringLiteral("/bin/tail"), program);  // it waits, whatever else its arguments are
        m_process.start(program, {QStringLiteral("-f"), QStringLiteral("/dev/null"), QStringLiteral("--"), QStringLiteral("--run"), QString::fromStdString(run.root().string())});
        m_process.waitForStarted();
    }
    ~Rank()
    {
        m_process.kill();
        m_process.waitForFinished();
    }
    std::string id() const { return std::to_string(m_process.processId()); }

private:
    std::unique_ptr<QTemporaryDir> m_folder;
    QProcess m_process;
};

}  // namespace

class WindowGpusTest : public QObject {
    Q_OBJECT

    std::unique_ptr<FakeGpus> m_gpus;
    std::unique_ptr<ui_test::TestHome> m_home;

private Q_SLOTS:
    void init()
    {
        m_gpus = std::make_unique<FakeGpus>();
        m_home = std::make_unique<ui_test::TestHome>();
    }
    void cleanup()
    {
        m_gpus->setHanging(false);
        m_home.reset();
        m_gpus.reset();
    }

    void E8_aBarTellsOursAndOthersApart()
    {
        const auto run = m_home->writeRun("digits-20261121-100000-aaaa", 60, "");
        m_home->ingest();
        const Rank rank(run);
        m_gpus->set(rank.id() + ":30000000000," + std::to_string(::getpid()) + ":20000000000", "");
        OpenWindow window(m_home->home());
        QTRY_COMPARE_WITH_TIMEOUT(barsOf(window).bars().size(), std::size_t(2), kTimeoutMs);
        QTRY_VERIFY(barsOf(window).isVisible());
        const ui::GpuBar& first = *barsOf(window).bars()[0];
        QTRY_COMPARE_WITH_TIMEOUT(first.shares().ours, 30'000'000'000, kTimeoutMs);  // once the table has the run
        QCOMPARE(first.shares().others, 70'000'000'000);
        QCOMPARE(first.accessibleName(), QStringLiteral("GPU 0: NVIDIA H200"));
        for (const char* part : {"GPU 0: NVIDIA H200", "Memory: 100 GB of 150 GB used, 30.0 GB by runs of this window, 70.0 GB by others", "Load: 87 %",
                 "Temperature: 61 °C", "Slowed down by heat", "a rank of run digits-20261121-100000-aaaa, 30.0 GB", "tst_window_gpus (process "})
            QVERIFY2(first.toolTip().contains(QString::fromUtf8(part)), qPrintable(first.toolTip()));
        QVERIFY(barsOf(window).bars()[1]->toolTip().contains("Nobody computes on it."));
        // What is used is painted: from the left ours in its colour, then the others'.
        const QImage picture = barsOf(window).bars()[0]->grab().toImage();
        const int y = picture.height() / 3;
        QCOMPARE(picture.pixelColor(picture.width() / 10, y).rgb(), ui::lineColour(0, window->palette()).rgb());
        QVERIFY(picture.pixelColor(picture.width() / 2, y).rgb() != ui::lineColour(0, window->palette()).rgb());
        // A click leads to the run's curves of that GPU.
        QTest::mouseClick(barsOf(window).bars()[0], Qt::LeftButton);
        QCOMPARE(window.bench().selection.inspected().toStdString(), run.id());
        QTRY_VERIFY(!window->findChild<QDockWidget*>("systemDock")->visibleRegion().isEmpty());
    }

    void E8_aClickScrollsToThatGpusCurves()
    {
        const auto run = m_home->writeRun("digits-20261121-100000-aaaa", 60, "finished");
        {
            contract::JournalWriter journal(run.journal(contract::kHostRank), {.version = contract::kJournalVersion, .run = run.id(), .attempt = 1, .rank = contract::kHostRank, .host = {}, .startUnixMs = 0});
            for (int second = 1; second < 4; ++second) {
                journal.begin(contract::record::kHost, second);
                for (int gpu = 0; gpu < 8; ++gpu) {
                    const std::string name = "system/gpu" + std::to_string(gpu);
                    journal.add(name + "_load", 0.5).add(name + "_memory_used_bytes", 1e9).add(name + "_power_w", 100.0).add(name + "_temperature_c", 50.0);
                }
                journal.commit();
            }
        }
        m_home->ingest();
        std::string lines;
        for (int gpu = 0; gpu < 8; ++gpu)
            lines += "GPU-" + std::to_string(gpu) + "|NVIDIA H200|150000000000|149000000000|\n";
        m_gpus->setLines(lines);
        OpenWindow window(m_home->home());
        QTRY_COMPARE_WITH_TIMEOUT(barsOf(window).bars().size(), std::size_t(8), kTimeoutMs);
        QTRY_VERIFY_WITH_TIMEOUT(window.entry(QString::fromStdString(run.id())), kTimeoutMs);
        window->openRun(QString::fromStdString(run.id()));
        QTest::mouseClick(barsOf(window).bars()[7], Qt::LeftButton);
        const auto& system = *window->findChild<ui::SystemView*>();
        const auto isInView = [&](const char* metric) {
            for (const ui::PlotPanel* panel : system.grid().panels()) {
                if (panel->group().metrics.front() == metric)
                    return !panel->visibleRegion().isEmpty();
            }
            return false;
        };
        QTRY_VERIFY_WITH_TIMEOUT(isInView("system/gpu7_load") && !isInView("system/gpu0_load"), kTimeoutMs);
    }

    void E8_barsFollowWhatChanges()
    {
        OpenWindow window(m_home->home());
        QTRY_COMPARE_WITH_TIMEOUT(barsOf(window).bars().size(), std::size_t(2), kTimeoutMs);
        QCOMPARE(barsOf(window).bars()[1]->shares().others, 1'000'000'000);
        m_gpus->setLines("GPU-11aa|NVIDIA H200|150000000000|50000000000|\n");
        QTRY_COMPARE_WITH_TIMEOUT(barsOf(window).bars().size(), std::size_t(1), kTimeoutMs);
        QCOMPARE(barsOf(window).bars()[0]->shares().others, 100'000'000'000);
        m_gpus->setNone();
        QTRY_VERIFY_WITH_TIMEOUT(!barsOf(window).isVisible(), kTimeoutMs);
    }

    void E8_nobodyIsAskedWhileTheWindowIsHidden()
    {
        OpenWindow window(m_home->home());
        QTRY_COMPARE_WITH_TIMEOUT(barsOf(window).bars().size(), std::size_t(2), kTimeoutMs);
        const auto isAsking = [&] { return watchOf(window).isActive(); };
        QVERIFY(isAsking());
        window->hide();
        QVERIFY(!isAsking());
        m_gpus->setLines("GPU-11aa|NVIDIA H200|150000000000|50000000000|\n");
        window->show();
        QVERIFY(isAsking());
        QTRY_COMPARE_WITH_TIMEOUT(barsOf(window).bars().size(), std::size_t(1), kTimeoutMs);  // at once, not with the next tick
        window->setWindowState(Qt::WindowMinimized);
        QTRY_VERIFY(!isAsking());
    }

    void M14_aDriverThatHangsOrBreaksIsSaidInsteadOfOldNumbers()
    {
        OpenWindow window(m_home->home());
        QTRY_COMPARE_WITH_TIMEOUT(barsOf(window).bars().size(), std::size_t(2), kTimeoutMs);
        m_gpus->setHanging(true);
        QTRY_VERIFY_WITH_TIMEOUT(barsOf(window).bars()[0]->isSilent(), kTimeoutMs);
        const auto* const note = window->findChild<QLabel*>("gpuSilence");
        QVERIFY(note->isVisible());
        QVERIFY2(note->text().startsWith("Last record ") && note->text().endsWith(" ago"), qPrintable(note->text()));
        QVERIFY2(!barsOf(window).bars()[0]->toolTip().contains("Memory"), qPrintable(barsOf(window).bars()[0]->toolTip()));
        QVERIFY(barsOf(window).bars()[0]->toolTip().contains("the driver does not answer"));
        m_gpus->setHanging(false);
        QTRY_VERIFY_WITH_TIMEOUT(!barsOf(window).bars()[0]->isSilent(), kTimeoutMs);
        QVERIFY(!note->isVisible());
        m_gpus->breakDriver();
        QTRY_VERIFY_WITH_TIMEOUT(note->isVisible(), kTimeoutMs);
        QVERIFY2(barsOf(window).bars()[1]->toolTip().contains("the NVIDIA driver does not work"), qPrintable(barsOf(window).bars()[1]->toolTip()));
    }

    void E8_withoutGpusThereAreNoBars()
    {
        m_gpus->setNone();
        OpenWindow window(m_home->home());
        QTRY_VERIFY_WITH_TIMEOUT(watchOf(window).answeredUnixMs() > 0, kTimeoutMs);
        QVERIFY(!barsOf(window).isVisible());
    }
};

ATELIER_UI_TEST_MAIN(WindowGpusTest)
#include "tst_window_gpus.moc"
