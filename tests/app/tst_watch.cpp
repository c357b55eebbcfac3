// `atelier watch` (issue section 7, M16) in a real pseudo terminal, beside real supervisors with fake ranks.
#include "tests/app/atelier_program.h"
#include "tests/app/pseudo_terminal.h"
#include "tests/paths.h"

#include "engine/contract/run/annotations.h"
#include "engine/contract/run/journal_writer.h"
#include "engine/contract/run/supervisor_lock.h"
#include "launcher/state/run_state.h"

#include <QElapsedTimer>
#include <QFile>
#include <QtTest>

#include <csignal>
#include <cstring>
#include <unistd.h>

using tests::AtelierProgram;
using tests::PseudoTerminal;
using tests::Screen;
using tests::kDigits;

namespace {

bool hasCurve(const Screen& screen)
{
    const QString text = screen.text();
    return std::any_of(text.begin(), text.end(), [](QChar character) { return character.unicode() > 0x2800 && character.unicode() < 0x2900; });
}

void append(const std::filesystem::path& file, const QByteArray& text)
{
    std::filesystem::create_directories(file.parent_path());
    QFile stream(QString::fromStdString(file.string()));
    QVERIFY(stream.open(QIODevice::Append) && stream.write(text) == text.size());
}

}  // namespace

class WatchTest : public QObject {
    Q_OBJECT

    std::unique_ptr<AtelierProgram> m_atelier;

    void start(PseudoTerminal& terminal, const QStringList& arguments = {}, const QStringList& variables = {})
    {
        QStringList environment = m_atelier->environment().filter(QRegularExpression("^(?!TERM=|LC_|LANG|NO_COLOR|LINES|COLUMNS)"));
        environment << "TERM=xterm" << "LC_ALL=C.UTF-8";
        for (const QString& variable : variables) {
            environment = environment.filter(QRegularExpression("^(?!" + variable.section('=', 0, 0) + "=)"));
            environment << variable;
        }
        terminal.start(m_atelier->program(), QStringList("watch") + arguments, environment);
    }

    contract::RunFolder startRun(int steps)
    {
        m_atelier->setVariable("FAKE_STEP_MS", "5");
        const QString file = m_atelier->writeFile("live.toml",
            "[run]\nname = \"live\"\ntotal_steps = " + QByteArray::number(steps)
                + "\n[launch]\nranks = 2\n[data]\npath = \"" ATELIER_SOURCE_DIR "/resources/digits.csv.gz\"\n");
        m_atelier->runWell({"run", file, "--detach"});
        return m_atelier->onlyRun();
    }

private Q_SLOTS:
    void init() { m_atelier = std::make_unique<AtelierProgram>(); }

    void aLiveRunIsShownWithTheStateThatItsEvidenceGives()
    {
        const contract::RunFolder run = startRun(1'000'000);
        PseudoTerminal terminal(80, 24);
        start(terminal);
        QVERIFY2(terminal.waitForText("● running"), qPrintable(terminal.screen().text()));
        QVERIFY2(terminal.wait([](const Screen& screen) { return hasCurve(screen) && screen.line(2).contains("left"); }), qPrintable(terminal.screen().text()));
        QVERIFY2(terminal.screen().line(0).contains("live") && terminal.screen().line(0).endsWith("run 1 of 1"), qPrintable(terminal.screen().text()));
        QVERIFY(terminal.waitForText("── log"));
        // It follows the run: a later step replaces the one shown.
        const QString step = terminal.screen().line(2);
        QVERIFY(terminal.wait([&](const Screen& screen) { return screen.line(2) != step; }));
        ::kill(static_cast<pid_t>(contract::lockOwner(run)->processId), SIGKILL);
        QElapsedTimer waited;
        waited.start();
        QVERIFY2(terminal.waitForText("✗ interrupted"), qPrintable(terminal.screen().text()));
        QVERIFY2(waited.elapsed() < 3000, qPrintable(QString::number(waited.elapsed())));
        QCOMPARE(launcher::stateName(launcher::inspectRun(run).state), std::string_view("interrupted"));
        QVERIFY(!terminal.screen().text().contains("left"));
        QVERIFY2(terminal.screen().unknown().isEmpty(), qPrintable(terminal.screen().unknown().join(' ')));
        terminal.type("q");
        QCOMPARE(terminal.end(), 0);
    }

    void itRepaintsTenTimesASecondAtMost()
    {
        startRun(1'000'000);
        PseudoTerminal terminal(80, 24);
        start(terminal);
        QVERIFY(terminal.waitForText("● running"));
        const int before = terminal.screen().paints(23);
        QElapsedTimer waited;
        waited.start();
        for (int paint = 1; paint <= 15; ++paint) {
            terminal.type("l");  // which changes the line of the keys, the last one; twice between two paints would change nothing
            QVERIFY(terminal.wait([&](const Screen& screen) { return screen.paints(23) >= before + paint; }));
        }
        QVERIFY2(waited.elapsed() >= 1350, qPrintable(QString::number(waited.elapsed()) + " ms for 15 paints"));
    }

    void theTerminalIsRestored_data()
    {
        QTest::addColumn<QByteArray>("keys");
        QTest::addColumn<int>("signal");
        QTest::newRow("q") << QByteArray("q") << 0;
        QTest::newRow("Ctrl+C") << QByteArray("\x03") << 0;
        QTest::newRow("SIGTERM") << QByteArray() << SIGTERM;
        QTest::newRow("SIGHUP") << QByteArray() << SIGHUP;
        QTest::newRow("SIGQUIT") << QByteArray() << SIGQUIT;
    }
    void theTerminalIsRestored()
    {
        QFETCH(QByteArray, keys);
        QFETCH(int, signal);
        m_atelier->addFinishedRun(kDigits, 20);
        PseudoTerminal terminal(80, 24);
        const termios before = terminal.settings();
        start(terminal, {"digits"});
        QVERIFY(terminal.waitForText("✓ finished"));
        QVERIFY(terminal.screen().isAlternate() && !terminal.screen().isCursorShown() && !terminal.screen().wrapsLines());
        QVERIFY(!(terminal.settings().c_lflag & (ICANON | ECHO)));
        if (signal)
            ::kill(terminal.process(), signal);
        else
            terminal.type(keys);
        QCOMPARE(terminal.end(), 0);
        QVERIFY(!terminal.screen().isAlternate() && terminal.screen().isCursorShown() && terminal.screen().wrapsLines());
        const termios after = terminal.settings();
        QVERIFY(before.c_lflag == after.c_lflag && before.c_iflag == after.c_iflag && before.c_oflag == after.c_oflag);
        QVERIFY(std::memcmp(before.c_cc, after.c_cc, sizeof before.c_cc) == 0);
    }

    void theTerminalIsLentWhileItIsSuspended()
    {
        m_atelier->addFinishedRun(kDigits, 20);
        PseudoTerminal terminal(80, 24);
        start(terminal);
        QVERIFY(terminal.waitForText("✓ finished"));
        ::kill(terminal.process(), SIGTSTP);
        QVERIFY(terminal.wait([](const Screen& screen) { return !screen.isAlternate() && screen.isCursorShown(); }));
        QVERIFY(terminal.settings().c_lflag & ECHO);
        QVERIFY(terminal.waitForStop());
        ::kill(terminal.process(), SIGCONT);
        QVERIFY(terminal.wait([](const Screen& screen) { return screen.isAlternate() && screen.line(1) == "✓ finished"; }));
        terminal.type("q");
        QCOMPARE(terminal.end(), 0);
    }

    void keysChangeWhatIsShown_data()
    {
        QTest::addColumn<QByteArray>("keys");
        QTest::addColumn<QString>("before");
        QTest::addColumn<QString>("after");
        QTest::newRow("→ the next metric") << QByteArray("\033[C") << "metric 1/2" << "metric 2/2";
        QTest::newRow("← the metric before, in the other form") << QByteArray("\033OD") << "metric 1/2" << "metric 2/2";
        QTest::newRow("l logarithmic") << QByteArray("l") << "log y" << "linear y";
        QTest::newRow("l leaves out what is not above 0") << QByteArray("lp") << "8 not finite" << "8 not finite, 4 not above 0";
        QTest::newRow("s smoothing") << QByteArray("s") << "smooth" << "smooth 5";
        QTest::newRow("r rank") << QByteArray("\033[Cr") << "time/step_ms rank 0" << "time/step_ms rank 1";
        QTest::newRow("tab the next run") << QByteArray("\t") << "run 1 of 2" << "run 2 of 2";
        QTest::newRow("shift+tab the run before") << QByteArray("\033[Z") << "run 1 of 2" << "run 2 of 2";
        QTest::newRow("p one plot") << QByteArray("p") << "one plot" << "more plots";
        QTest::newRow("o more of the log") << QByteArray("o") << "line 20" << "line 4";
    }
    void keysChangeWhatIsShown()
    {
        QFETCH(QByteArray, keys);
        QFETCH(QString, before);
        QFETCH(QString, after);
        const contract::RunFolder run = m_atelier->addFinishedRun(kDigits, 20);
        m_atelier->addFinishedRun("older-20261120-101500-bbbb", 20);
        for (int line = 1; line <= 20; ++line)
            append(run.log(0), "2026-11-21 10:15:" + QByteArray::number(line + 10) + ".000 [info] [rank 0] line " + QByteArray::number(line) + "\n");
        PseudoTerminal terminal(110, 24);
        start(terminal, {"digits"});
        QVERIFY2(terminal.waitForText(before), qPrintable(terminal.screen().text()));
        QVERIFY2(!terminal.screen().text().contains(after + ' ') && !terminal.screen().text().contains(after + '\n'), qPrintable(terminal.screen().text()));
        terminal.type(keys);
        QVERIFY2(terminal.waitForText(after), qPrintable(terminal.screen().text()));
    }

    void textFromRunsReachesNoTerminalAsCommands()
    {
        const contract::RunFolder run = m_atelier->addFinishedRun(kDigits, 3);
        const QByteArray hostile = "\033]0;title\007 \033[2J\033[31m red \xc2\x9b" "31m c1 \xe2\x80\xae" "bidi \xff\xfe end";
        contract::appendAnnotations(run.annotations(), {}, {.name = hostile.toStdString(), .project = {}, .tags = {}, .notes = {}, .isArchived = false});
        append(run.log(0), hostile + "\n");
        {
            contract::JournalWriter journal(run.journal(0), {.version = 1, .run = kDigits, .attempt = 1, .rank = 0, .host = {}, .startUnixMs = 0});
            journal.begin("step", 4).add("aa\033[31m\u202e", 1.0).commit();
            journal.begin("end", 4).add("outcome", "failed").add("cause", std::string_view(hostile.constData())).commit();
        }
        append(run.journal(contract::kSupervisorRank), "{\"type\":\"end\",\"step\":4,\"t_ms\":9,\"outcome\":\"failed\",\"cause\":\"\\u001b[2J\\u009b31m\\u202e\"}\n");
        PseudoTerminal terminal(120, 30);
        start(terminal, {kDigits});
        QVERIFY2(terminal.waitForText("✗ failed"), qPrintable(terminal.screen().text()));
        terminal.type("\033[D\033[D");
        QVERIFY2(terminal.waitForText("bidi"), qPrintable(terminal.screen().text()));
        terminal.type("q");
        QCOMPARE(terminal.end(), 0);
        QVERIFY2(terminal.screen().unknown().isEmpty(), qPrintable(terminal.screen().unknown().join(' ')));
        QVERIFY(!terminal.screen().styles().contains("31"));  // ours are 1;31
        const tests::Outcome list = m_atelier->runWell({"list"});
        QVERIFY2(!list.output.contains("\xc2\x9b") && !list.output.contains("\xe2\x80\xae") && !list.output.contains('\033'), list.output.toPercentEncoding());
    }

    void itFollowsTheSizeOfTheTerminal()
    {
        m_atelier->addFinishedRun(kDigits, 20);
        PseudoTerminal terminal(80, 24);
        start(terminal);
        QVERIFY2(terminal.waitForText("time/step_ms"), qPrintable(terminal.screen().text()));
        for (const auto& [columns, rows] : std::vector<std::pair<int, int>> {{200, 50}, {40, 12}, {20, 5}, {3, 2}, {1, 1}}) {
            terminal.resize(columns, rows);
            const QString state = QStringLiteral("✓ finished").left(columns);
            QVERIFY2(terminal.wait([&](const Screen& screen) { return rows == 1 ? screen.line(0) == "d" : screen.line(1) == state.trimmed(); }),
                qPrintable(QString("%1×%2\n").arg(columns).arg(rows) + terminal.screen().text()));
        }
        terminal.resize(80, 24);
        QVERIFY2(terminal.waitForText("quit"), qPrintable(terminal.screen().text()));
    }

    void withoutColorOrUtf8ItUsesNeither()
    {
        m_atelier->addFinishedRun(kDigits, 20);
        PseudoTerminal plain(80, 24);
        start(plain, {}, {"NO_COLOR=1", "LC_ALL=C"});
        QVERIFY2(plain.waitForText("+ finished"), qPrintable(plain.screen().text()));
        plain.type("sq");
        QCOMPARE(plain.end(), 0);
        for (const QString& style : plain.screen().styles())
            QVERIFY2(style == "0" || style == "1" || style == "2", qPrintable(style));
        QVERIFY(std::all_of(plain.output().begin(), plain.output().end(), [](char byte) { return static_cast<unsigned char>(byte) < 0x80; }));
        PseudoTerminal colored(80, 24);
        start(colored);
        QVERIFY(colored.waitForText("✓ finished"));
        QVERIFY(colored.screen().styles().contains("36"));
    }

    void M15_withoutItsDatabaseARunHasStateAndLog()
    {
        const contract::RunFolder run = m_atelier->addFinishedRun(kDigits, 20);
        append(run.log(0), "2026-11-21 10:15:11.000 [info] [rank 0] a line\n");
        append(m_atelier->home().database(), QByteArray(8192, 'x'));
        const tests::Outcome page = m_atelier->runWell({"watch", "--once"});
        QVERIFY2(page.output.contains("finished") && page.output.contains("a line") && page.output.contains("atelier reindex"), page.report());
    }

    void M1_aRunThatVanishesIsMissing()
    {
        const contract::RunFolder run = m_atelier->addFinishedRun(kDigits, 20);
        PseudoTerminal terminal(80, 24);
        start(terminal);
        QVERIFY(terminal.waitForText("✓ finished"));
        std::filesystem::remove_all(run.root());
        QVERIFY2(terminal.waitForText("✗ missing"), qPrintable(terminal.screen().text()));
        terminal.type("\t\tq");
        QCOMPARE(terminal.end(), 0);
    }

    void aTerminalThatPlacesNoCursorGetsLines()
    {
        const contract::RunFolder run = startRun(150);
        PseudoTerminal terminal(80, 24);
        start(terminal, {}, {"TERM=dumb"});
        QCOMPARE(terminal.end(), 0);
        QVERIFY2(!terminal.output().contains('\033'), terminal.output());
        QVERIFY2(terminal.output().contains("✓ finished") && terminal.output().contains("step 150/150"), terminal.output());
        QCOMPARE(launcher::inspectRun(run).state, launcher::RunState::Finished);
        const tests::Outcome page = m_atelier->runWell({"watch", "--once"});
        QVERIFY2(page.output.contains("loss") && !page.output.contains('\033'), page.report());
    }
};

QTEST_GUILESS_MAIN(WatchTest)
#include "tst_watch.moc"
