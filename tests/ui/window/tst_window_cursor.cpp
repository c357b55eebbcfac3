// N3: one cursor through plots, logs, samples, checkpoints and system, in the real window.
#include "engine/contract/checkpoint/checkpoint_manifest.h"
#include "tests/ui/support/ui_test_main.h"
#include "tests/ui/window/open_window.h"
#include "ui/checkpoint/checkpoint_model.h"
#include "ui/checkpoint/checkpoints_view.h"
#include "ui/gallery/gallery_view.h"
#include "ui/logs/log_view.h"
#include "ui/logs/logs_dock.h"
#include "ui/plot/canvas/plot_panel.h"
#include "ui/plot/plots_view.h"
#include "ui/steps/parts_chart.h"
#include "ui/steps/rank_map.h"
#include "ui/steps/steps_view.h"
#include "ui/system/system_view.h"

#include <QComboBox>
#include <QDateTime>
#include <QDockWidget>
#include <QImage>
#include <QJsonDocument>
#include <QJsonObject>
#include <QScrollBar>
#include <QTableView>
#include <QTest>

#include <algorithm>
#include <cmath>
#include <fstream>

using ui_test::OpenWindow;

namespace {

constexpr qint64 kStartMs = 1795255200000;  ///< of the ranks and of the machine's journal
constexpr qint64 kWaitedMs = 3 * 3'600'000;  ///< that the run waited in a queue until then
constexpr int kSteps = 1000;                ///< one a second
const QString kRun = QStringLiteral("digits-20261121-100000-aaaa"), kBeside = QStringLiteral("other-20261121-100001-bbbb");

void write(std::ofstream& journal, const QJsonObject& record)
{
    journal << QJsonDocument(record).toJson(QJsonDocument::Compact).toStdString() << "\n";
}

}  // namespace

class WindowCursorTest : public QObject {
    Q_OBJECT

private:
    std::unique_ptr<ui_test::TestHome> m_home;
    std::unique_ptr<OpenWindow> m_window;

    /// A step a second, ten lines in the log each, of which nine have no time; a sample every 100 and a checkpoint every 250 steps.
    void writeRun(const QString& id = kRun, double loss = 0)
    {
        const auto folder = m_home->writeRun(id.toStdString(), 0, "finished");
        contract::AttemptStart start = folder.readStart(1);
        start.startUnixMs = kStartMs - kWaitedMs;
        folder.writeStart(start);
        std::ofstream journal(folder.journal(0));
        write(journal, {{"v", 1}, {"run", id}, {"attempt", 1}, {"rank", 0}, {"host", "box"}, {"t_unix_ms", kStartMs}});
        std::ofstream log(folder.logs() / "rank-0.log");
        QImage image(8, 8, QImage::Format_RGB32);
        image.fill(Qt::gray);
        for (int step = 1; step <= kSteps; ++step) {
            write(journal, {{"type", "step"}, {"step", step}, {"t_ms", step * 1000}, {"loss", loss + 1.0 / step}, {"time/step_ms", 900}, {"time/forward_ms", 300},
                               {"time/backward_ms", 500}});
            log << QDateTime::fromMSecsSinceEpoch(kStartMs + step * 1000).toString("yyyy-MM-dd HH:mm:ss.zzz").toStdString()
                << " [info] [rank 0] step " << step << "\n";
            for (int line = 0; line < 9; ++line)
                log << "  more of it\n";
            const std::string number = std::to_string(step);
            if (step % 100 == 0) {
                image.save(QString::fromStdString((folder.samples() / (number + ".png")).string()));
                write(journal, {{"type", "sample"}, {"step", step}, {"t_ms", step * 1000}, {"prompt", "a digit"}, {"seed", 1},
                                   {"guidance", 1}, {"weights", "ema"}, {"file", "samples/" + QString::number(step) + ".png"}});
            }
            if (step % 250 == 0) {
                contract::CheckpointManifest manifest;
                manifest.run = folder.id();
                manifest.step = step;
                manifest.unixMs = kStartMs + step * 1000;
                manifest.fileBytes = {{"rank-0.safetensors", 1}};
                std::filesystem::create_directories(folder.checkpoint(step));
                std::ofstream(folder.checkpoint(step) / "rank-0.safetensors") << "x";
                contract::writeManifest(folder.checkpoint(step), manifest);
            }
        }
    }
    ui::PlotsView* plots() { return (*m_window)->findChild<ui::PlotsView*>(); }
    ui::LogView& logs() { return (*m_window)->logs().view(); }
    bool showsInLogs(int step)
    {
        const int first = logs().verticalScrollBar()->value();
        for (int row = first; row < first + 40; ++row) {
            const ui::LogText* const line = row < (*m_window)->logs().model().count() ? (*m_window)->logs().model().line(row) : nullptr;
            if (line && line->text.endsWith(" step " + QString::number(step)))
                return logs().currentRow() == row;
        }
        return false;
    }

private Q_SLOTS:
    void init()
    {
        m_home = std::make_unique<ui_test::TestHome>();
        writeRun();
        m_home->ingest();
        m_window = std::make_unique<OpenWindow>(m_home->home());
        (*m_window)->openRun(kRun);
        QTRY_VERIFY(!plots()->panels().empty() && !plots()->panels().front()->canvas().lines().empty());
        QTRY_COMPARE((*m_window)->logs().model().count(), qsizetype(10 * kSteps));
    }
    void cleanup()
    {
        m_window.reset();
        m_home.reset();
    }

    void N3_aPinInThePlotsIsShownEverywhere()
    {
        (*m_window)->tabs().setCurrentIndex(1);
        auto* gallery = (*m_window)->findChild<ui::GalleryView*>();
        QTRY_COMPARE(gallery->grid().grid().rows(), 10);
        (*m_window)->tabs().setCurrentIndex(0);
        plots()->viewState().setPinned(537.2);
        QTRY_VERIFY(showsInLogs(537));
        QVERIFY(!logs().isFollowing());
        QCOMPARE(gallery->grid().grid().step(gallery->grid().currentRow()), std::int64_t(500));
        const auto* system = (*m_window)->findChild<ui::SystemView*>();
        QCOMPARE(const_cast<ui::SystemView*>(system)->viewState().cursor(), std::optional(kStartMs / 1000.0 + 537));
        // Checkpoints are not read before their tab is shown.
        (*m_window)->tabs().setCurrentIndex(2);
        auto* checkpoints = (*m_window)->findChild<ui::CheckpointsView*>();
        QTRY_COMPARE(checkpoints->model().rowCount(), 4);
        const auto selectedStep = [&] {
            const auto rows = checkpoints->table().selectionModel()->selectedRows(ui::CheckpointModel::Step);
            return rows.size() == 1 ? rows.front().data(ui::CheckpointModel::SortRole).toLongLong() : -1;
        };
        QTRY_COMPARE(selectedStep(), 500);
        plots()->viewState().setPinned(880.0);
        QCOMPARE(selectedStep(), 1000);
        QCOMPARE(gallery->grid().grid().step(gallery->grid().currentRow()), std::int64_t(900));
        plots()->viewState().setPinned({});
        QVERIFY(!const_cast<ui::SystemView*>(system)->viewState().isPinned());
    }

    void N3_theTimeOnTheAxisDoesNotMatter()
    {
        plots()->viewState().setXAxis(ui::XAxis::WallTime);
        plots()->viewState().setPinned(kStartMs / 1000.0 + 23.4);
        QTRY_VERIFY(showsInLogs(23));
    }

    void N3_aLineOfTheLogLeadsBack()
    {
        logs().setFollowing(false);
        logs().showRow(4007);  // of step 401
        QTRY_VERIFY((*m_window)->logs().model().line(4007) && (*m_window)->logs().model().line(4000));
        QTest::keyClick(&logs(), Qt::Key_Return);
        QVERIFY(plots()->viewState().isPinned());
        QCOMPARE(*plots()->viewState().cursor(), 401.0);
        QTRY_COMPARE(logs().currentRow(), qsizetype(4000));
    }

    void N3_aStepIsMarkedInTheDockStepsAndLeadsBack()
    {
        auto* const steps = (*m_window)->findChild<ui::StepsView*>();
        (*m_window)->findChild<QDockWidget*>("stepsDock")->raise();
        QTRY_VERIFY(steps->isVisible() && steps->chart().parts().bins() > 0);
        plots()->viewState().setPinned(537.2);
        QCOMPARE(steps->chart().markedStep(), std::optional<std::int64_t>(537));
        QCOMPARE(steps->map().markedStep(), std::optional<std::int64_t>(537));
        // A line of the text's colour, over bars and map alike.
        for (const ui::StepChart* chart : std::initializer_list<const ui::StepChart*> {&steps->chart(), &steps->map()}) {
            auto* const drawn = const_cast<ui::StepChart*>(chart);
            drawn->replot();
            const QImage image = drawn->grab().toImage();
            const int x = int(drawn->xAxis->coordToPixel(537.5)), y = drawn->axisRect()->center().y();
            const auto isLine = [&](int at) { return image.pixelColor(at, y) == drawn->palette().color(QPalette::Text); };
            QVERIFY2(isLine(x - 1) || isLine(x) || isLine(x + 1), qPrintable(image.pixelColor(x, y).name()));
            QVERIFY2(drawn->accessibleDescription().startsWith("Step 537 is marked. "), qPrintable(drawn->accessibleDescription()));
        }
        // A click leads everywhere.
        auto* const chart = const_cast<ui::PartsChart*>(&steps->chart());
        const QPoint at(int(chart->xAxis->coordToPixel(250.5)), chart->axisRect()->center().y());
        const auto clicked = std::int64_t(std::floor(chart->xAxis->pixelToCoord(at.x())));
        QTest::mouseClick(chart, Qt::LeftButton, {}, at);
        QVERIFY(plots()->viewState().isPinned());
        QCOMPARE(*plots()->viewState().cursor(), double(clicked));
        QTRY_VERIFY(showsInLogs(int(clicked)));
        QCOMPARE(steps->map().markedStep(), std::optional(clicked));
        // So do keys; a drag does not.
        auto* const map = const_cast<ui::RankMap*>(&steps->map());
        QTest::keyClick(map, Qt::Key_Right, Qt::ShiftModifier);
        QVERIFY(*plots()->viewState().cursor() > double(clicked));
        const double before = *plots()->viewState().cursor();
        QTest::mousePress(chart, Qt::LeftButton, {}, at);
        QTest::mouseMove(chart, at + QPoint(60, 0));
        QTest::mouseRelease(chart, Qt::LeftButton, {}, at + QPoint(60, 0));
        QCOMPARE(*plots()->viewState().cursor(), before);
        plots()->viewState().setPinned({});
        QVERIFY(!steps->chart().markedStep() && !steps->map().markedStep());
    }

    /// A step a second: along wall time it lies a second farther each.
    void N13_theStepsHaveTheXAxisOfThePlots()
    {
        const auto openSteps = [this] {
            auto* const steps = (*m_window)->findChild<ui::StepsView*>();
            (*m_window)->findChild<QDockWidget*>("stepsDock")->raise();
            return steps;
        };
        auto* steps = openSteps();
        QTRY_VERIFY(steps->isVisible() && steps->chart().parts().bins() > 0);
        const double start = kStartMs / 1000.0;
        plots()->viewState().setXAxis(ui::XAxis::WallTime);
        auto* const chart = const_cast<ui::PartsChart*>(&steps->chart());
        const QCPRange all = chart->xAxis->range();
        QVERIFY2(all.lower > start - 3 && all.lower <= start + 1 && all.upper >= start + kSteps && all.upper < start + kSteps + 3, qPrintable(QString::number(all.lower - start)));
        QCOMPARE(steps->map().xAxis->range(), all);
        QVector<double> ticks;  // between whose labels there is room
        steps->map().xAxis->ticker()->generate(all, {}, {}, 0, ticks, nullptr, nullptr);
        QVERIFY(ticks.size() >= 2);
        QVERIFY(steps->map().xAxis->coordToPixel(ticks[1]) - steps->map().xAxis->coordToPixel(ticks[0]) > chart->fontMetrics().horizontalAdvance("00:00:00"));
        QVERIFY(steps->chart().parts().bins() > 400);
        for (std::size_t bin = 0; bin < steps->chart().parts().bins(); ++bin)
            QCOMPARE(steps->chart().parts().total(bin), 900.0);
        plots()->viewState().setPinned(start + 537.2);
        QCOMPARE(chart->mark(), std::optional(ui::StepChart::Mark {537, start + 537}));
        QVERIFY2(chart->accessibleDescription().startsWith("Step 537 is marked. Wall time "), qPrintable(chart->accessibleDescription()));
        const QPoint at(int(std::lround(chart->xAxis->coordToPixel(start + 250))), chart->axisRect()->center().y());
        QTest::mouseClick(chart, Qt::LeftButton, {}, at);
        const int clicked = int(std::lround(chart->xAxis->pixelToCoord(at.x()) - start));
        QCOMPARE(*plots()->viewState().cursor(), start + clicked);
        QTRY_VERIFY(showsInLogs(clicked));
        QCOMPARE(steps->map().markedStep(), std::optional<std::int64_t>(clicked));
        auto* const map = const_cast<ui::RankMap*>(&steps->map());
        QTest::keyClick(map, Qt::Key_Right, Qt::ShiftModifier);
        QVERIFY(*plots()->viewState().cursor() > start + clicked);
        // The next window has it, too.
        m_window.reset();
        m_window = std::make_unique<OpenWindow>(m_home->home());
        steps = openSteps();
        (*m_window)->openRun(kRun);
        QTRY_COMPARE(steps->map().xAxis->range(), all);
        plots()->viewState().setXAxis(ui::XAxis::Step);
        QCOMPARE(steps->chart().xAxis->range(), QCPRange(0, kSteps + 2));
    }

    /// What is zoomed elsewhere scrolls to the pin.
    void n03_aPinIsBroughtIntoSight()
    {
        auto* const system = (*m_window)->findChild<ui::SystemView*>();
        auto* const steps = (*m_window)->findChild<ui::StepsView*>();
        (*m_window)->findChild<QDockWidget*>("stepsDock")->raise();
        QTRY_VERIFY(steps->isVisible() && steps->chart().parts().bins() > 0);
        auto* const chart = const_cast<ui::PartsChart*>(&steps->chart());
        chart->showRange({700, 800});
        plots()->viewState().setX({10, 60});
        system->viewState().setX({kStartMs / 1000.0 + 10, kStartMs / 1000.0 + 20});
        logs().setFollowing(false);
        logs().showRow(4007);  // of step 401
        QTRY_VERIFY((*m_window)->logs().model().line(4007) && (*m_window)->logs().model().line(4000));
        QTest::keyClick(&logs(), Qt::Key_Return);
        QCOMPARE(*plots()->viewState().cursor(), 401.0);
        QCOMPARE(plots()->viewState().x(), (ui::Interval {376, 426}));
        const ui::Interval seen = system->viewState().x();
        QVERIFY(seen.lower <= kStartMs / 1000.0 + 401 && kStartMs / 1000.0 + 401 <= seen.upper);
        QCOMPARE(seen.size(), 10.0);
        QVERIFY(chart->xAxis->range().contains(401.5));
        QCOMPARE(chart->xAxis->range().size(), 100.0);
        QVERIFY(steps->map().xAxis->range().contains(401.5));
    }

    /// A spike of another run than the inspected one is that run's moment.
    void n03_aClickIsAboutTheRunOfTheNearestLine()
    {
        writeRun(kBeside, 0.5);
        m_home->ingest();
        m_window->bench().store.readAgain();
        m_window->bench().watch.readAgain();
        QTRY_VERIFY(m_window->entry(kBeside));
        ui::Selection& selection = m_window->bench().selection;
        selection.setAllDrawn({kRun, kBeside});
        const auto panels = plots()->panels();
        const auto loss = std::ranges::find(panels, std::string("loss"), [](const ui::PlotPanel* panel) { return panel->group().id; });
        QVERIFY(loss != panels.end());
        ui::PlotCanvas& canvas = (*loss)->canvas();
        QTRY_COMPARE(canvas.lines().size(), std::size_t(2));
        QTRY_VERIFY(canvas.shownX().size() > 900);
        canvas.refresh();
        const auto click = [&](double step, double value) {
            QTest::mouseClick(&canvas, Qt::LeftButton, {}, QPoint(int(canvas.xAxis->coordToPixel(step)), int(canvas.yAxis->coordToPixel(value))));
        };
        QCOMPARE(selection.inspected(), kRun);
        click(600, 0.5);
        QVERIFY(plots()->viewState().isPinned());
        QCOMPARE(selection.inspected(), kBeside);
        const int step = int(std::lround(*plots()->viewState().cursor()));
        QTRY_VERIFY(!(*m_window)->logs().model().files().empty()
            && QString::fromStdString((*m_window)->logs().model().files().front()).contains(kBeside));
        QTRY_VERIFY(showsInLogs(step));
        QCOMPARE((*m_window)->findChild<ui::StepsView*>()->chart().markedStep(), std::optional<std::int64_t>(step));
        QTest::keyClick(&canvas, Qt::Key_Escape);
        click(300, 0);
        QCOMPARE(selection.inspected(), kRun);
        QTRY_VERIFY(showsInLogs(int(std::lround(*plots()->viewState().cursor()))));
    }

    void N3_aPinInTheSystemViewLeadsBack()
    {
        (*m_window)->findChild<ui::SystemView*>()->viewState().setPinned(kStartMs / 1000.0 + 250);
        QCOMPARE(*plots()->viewState().cursor(), 250.0);
        QTRY_VERIFY(showsInLogs(250));
    }
};

ATELIER_UI_TEST_MAIN(WindowCursorTest)
#include "tst_window_cursor.moc"
