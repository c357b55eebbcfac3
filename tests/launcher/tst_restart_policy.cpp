#include "launcher/supervisor/restart_plan.h"
#include "launcher/supervisor/restart_policy.h"

#include "engine/contract/experiment/batch_shape.h"

#include <QTemporaryDir>
#include <QtTest>

#include <csignal>
#include <fstream>

using launcher::AttemptFailure;
using launcher::RankExit;
using launcher::RestartPolicy;

namespace {

RankExit exitedWith(int code, std::int64_t step, const char* error = "")
{
    return {.rank = 1, .code = code, .step = step, .errorText = error};
}

RankExit killed(std::int64_t step) { return {.rank = 1, .isSignal = true, .code = SIGKILL, .step = step, .errorText = {}}; }

}  // namespace

class RestartPolicyTest : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;

    /// A valid experiment of @p ranks ranks.
    contract::Experiment experiment(std::int64_t ranks, std::int64_t fewest) const
    {
        const std::string data = m_folder.filePath("data.csv").toStdString();
        std::ofstream(data) << "0\n";
        contract::Experiment result;
        result.set("data.path", data);
        result.set("launch.ranks", ranks);
        result.set("launch.min_ranks", fewest);
        result.set("batch.micro", std::int64_t {4});
        result.set("batch.accumulation", std::int64_t {3});
        return result;
    }

private Q_SLOTS:
    void i19_theFirstFailureDecidesWhetherItIsWorthARestart_data()
    {
        QTest::addColumn<RankExit>("exit");
        QTest::addColumn<bool>("isRestarted");
        QTest::newRow("killed") << killed(412) << true;
        QTest::newRow("killed before the first step") << killed(0) << true;
        QTest::newRow("an error in training") << exitedWith(1, 7, "the disk is full") << true;
        QTest::newRow("out of memory in training") << exitedWith(4, 7) << true;
        QTest::newRow("lost its peers at the start") << exitedWith(3, 0) << true;
        QTest::newRow("a timeout at the start") << exitedWith(6, 0) << true;
        QTest::newRow("an error before the first step") << exitedWith(1, 0, "no such file") << false;
        QTest::newRow("out of memory before the first step") << exitedWith(4, 0) << false;
        QTest::newRow("wrong usage") << exitedWith(2, 0) << false;
        QTest::newRow("a bad checkpoint") << exitedWith(5, 7) << false;
        QTest::newRow("the program cannot be executed") << exitedWith(-1, 7) << false;
    }
    void i19_theFirstFailureDecidesWhetherItIsWorthARestart()
    {
        QFETCH(RankExit, exit);
        RestartPolicy policy(3);
        QTEST(policy.judge(launcher::failureOf(exit), 0, 0).number == 1, "isRestarted");
        QCOMPARE(RestartPolicy(0).judge(launcher::failureOf(exit), 0, 0).number, 0);
    }

    void i19_failuresWithoutProgressAreCountedAndPausesGrow()
    {
        RestartPolicy policy(3);
        QList<qint64> pauses;
        for (std::int64_t step = 1; step <= 3; ++step) {
            const auto verdict = policy.judge(launcher::failureOf(killed(step)), 0, 0);
            QCOMPARE(verdict.number, step);
            pauses << verdict.pause.count();
        }
        QCOMPARE(pauses, (QList<qint64> {0, 2000, 8000}));
        const auto last = policy.judge(launcher::failureOf(killed(4)), 0, 0);
        QCOMPARE(last.number, 0);
        QCOMPARE(last.refusal, std::string("3 restarts have brought no progress"));
    }

    void i19_progressBeginsTheCountAnew()
    {
        RestartPolicy policy(1);
        for (std::int64_t step = 100; step <= 1000; step += 100) {
            const auto verdict = policy.judge(launcher::failureOf(killed(step)), step - 100, step);
            QCOMPARE(verdict.number, 1);
            QCOMPARE(verdict.pause.count(), 0);
        }
    }

    void i19_theSameFailureTwiceEndsTheRun_data()
    {
        QTest::addColumn<RankExit>("first");
        QTest::addColumn<RankExit>("second");
        QTest::addColumn<int>("progress");
        QTest::addColumn<bool>("isRestarted");
        QTest::newRow("the same") << exitedWith(1, 7, "no loss") << exitedWith(1, 7, "no loss") << 0 << false;
        QTest::newRow("at another step") << exitedWith(1, 7, "no loss") << exitedWith(1, 8, "no loss") << 0 << true;
        QTest::newRow("for another reason") << exitedWith(1, 7, "no loss") << exitedWith(1, 7, "no disk") << 0 << true;
        QTest::newRow("with progress in between") << exitedWith(1, 7, "no loss") << exitedWith(1, 7, "no loss") << 5 << true;
        QTest::newRow("the same signal") << killed(7) << killed(7) << 0 << false;
        QTest::newRow("an error before a step, after one that had trained") << killed(7) << exitedWith(1, 0, "no GPU") << 0 << true;
    }
    void i19_theSameFailureTwiceEndsTheRun()
    {
        QFETCH(RankExit, first);
        QFETCH(RankExit, second);
        QFETCH(int, progress);
        RestartPolicy policy(5);
        QCOMPARE(policy.judge(launcher::failureOf(first), 0, 0).number, 1);
        QTEST(policy.judge(launcher::failureOf(second), 0, progress).number > 0, "isRestarted");
    }

    void i19_aLostGpuLeavesFewerRanksWithTheSameSamplesOfAStep_data()
    {
        QTest::addColumn<int>("fewest");
        QTest::addColumn<QStringList>("now");
        QTest::addColumn<int>("ranks");
        QTest::addColumn<QString>("problem");
        const QStringList all {"GPU-a", "GPU-b", "GPU-c", "GPU-d"};
        QTest::newRow("none is lost") << 1 << all << 4 << "";
        QTest::newRow("one is lost") << 1 << QStringList {"GPU-a", "GPU-c", "GPU-d"} << 3 << "";
        QTest::newRow("an unknown one does not replace it") << 1 << QStringList {"GPU-a", "GPU-c", "GPU-d", "GPU-x"} << 3 << "";
        QTest::newRow("two are lost") << 2 << QStringList {"GPU-b", "GPU-d"} << 2 << "";
        QTest::newRow("more are lost than may be") << 2 << QStringList {"GPU-d"} << 4 << "3 GPUs are lost, and launch.min_ranks = 2";
        QTest::newRow("fewer are not allowed") << 0 << QStringList {"GPU-a", "GPU-c", "GPU-d"} << 4
                                               << "1 GPU is lost, and launch.min_ranks = 0 allows no fewer ranks";
    }
    void i19_aLostGpuLeavesFewerRanksWithTheSameSamplesOfAStep()
    {
        QFETCH(int, fewest);
        QFETCH(QStringList, now);
        QFETCH(int, ranks);
        const std::vector<std::string> before {"GPU-a", "GPU-b", "GPU-c", "GPU-d"};
        std::vector<std::string> left;
        for (const QString& gpu : now)
            left.push_back(gpu.toStdString());
        contract::Experiment named = experiment(4, fewest);
        named.set("launch.gpus", std::string("GPU-a,GPU-b,GPU-c,GPU-d"));
        const auto plan = launcher::planRestart(named, before, left);
        QTEST(QString::fromStdString(plan.problem), "problem");
        QTEST(int(plan.experiment.integer("launch.ranks")), "ranks");
        QCOMPARE(plan.notice.empty(), ranks == 4);
        if (ranks == 4)
            return;
        QCOMPARE(plan.experiment.validate().size(), std::size_t(0));
        std::optional<contract::Problem> problem;
        const std::int64_t passes = contract::accumulationSteps(plan.experiment, ranks, problem);
        QCOMPARE(passes * plan.experiment.integer("batch.micro") * ranks, 4 * 3 * 4);
        QCOMPARE(plan.visibleGpus, plan.experiment.text("launch.gpus"));
        QCOMPARE(QString::fromStdString(plan.visibleGpus).split(','), now.filter(QRegularExpression("[a-d]$")));
    }

    void i19_aStepKeepsItsSamplesOrTheRunEnds()
    {
        // 20 samples of 4 ranks: three ranks cannot share them, two can.
        contract::Experiment uneven = experiment(4, 1);
        uneven.set("batch.micro", std::int64_t {5});
        uneven.set("batch.accumulation", std::int64_t {1});
        const std::vector<std::string> before {"GPU-a", "GPU-b", "GPU-c", "GPU-d"};
        QCOMPARE(launcher::planRestart(uneven, before, {"GPU-a", "GPU-b", "GPU-c"}).experiment.integer("launch.ranks"), 2);
        uneven.set("launch.min_ranks", std::int64_t {3});
        const auto plan = launcher::planRestart(uneven, before, {"GPU-a", "GPU-b", "GPU-c"});
        QCOMPARE(plan.problem, std::string("1 GPU is lost, and on fewer ranks a step would not have the same number of samples"));
    }
};

QTEST_GUILESS_MAIN(RestartPolicyTest)
#include "tst_restart_policy.moc"
