// E17: what launcher and engine really say is known to the window's translations. A sentence that was changed there fails here.
#include "engine/contract/experiment/experiment.h"
#include "engine/contract/formats/sentence.h"
#include "launcher/forecast.h"
#include "launcher/outcome.h"
#include "launcher/preflight.h"
#include "launcher/rank_exit.h"
#include "launcher/restart_policy.h"
#include "launcher/run_state.h"
#include "tests/paths.h"
#include "tests/ui/support/test_home.h"
#include "tests/ui/support/ui_test_main.h"
#include "ui/base/language.h"
#include "ui/base/outside_text.h"

#include <QRegularExpression>

#include <cerrno>
#include <cmath>
#include <csignal>

using contract::OptionType;

namespace {

/// Fails for a sentence that stayed English, in whole or in part.
void expectGerman(const std::string& english)
{
    const QString text = ui::translatedSentence(english);
    QString words = text;
    words.remove(QRegularExpression("`[^`]*`|\"[^\"]*\"|\\S*[/_=]\\S*"));  // commands, values and paths are the same in each language
    static const QRegularExpression isEnglish("\\b(the|is|of|to|and|at|cannot|must|be|not|by|for|it|are|step|before|failed|killed|choose|set)\\b");
    QVERIFY2(!words.contains(isEnglish), qPrintable(text));
    QVERIFY2(!text.contains(QRegularExpression("%\\d")), qPrintable(text));
}

}  // namespace

class OutsideTextTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        // As in the command line, where no language is spoken.
        QCOMPARE(ui::translatedSentence("Rank 1 was killed (signal 9) at step 60"), QStringLiteral("Rank 1 was killed (signal 9) at step 60"));
        ui::speakLanguage("de");
    }

    void E17_partsOfSentencesAreTranslatedToo_data()
    {
        QTest::addColumn<QString>("english");
        QTest::addColumn<QString>("german");
        QTest::newRow("killed") << "Rank 1 was killed (signal 9, out of memory) at step 4120" << "Rank 1 wurde getötet (Signal 9, Speicher erschöpft) bei Schritt 4120";
        QTest::newRow("its own words stay") << "Rank 0 failed (exit code 1) at step 7: CUDA error: %1 is not here" << "Rank 0 ist fehlgeschlagen (Exit-Code 1) bei Schritt 7: CUDA error: %1 is not here";
        QTest::newRow("not restarted") << "The ranks hung at step 9; not started again: 2 restarts have brought no progress"
                                       << "Die Ranks hingen bei Schritt 9; nicht neu gestartet: 2 Neustarts haben keinen Fortschritt gebracht";
        QTest::newRow("waits") << "rank 3 loads data" << "Rank 3 lädt Daten";
        QTest::newRow("size") << "74.6 GB free at /runs, about 0.1 GB needed for checkpoints" << "74,6 GB frei in /runs, etwa 0,1 GB für Checkpoints nötig";
        QTest::newRow("database") << "/home/atelier.db is not a database: `atelier reindex` builds a new one from the run folders and keeps this file"
                                  << "/home/atelier.db ist keine Datenbank: `atelier reindex` baut aus den Laufordnern einen neuen Index auf und behält diese Datei";
        QTest::newRow("left out") << "3 histograms were left out; Atelier has no place for them" << "Histogramm ausgelassen (3); Atelier hat keinen Platz dafür";
        QTest::newRow("unknown") << "all-gather of blocks.17 failed: Connection closed" << "all-gather of blocks.17 failed: Connection closed";
        QTest::newRow("nothing") << "" << "";
    }
    void E17_partsOfSentencesAreTranslatedToo()
    {
        QFETCH(QString, english);
        QFETCH(QString, german);
        QCOMPARE(ui::translatedSentence(english.toStdString()), german);
    }

    void E17_endsOfRanks()
    {
        using namespace launcher;
        std::vector<RankExit> exits;
        for (const int code : {worker_exit::kSuccess, 1, worker_exit::kWrongUsage, worker_exit::kLostPeer, worker_exit::kOutOfMemory, worker_exit::kBadCheckpoint,
                 worker_exit::kTimeout, worker_exit::kNotStarted})
            exits.push_back({.rank = 2, .code = code, .errorText = {}});
        for (const int signal : {SIGKILL, SIGTERM, SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL})
            exits.push_back({.rank = 2, .isSignal = true, .code = signal, .errorText = {}});
        exits.push_back({.rank = 2, .isSignal = true, .code = SIGKILL, .sawOomKill = true, .errorText = {}});
        for (RankExit exit : exits) {
            for (const std::int64_t step : {0, 60}) {
                exit.step = step;
                expectGerman(describe(exit));
                expectGerman(whatHappened(exit));
            }
            expectGerman(RestartPolicy(1).preview(failureOf(exit), 0, 0).refusal);
        }
        for (const auto request : {StopRequest::Now, StopRequest::Kill})
            expectGerman(judgeOutcome({}, request, {}).cause);
    }

    void E17_whatStandsAgainstAValue()
    {
        for (const contract::Option& option : contract::options()) {
            contract::Experiment experiment;
            for (const char* const value : {"none of these\n", "-1e300", "1e300"}) {
                if (const auto problem = experiment.setText(option.key, value))
                    expectGerman(problem->message);
            }
            expectGerman(contract::describeRange(option));
        }
    }

    void E17_whatStandsAgainstAnExperiment_data()
    {
        QTest::addColumn<QString>("toml");
        QTest::newRow("no data") << "";
        QTest::newRow("no file") << "[data]\npath = \"/nowhere\"";
        QTest::newRow("no TOML") << "[[[";
        QTest::newRow("unknown") << "[optim]\nlearning = 1";
        QTest::newRow("nearly known") << "[optim]\nlrr = 1";
        QTest::newRow("too small") << "[run]\ntotal_steps = 0";
        QTest::newRow("width") << "[model]\nwidth = 130\nheads = 4";
        QTest::newRow("pretrained") << "[model]\nname = \"diffusers\"";
        QTest::newRow("pretrained, nowhere") << "[model]\nname = \"diffusers\"\nfolder = \"/nowhere\"\n[data]\nfolder = \"/nowhere\"";
        QTest::newRow("resolution") << "[model]\nname = \"sd3\"\n[data]\nresolution = 33\nsource = \"emoji\"";
        QTest::newRow("batch") << "[batch]\nglobal = 7\nmicro = 4";
        QTest::newRow("ranks") << "[engine]\nshard_size = \"3\"\n[launch]\nranks = 4";
        QTest::newRow("sequences") << "[engine]\nulysses = 3\n[launch]\nranks = 4";
        QTest::newRow("rules") << "[run]\nrules = \"loss is huge: stop\"";
        QTest::newRow("rules, no action") << "[run]\nrules = \"loss > 2\"";
        QTest::newRow("profile") << "[run]\nprofile_steps = \"x\"";
        QTest::newRow("cluster") << "[launch]\ntarget = \"slurm\"\nranks = 3\n[slurm]\nnodes = 2\ntime = \"soon\"";
        QTest::newRow("GPUs") << "[launch]\ngpus = \"GPU-1\"\nranks = 2";
    }
    void E17_whatStandsAgainstAnExperiment()
    {
        QFETCH(QString, toml);
        const auto parsed = contract::parseExperiment(toml.toStdString(), "/");
        auto problems = parsed.problems;
        if (problems.empty())
            problems = parsed.experiment.validate();
        QVERIFY(!problems.empty());
        for (const contract::Problem& problem : problems)
            expectGerman(problem.message);
    }

    void E17_checksBeforeTheStart()
    {
        const ui_test::TestHome home;
        contract::Experiment experiment;
        for (const char* const path : {"", ATELIER_SOURCE_DIR "/resources/digits.csv.gz"}) {
            QVERIFY(!experiment.setText("data.path", path));
            for (const launcher::PreflightItem& item : launcher::preflight(home.home(), experiment)) {
                expectGerman(item.message);
                for (const launcher::PreflightFix& fix : item.fixes)
                    QVERIFY2(ui::translatedSentence(fix.label) != QString::fromStdString(fix.label), fix.label.c_str());
            }
        }
        for (const char* const part : {"program", "parameters", "average", "gradients", "optimizer", "buffers", "activations", "checkpoint"})
            expectGerman(launcher::meaningOf(part));
        for (const int cause : {EACCES, ENOSPC, EROFS, ENOTDIR})
            expectGerman(contract::cannotBe("written", "/runs", cause));
    }

    void E17_statesOfRuns()
    {
        const ui_test::TestHome home;
        expectGerman(launcher::inspectRun(home.writeRun("alpha-20261121-100000-aaaa", 10, "")).cause);
        expectGerman(launcher::inspectRun(contract::RunFolder(home.home().runs() / "none-20261121-100000-aaaa")).cause);
    }
};

ATELIER_UI_TEST_MAIN(OutsideTextTest)
#include "tst_outside_text.moc"
