// M17: a scripted session of typical use, with the duration of every event loop iteration measured.
#include "tests/ui/support/ui_test_main.h"
#include "tests/ui/window/open_window.h"
#include "ui/runs/runs_view.h"

#include <QAction>
#include <QLineEdit>

#include <ctime>

using launcher::RunState;
using ui_test::kTimeoutMs;
using ui_test::OpenWindow;
using namespace std::chrono_literals;

namespace {

std::chrono::milliseconds processorTime()
{
    timespec now {};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return std::chrono::duration_cast<std::chrono::milliseconds>(
        std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec));
}

/// Records event loop iterations longer than 16 ms while it lives.
class LongTurns {
public:
    LongTurns()
    {
        m_connection = QObject::connect(&application(), &ui::WatchedApplication::turnTookLong, &application(), [this](const ui::LongTurn& turn) {
            m_turns << QStringLiteral("%1 ms, of it on the processor %2 ms: %3; longest paint %4")
                           .arg(double(turn.busy.count()) / 1000).arg(double(turn.computed.count()) / 1000).arg(turn.event, turn.paint);
        });
        application().setLimit(16ms);
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
    QMetaObject::Connection m_connection;
};

/// Notices a widget's first paint.
class PaintWatch : public QObject {
public:
    explicit PaintWatch(QWidget& widget) { widget.installEventFilter(this); }
    bool isPainted = false;

private:
    bool eventFilter(QObject*, QEvent* event) override
    {
        isPainted |= event->type() == QEvent::Paint;
        return false;
    }
};

}  // namespace

class WindowDayTest : public QObject {
    Q_OBJECT

private:
    std::unique_ptr<ui_test::TestHome> m_home;

    void writeOldRuns(int count)
    {
        for (int run = 0; run < count; ++run)
            m_home->writeRun("old" + std::to_string(run) + "-20261121-1000" + std::to_string(10 + run) + "-aaaa", 200, "finished");
    }

private Q_SLOTS:
    void initTestCase()
    {
        qputenv("ATELIER_PROGRAM", ATELIER_BIN_DIR "/atelier");
        qputenv("ATELIER_WORKER", FAKE_WORKER);
        qputenv("FAKE_STEP_MS", "10");
    }

    void init() { m_home = std::make_unique<ui_test::TestHome>(); }

    void cleanup()
    {
        QVERIFY(ui_test::endRuns(m_home->home()));
        m_home.reset();
    }

    void m17_theWindowIsPaintedSoon()
    {
        writeOldRuns(60);
        m_home->ingest();
        const auto start = processorTime();
        ui::MainWindow window(m_home->home());
        const auto made = processorTime();
        PaintWatch watch(window);
        window.show();
        QVERIFY(QTest::qWaitForWindowExposed(&window));
        QTRY_VERIFY(watch.isPainted);
        const auto painted = processorTime();
        qInfo("made in %lld ms, painted in %lld ms of the processor's time", qlonglong((made - start).count()),
            qlonglong((painted - made).count()));
        QVERIFY(painted - made <= 50ms);
    }

    void m17_noTurnOfTheScriptedDayIsLong()
    {
        writeOldRuns(60);
        OpenWindow window(m_home->home());
        QTRY_COMPARE(window.bench().runs.rowCount(), 60);
        QTRY_VERIFY(!window.bench().facts.facts().runId.isEmpty());

        LongTurns longTurns;
        const QString id = window.start(ui_test::plainExperiment(100'000));
        QVERIFY(!id.isEmpty());
        QTRY_VERIFY_WITH_TIMEOUT(window.entry(id)->row.lastStep > 100, kTimeoutMs);
        for (int row = 0; row < 10; ++row)
            window->openRun(window.bench().runs.index(row, 0).data(ui::RunsModel::IdRole).toString());
        window->openRun(id);
        auto* search = window->runsView().findChild<QLineEdit*>();
        for (const char* text : {"o", "ol", "old", "old5", ""})
            search->setText(QLatin1String(text));
        QTRY_VERIFY_WITH_TIMEOUT(window.entry(id)->row.lastStep > 200, kTimeoutMs);
        window.action("run.stop")->trigger();
        QTRY_COMPARE_WITH_TIMEOUT(window.stateOf(id), std::optional(RunState::Stopped), kTimeoutMs);
        QVERIFY2(longTurns.report().isEmpty(), longTurns.report());
    }
};

ATELIER_UI_TEST_MAIN(WindowDayTest)
#include "tst_window_day.moc"
