// E15, M3: the runs of listed values, which are all checked before the first is queued: the real program over fake ranks.
#include "tests/app/atelier_program.h"
#include "tests/launcher/fakes/fake_gpus.h"
#include "tests/paths.h"

#include "launcher/queue/scheduler_lock.h"

#include <QElapsedTimer>
#include <QJsonArray>
#include <QJsonObject>
#include <QtTest>

#include <csignal>

using tests::AtelierProgram;
using tests::Outcome;

class AppSweepTest : public QObject {
    Q_OBJECT

    std::unique_ptr<FakeGpus> m_gpus;
    std::unique_ptr<AtelierProgram> m_atelier;

    static QStringList queueing(const QStringList& settings, const QStringList& options = {})
    {
        QStringList arguments {"run", "digits", "--queue"};
        for (const QString& setting : settings)
            arguments << "--set" << setting;
        return arguments + options;
    }

private Q_SLOTS:
    void init()
    {
        m_gpus = std::make_unique<FakeGpus>();
        m_atelier = std::make_unique<AtelierProgram>();
        m_atelier->home().create();
        m_atelier->setVariable("FAKE_DO", "hang");
    }
    void cleanup()
    {
        std::filesystem::remove(m_atelier->home().state / "queue.json");
        if (const pid_t process = launcher::schedulerProcess(m_atelier->home()))
            ::kill(process, SIGKILL);
        m_atelier.reset();
        m_gpus.reset();
    }

    void E15_oneRunThatCannotStartRefusesAll_data()
    {
        QTest::addColumn<QStringList>("settings");
        QTest::addColumn<QString>("sentence");
        QTest::newRow("the last one, by the checks")
            << QStringList {"run.device=cuda", "launch.ranks=1,2,4", "optim.lr=1e-3"}
            << "none of the 3 runs was queued, because the one with launch.ranks=4 cannot start: 2 GPUs for 4 ranks: ";
        QTest::newRow("several, by two lists")
            << QStringList {"run.device=cuda", "launch.ranks=2,4", "optim.lr=1e-3,2e-3"}
            << "none of the 4 runs was queued, because the one with launch.ranks=4 optim.lr=1e-3 cannot start, nor can 1 other: 2 GPUs for 4 ranks: ";
        QTest::newRow("a value that is none")
            << QStringList {"optim.lr=1e-3,fast"} << "none of the 2 runs was queued, because the one with optim.lr=fast cannot start: --set optim.lr=fast: ";
        QTest::newRow("options that do not go together")
            << QStringList {"launch.ranks=2,3", "batch.global=64", "batch.micro=32"} << "because the one with launch.ranks=3 cannot start: ";
        QTest::newRow("all, for one reason") << QStringList {"run.device=cuda", "launch.ranks=4", "optim.lr=1e-3,2e-3"} << "error: 2 GPUs for 4 ranks: ";
    }
    void E15_oneRunThatCannotStartRefusesAll()
    {
        QFETCH(QStringList, settings);
        QFETCH(QString, sentence);
        const Outcome outcome = m_atelier->run(queueing(settings));
        QVERIFY2(outcome.exitCode == 1 && QString::fromUtf8(outcome.errors).contains(sentence), outcome.report());
        QCOMPARE(outcome.errors.count("error: "), 1);
        QVERIFY(m_atelier->runs().isEmpty());
        QStringList adding {"queue", "add", "digits"};
        for (const QString& setting : settings)
            adding << "--set" << setting;
        const Outcome added = m_atelier->run(adding);
        QCOMPARE(added.errors, outcome.errors);
        QVERIFY(m_atelier->runs().isEmpty());
    }

    void aValueThatIsGivenTwiceMakesOneRun()
    {
        const QJsonArray rows = m_atelier->runWell(queueing({"optim.lr=1e-3,0.001,2e-3", "launch.ranks=2,2"}, {"--dry-run", "--json"})).json().array();
        QCOMPARE(rows.size(), 2);
        QCOMPARE(rows[0]["name"].toString(), QString("digits lr=1e-3"));
    }

    void E15_aWarningNamesTheRunsThatItIsAbout()
    {
        m_gpus->set(std::to_string(::getpid()) + ":1000000000", "");
        const Outcome outcome = m_atelier->runWell(queueing({"run.device=cuda,cpu", "launch.ranks=1", "run.seed=1,2"}));
        QCOMPARE(outcome.errors.count("warning: "), 1);
        QVERIFY2(outcome.errors.contains("warning: run.device=cuda run.seed=1, run.device=cuda run.seed=2: GPU 0 is used by "), outcome.report());
        QCOMPARE(m_atelier->runs().size(), 4);
    }

    void E15_aDryRunShowsTheTableAndMakesNothing()
    {
        const QStringList settings {"run.device=cuda", "launch.ranks=2,4", "optim.lr=1e-3,2e-3"};
        const Outcome table = m_atelier->run(queueing(settings, {"--dry-run", "--name", "trial"}));
        QCOMPARE(table.exitCode, 1);
        QVERIFY2(table.errors.isEmpty() && table.output.startsWith("RUN "), table.report());
        const std::vector<QByteArray> lines = tests::linesOf(table.output);
        QVERIFY(lines[0].contains("launch.ranks  optim.lr"));
        QVERIFY2(lines[1].startsWith("trial ranks=2 lr=1e-3 ") && lines[1].endsWith("2      1e-3  can start"), table.report());
        QVERIFY2(lines[4].startsWith("trial ranks=4 lr=2e-3 ") && lines[4].contains("2 GPUs for 4 ranks") && lines[4].endsWith("[error]"), table.report());

        const QJsonArray rows = m_atelier->run(queueing(settings, {"--dry-run", "--json"})).json().array();
        QCOMPARE(rows.size(), 4);
        QCOMPARE(rows[1]["settings"].toObject(), (QJsonObject {{"launch.ranks", "2"}, {"optim.lr", "2e-3"}}));
        QVERIFY(rows[1]["errors"].toArray().isEmpty() && rows[2]["errors"].toArray().size() == 1);
        QVERIFY(rows[0]["found"].toArray().contains("GPU 0 (NVIDIA H200), GPU 1 (NVIDIA H200)"));

        m_gpus->set(std::to_string(::getpid()) + ":1000000000", "");
        const Outcome warned = m_atelier->runWell(queueing({"run.device=cuda,cpu", "launch.ranks=1"}, {"--dry-run", "--json"}));
        QVERIFY2(warned.json()[0]["warnings"][0].toString().startsWith("GPU 0 is used by "), warned.report());
        QVERIFY(warned.json()[1]["warnings"].toArray().isEmpty());
        QVERIFY(m_atelier->runs().isEmpty());
        QVERIFY(!launcher::isSchedulerAlive(m_atelier->home()));
    }

    /// One run: as JSON the same; without --queue a list is no run.
    void E15_aDryRunOfOneRunAndOfAListWithoutTheQueue()
    {
        std::filesystem::remove_all(m_atelier->home().data);
        const QJsonArray one = m_atelier->runWell({"run", "digits", "--dry-run", "--json", "--set", "launch.ranks=1"}).json().array();
        QCOMPARE(one.size(), 1);
        QCOMPARE(one[0]["name"].toString(), QString("digits"));
        QVERIFY(one[0]["settings"].toObject().isEmpty() && one[0]["warnings"].toArray().isEmpty());  // the disk could be measured
        for (const QStringList& options : {QStringList(), QStringList {"--dry-run"}}) {
            const Outcome list = m_atelier->run(QStringList {"run", "digits", "--set", "run.seed=1,2"} + options);
            QVERIFY2(list.exitCode == 2 && list.errors.contains("the listed values make 2 runs, which only the queue takes: add --queue"), list.report());
        }
        QString many = "run.seed=1";
        for (int seed = 2; seed <= 101; ++seed)
            many += "," + QString::number(seed);
        const Outcome tooMany = m_atelier->run(queueing({many, "run.total_steps" + many.mid(8)}));
        QVERIFY2(tooMany.exitCode == 2 && tooMany.errors.contains("more than 10,000 runs"), tooMany.report());
        QVERIFY(m_atelier->runs().isEmpty());
    }

    /// What the runs have in common is looked at once.
    void M3_hundredsOfRunsAreCheckedInTwoSeconds()
    {
        QString seeds = "run.seed=1";
        for (int seed = 2; seed <= 300; ++seed)
            seeds += "," + QString::number(seed);
        QElapsedTimer timer;
        timer.start();
        const Outcome outcome = m_atelier->runWell(queueing({seeds, "launch.ranks=1,2"}, {"--dry-run", "--json"}));
        QCOMPARE(outcome.json().array().size(), 600);
        for (const QJsonValue& run : outcome.json().array())
            QVERIFY2(!run["warnings"].toArray().contains("not known yet: a disk or a driver has not answered in time"), outcome.report().left(2000));
        qInfo("600 runs: %lld ms", static_cast<long long>(timer.elapsed()));
        QVERIFY(timer.elapsed() < 10'000);  // with reading the experiments, on a machine that may be busy
    }
};

QTEST_GUILESS_MAIN(AppSweepTest)
#include "tst_sweep.moc"
