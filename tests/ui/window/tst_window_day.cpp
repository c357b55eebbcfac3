// M17: a scripted session of typical use, with the duration of every event loop iteration measured.
#include "tests/paths.h"
#include "tests/ui/support/paint_watch.h"
#include "tests/ui/support/slowness.h"
#include "tests/ui/support/ui_test_main.h"
#include "tests/ui/window/open_window.h"
#include "ui/base/appearance.h"
#include "ui/runs/runs_view.h"

#include <QAction>
#include <QLineEdit>
#include <QSet>
#include <QTreeView>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <random>

using launcher::RunState;
using ui_test::kTimeoutMs;
using ui_test::OpenWindow;
using namespace std::chrono_literals;

namespace {

constexpr int kOldRuns = 1000;
constexpr auto kLimit = 16ms;

/// Records event loop iterations longer than 16 ms while it lives, without waits for threads that had no processor, and by the speed that
/// the machine has just then. A machine short of processors can become faster meanwhile: the first long turn of a kind may be its fault, a
/// second one is the program's.
class LongTurns {
public:
    LongTurns()
    {
        m_connection = QObject::connect(&application(), &ui::WatchedApplication::turnTookLong, &application(), [this](const ui::LongTurn& turn) {
            const double slowness = ui_test::slowness();
            const QString said = QStringLiteral("%1 ms, on the processor %2 ms, machine busy for %3 ms and slower by %4: %5; longest paint %6")
                                     .arg(double(turn.busy.count()) / 1000).arg(double(turn.computed.count()) / 1000)
                                     .arg(double(turn.pressure.count()) / 1000).arg(slowness).arg(turn.event, turn.paint);
            const bool isCertain = turn.pressure.count() == 0 || m_doubtful.contains(turn.event);
            const bool isLong = std::max(turn.computed, turn.busy - turn.pressure) > kLimit * slowness;
            if (isLong)
                m_doubtful.insert(turn.event);
            if (isLong && isCertain)
                m_turns << said;
            else
                qInfo("on a busy machine: %s", qPrintable(said));
        });
        application().setLimit(kLimit);
        application().takeLongest();
    }
    ~LongTurns()
    {
        const ui::LongTurn longest = application().takeLongest();
        application().setLimit(0ms);
        QObject::disconnect(m_connection);
        qInfo("longest turn %.1f ms: %s", double(longest.busy.count()) / 1000, qPrintable(longest.event));
    }

    QByteArray report() const { return m_turns.join(QLatin1Char('\n')).toUtf8(); }

private:
    static ui::WatchedApplication& application()
    {
        return *static_cast<ui::WatchedApplication*>(QCoreApplication::instance());
    }

    QStringList m_turns;
    QSet<QString> m_doubtful;  ///< the kinds of which one was long while the machine was short of processors
    QMetaObject::Connection m_connection;
};

}  // namespace

class WindowDayTest : public QObject {
    Q_OBJECT

private:
    std::unique_ptr<ui_test::TestHome> m_home;
    int m_runsBefore = 0;  ///< that there were when the day began

    static std::string oldRun(int run) { return "old" + std::to_string(run) + "-20261121-" + std::to_string(100'000 + run) + "-aaaa"; }
    int runsInHome() const
    {
        using Entries = std::filesystem::directory_iterator;
        return static_cast<int>(std::distance(Entries(m_home->home().runs()), Entries()));
    }

    /// On two ranks that really train; with samples and checkpoints all the time.
    static contract::Experiment trainingOfADay()
    {
        contract::Experiment experiment = ui_test::smallExperiment(1'000'000);
        for (const auto& [key, value] : {std::pair("launch.ranks", "2"), std::pair("sample.every", "50")}) {
            if (const auto problem = experiment.setText(key, value))
                qFatal("%s", problem->message.c_str());
        }
        return experiment;
    }

    static bool isDrawn(OpenWindow& window, const QString& id)
    {
        return std::ranges::any_of(window.bench().selection.drawn(), [&](const auto& run) { return run.runId == id; });
    }

    static void lookAround(OpenWindow& window, const QString& id)
    {
        for (int row = 0; row < 10; ++row)
            window->openRun(window.bench().runs.index(row, 0).data(ui::RunsModel::IdRole).toString());
        window->openRun(id);
        auto* search = window->runsView().findChild<QLineEdit*>();
        for (const char* text : {"o", "ol", "old", "old5", "loss < 0.2 and old", ""})
            search->setText(QLatin1String(text));
        QTRY_VERIFY_WITH_TIMEOUT(window.entry(id)->row.lastStep > 200, kTimeoutMs);
    }

    static void resume(OpenWindow& window, const QString& id)
    {
        QTRY_VERIFY_WITH_TIMEOUT(window.action("run.resume")->isEnabled(), kTimeoutMs);
        window.action("run.resume")->trigger();
        QVERIFY(window.becomes(id, RunState::Running));
    }

    /// At random moments.
    static void stopAndResume(OpenWindow& window, const QString& id, std::mt19937& random)
    {
        window.action("run.checkpoint")->trigger();
        const std::int64_t later = window.entry(id)->row.lastStep + std::uniform_int_distribution(1, 100)(random);
        QTRY_VERIFY_WITH_TIMEOUT(window.entry(id)->row.lastStep > later, kTimeoutMs);
        window.action("run.stop")->trigger();
        QVERIFY(window.becomes(id, RunState::Stopped));
        const std::int64_t stopped = window.entry(id)->row.lastStep;
        resume(window, id);
        QTRY_VERIFY_WITH_TIMEOUT(window.entry(id)->row.lastStep > stopped, kTimeoutMs);
    }

    void compareAndDelete(OpenWindow& window, const QString& id)
    {
        ui::Selection& selection = window.bench().selection;
        const QString other = QString::fromStdString(oldRun(3));
        for (const auto& run : selection.drawn())
            selection.setDrawn(run.runId, false);
        selection.setDrawn(QStringList({id, other}), true);
        window.action("view.tab4")->trigger();
        auto* const table = window->findChild<QTreeView*>(QStringLiteral("compareTable"));
        QTRY_VERIFY_WITH_TIMEOUT(table->model()->rowCount() > 0, kTimeoutMs);
        window.action("view.tab1")->trigger();

        window->openRun(other);
        QTRY_VERIFY_WITH_TIMEOUT(window.action("run.trash")->isEnabled(), kTimeoutMs);  // the running one cannot be moved
        window.action("run.trash")->trigger();
        QTRY_COMPARE_WITH_TIMEOUT(window.bench().runs.rowCount(), m_runsBefore, kTimeoutMs);
        QVERIFY(!window.entry(other));
        QTRY_VERIFY_WITH_TIMEOUT(window.action("edit.undo")->isEnabled(), kTimeoutMs);
        window.action("edit.undo")->trigger();
        QTRY_COMPARE_WITH_TIMEOUT(window.bench().runs.rowCount(), m_runsBefore + 1, kTimeoutMs);
        QVERIFY(window.becomes(other, RunState::Finished));
        window->openRun(id);
        QTRY_COMPARE_WITH_TIMEOUT(selection.inspected(), id, kTimeoutMs);
    }

private Q_SLOTS:
    void initTestCase()
    {
        qputenv("ATELIER_PROGRAM", ATELIER_BIN_DIR "/atelier");
        qputenv("ATELIER_WORKER", ATELIER_BIN_DIR "/atelier-worker");
        ui::applyAppearance(ui::Appearance::Light);
        m_home = std::make_unique<ui_test::TestHome>();
        for (int run = 0; run < kOldRuns; ++run)
            m_home->writeRun(oldRun(run), 20, "finished");
        m_home->ingest();
    }

    void init() { m_runsBefore = runsInHome(); }
    void cleanup() { QVERIFY(ui_test::endRuns(m_home->home())); }

    void m17_theWindowIsPaintedSoon()
    {
        const auto start = ui_test::processorTime();
        ui::MainWindow window(m_home->home());
        const auto made = ui_test::processorTime();
        const ui_test::PaintWatch watch(window);
        window.show();
        QVERIFY(QTest::qWaitForWindowExposed(&window));
        QTRY_VERIFY(watch.isPainted);
        const auto painted = ui_test::processorTime();
        const double slowness = ui_test::slowness();
        qInfo("made in %lld ms, painted in %lld ms of the processor's time, on a machine slower by %.2f", qlonglong((made - start) / 1ms),
            qlonglong((painted - made) / 1ms), slowness);
        QVERIFY(painted - made <= 50ms * slowness);
    }

    /// ATELIER_DAYS sets their number.
    void m17_noTurnOfTheScriptedDayIsLong_data()
    {
        QTest::addColumn<unsigned>("seed");
        bool isNumber = false;
        const int days = qEnvironmentVariableIntValue("ATELIER_DAYS", &isNumber);
        for (int day = 1; day <= (isNumber ? days : 1); ++day)
            QTest::addRow("M17 day %d", day) << static_cast<unsigned>(day);
    }
    /// Over 1,000 earlier runs, and those of the days before: start, plot, search, checkpoint, stop, resume, compare, delete, undo, kill everything, open again, resume.
    void m17_noTurnOfTheScriptedDayIsLong()
    {
        QFETCH(unsigned, seed);
        std::mt19937 random(seed);
        auto window = std::make_unique<OpenWindow>(m_home->home());
        QTRY_COMPARE_WITH_TIMEOUT(window->bench().runs.rowCount(), m_runsBefore, kTimeoutMs);
        QTRY_VERIFY_WITH_TIMEOUT(!window->bench().facts.facts().runId.isEmpty(), kTimeoutMs);
        QString id;
        {
            const LongTurns longTurns;
            id = window->start(trainingOfADay());
            QVERIFY(!id.isEmpty());
            QTRY_VERIFY_WITH_TIMEOUT(window->entry(id)->row.lastStep > 100, kTimeoutMs);
            lookAround(*window, id);
            if (QTest::currentTestFailed())
                return;
            stopAndResume(*window, id, random);
            if (QTest::currentTestFailed())
                return;
            compareAndDelete(*window, id);
            QVERIFY2(longTurns.report().isEmpty(), longTurns.report());
        }
        const std::int64_t end = window->entry(id)->row.lastStep + std::uniform_int_distribution(0, 50)(random);  // one that nobody has chosen
        QTRY_VERIFY_WITH_TIMEOUT(window->entry(id)->row.lastStep >= end, kTimeoutMs);
        QVERIFY(ui_test::endRuns(m_home->home()));
        if (random() % 2 == 0)
            QVERIFY(window->becomes(id, RunState::Interrupted));
        window.reset();

        window = std::make_unique<OpenWindow>(m_home->home());
        QTRY_COMPARE_WITH_TIMEOUT(window->bench().runs.rowCount(), m_runsBefore + 1, kTimeoutMs);
        QVERIFY(window->becomes(id, RunState::Interrupted));
        QTRY_VERIFY_WITH_TIMEOUT(isDrawn(*window, id), kTimeoutMs);  // as it was left
        QTRY_COMPARE_WITH_TIMEOUT(window->bench().facts.facts().runId, id, kTimeoutMs);
        const LongTurns longTurns;
        const std::int64_t before = window->entry(id)->row.lastStep;
        resume(*window, id);
        QTRY_VERIFY_WITH_TIMEOUT(window->entry(id)->row.lastStep > before, kTimeoutMs);
        window->action("run.stop")->trigger();
        QVERIFY(window->becomes(id, RunState::Stopped));
        QCOMPARE(window->entry(id)->row.attempts, 3);
        QCOMPARE(window->missing(contract::RunFolder(m_home->home().runs() / id.toStdString()), 400), QString());
        QVERIFY2(longTurns.report().isEmpty(), longTurns.report());
    }
};

ATELIER_UI_TEST_MAIN(WindowDayTest)
#include "tst_window_day.moc"
