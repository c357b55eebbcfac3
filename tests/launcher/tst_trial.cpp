// N6: what a trial measures, of ranks that journal steps of known length, and what is kept of it.
#include "tests/launcher/test_home.h"

#include "engine/contract/attempt/attempt.h"
#include "engine/contract/experiment/experiment.h"
#include "launcher/plan/estimate.h"
#include "launcher/plan/trial.h"
#include "launcher/runs/launch.h"

#include <QFile>
#include <QtTest>

#include <signal.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <memory>

using launcher::Trial;

class TrialTest : public QObject {
    Q_OBJECT

    std::unique_ptr<TestHome> m_home;

    /// Ranks that write their journals at once and then wait. @param ends of the steps, in ms
    void useRanks(const std::vector<double>& ends, double trainsMs = 500)
    {
        std::string script = "#!/bin/sh\nprintf '%s\\n' $$ >> \"$0.processes\"\ncp \"$2/attempts/1/config.toml\" \"$0.config\"\ncat > \"$2/journal/rank-$RANK.jsonl\" <<END\n"
                             "{\"v\":1,\"run\":\"trial\",\"attempt\":1,\"rank\":$RANK,\"host\":\"h\",\"t_unix_ms\":1}\n"
                             "{\"type\":\"event\",\"step\":0,\"t_ms\":"
            + std::to_string(trainsMs) + ",\"level\":\"info\",\"kind\":\"phase\",\"message\":\"trains\"}\n";
        for (std::size_t i = 0; i < ends.size(); ++i)
            script += "{\"type\":\"step\",\"step\":" + std::to_string(i + 1) + ",\"t_ms\":" + std::to_string(ends[i])
                + ",\"memory/peak_bytes\":$((" + std::to_string(1000 * (i + 1)) + " + 500 * RANK))}\n";
        script += "END\nexec sleep 1000\n";
        useScript(script);
    }
    void useScript(const std::string& script)
    {
        const std::filesystem::path file = m_home->path() / "worker";
        std::ofstream(file) << script;
        std::filesystem::permissions(file, std::filesystem::perms::owner_all);
        qputenv("ATELIER_WORKER", file.c_str());
    }
    bool isAnyRankAlive() const
    {
        std::ifstream processes(m_home->path() / "worker.processes");
        for (pid_t process = 0; processes >> process;) {
            if (::kill(process, 0) == 0)
                return true;
        }
        return false;
    }
    bool isAnythingLeft() const { return std::filesystem::exists(m_home->home().data / "trials") || isAnyRankAlive(); }

    std::optional<Trial> tryOut(const contract::Experiment& experiment, std::vector<launcher::TrialProgress>* reports = nullptr, int cancelAfter = -1)
    {
        int asked = 0;
        return launcher::tryExperiment(m_home->home(), experiment,
            {.report = [&](const launcher::TrialProgress& progress) {
                 if (reports)
                     reports->push_back(progress);
             },
                .isCancelled = [&] { return cancelAfter >= 0 && ++asked > cancelAfter; }});
    }

private Q_SLOTS:
    void init() { m_home = std::make_unique<TestHome>(); }
    void cleanup() { m_home.reset(); }

    void N6_theFirstStepIsLeftOutAndTheMedianTaken()
    {
        useRanks({1700, 1800, 2050, 2200});
        std::vector<launcher::TrialProgress> reports;
        const auto trial = tryOut(m_home->experiment(), &reports);
        QVERIFY(trial.has_value());
        QCOMPARE(trial->steps, 3);
        QCOMPARE(trial->stepMs, 150.0);  // of 100, 250 and 150
        QCOMPARE(trial->peakBytes, 4500);  // of rank 1
        QVERIFY(!trial->isRound);
        QCOMPARE(reports.back().steps, 4);
        QCOMPARE(reports.back().of, 4);
        QCOMPARE(launcher::timeOf(*trial, 1000).count(), 150'000);
        QVERIFY(!isAnythingLeft());

        const contract::Experiment tried = contract::loadExperiment(m_home->path() / "worker.config").experiment;
        for (const char* key : {"checkpoint.every", "sample.every", "validation.every", "sample.judge", "rollout.keep_every"})
            QCOMPARE(tried.integer(key), 0);
        QCOMPARE(tried.integer("run.total_steps"), m_home->experiment().integer("run.total_steps"));
    }

    /// A run that is shorter than its trial would write a checkpoint at its end.
    void N6_aShortRunIsTriedWithMoreSteps()
    {
        useRanks({10, 20, 30, 40});
        contract::Experiment experiment = m_home->experiment();
        QVERIFY(!experiment.set("run.total_steps", std::int64_t {1}));
        QVERIFY(tryOut(experiment).has_value());
        QVERIFY(contract::loadExperiment(m_home->path() / "worker.config").experiment.integer("run.total_steps") > 4);
    }

    void N6_aRoundIsMeasuredFromItsBeginning()
    {
        contract::Experiment experiment = m_home->experiment();
        for (const auto& [key, value] : {std::pair("algorithm.name", "flow_grpo"), std::pair("policy.mini_batches", "2"), std::pair("policy.epochs", "3")}) {
            const auto problem = experiment.setText(key, value);
            QVERIFY2(!problem, problem ? problem->message.c_str() : "");
        }
        useRanks({4000, 4100, 4200, 4300, 4400, 6500}, 500);
        const auto trial = tryOut(experiment);
        QVERIFY(trial.has_value());
        QVERIFY(trial->isRound);
        QCOMPARE(trial->steps, 6);
        QCOMPARE(trial->stepMs, 1000.0);  // 6 s in 6 steps, drawing included
    }

    void N6_nothingIsLeftOfACancelledTrial()
    {
        useRanks({100, 200});
        QVERIFY(!tryOut(m_home->experiment(), nullptr, 3).has_value());
        QVERIFY(!isAnythingLeft());
    }

    void N6_nothingIsLeftOfAFailedTrial()
    {
        useScript("#!/bin/sh\necho $$ >> \"$0.processes\"\n[ $RANK = 1 ] && { echo 'error: rank 1: the sky is grey' >&2; exit 1; }\nexec sleep 1000\n");
        QVERIFY_THROWS_EXCEPTION(std::runtime_error, tryOut(m_home->experiment()));
        try {
            tryOut(m_home->experiment());
        } catch (const std::exception& error) {
            QCOMPARE(QString(error.what()), QStringLiteral("the sky is grey"));
        }
        QVERIFY(!isAnythingLeft());
    }

    /// What a trial has found belongs to every run whose steps are the same, however long it is.
    void N6_aRunKeepsItsEstimate()
    {
        const contract::Experiment tried = m_home->experiment();
        const launcher::Estimate estimate {{.steps = 3, .stepMs = 12.5, .peakBytes = 7}, 1000, 100};
        launcher::keepEstimate(m_home->home(), tried, estimate);
        contract::Experiment same = tried, other = tried;
        QVERIFY(!same.setText("run.name", "another") && !same.setText("run.total_steps", "17") && !same.setText("optim.lr", "0.5"));
        QVERIFY(!other.setText("batch.micro", "3"));
        QCOMPARE(launcher::paceKey(same), launcher::paceKey(tried));
        const auto run = launcher::createRun(m_home->home(), same), without = launcher::createRun(m_home->home(), other);
        QCOMPARE(launcher::readEstimate(run.folder, 1), std::optional(estimate));
        QCOMPARE(launcher::readEstimate(without.folder, 1), std::optional<launcher::Estimate>());

        // The newest one counts, and a damaged file none.
        const launcher::Estimate later {{.steps = 3, .stepMs = 25, .peakBytes = 7}, 1000, 100};
        launcher::keepEstimate(m_home->home(), same, later);
        QCOMPARE(launcher::estimateFor(m_home->home(), tried), std::optional(later));
        QCOMPARE(launcher::readEstimate(run.folder, 1), std::optional(estimate));
        std::ofstream(m_home->home().state / "estimates.json") << "[{\"experiment\":3}]";
        QCOMPARE(launcher::estimateFor(m_home->home(), tried), std::optional<launcher::Estimate>());
    }

    /// A resumed run goes on with the estimate, unless it is changed.
    void N6_aResumedRunKeepsItsEstimate()
    {
        const launcher::Estimate estimate {{.steps = 3, .stepMs = 12.5, .peakBytes = 7}, 1000, 100};
        launcher::keepEstimate(m_home->home(), m_home->experiment(), estimate);
        const contract::RunFolder run = m_home->startedRun();
        const pid_t supervisor = TestHome::supervisors(run).at(0);
        ::kill(supervisor, SIGKILL);
        QTRY_VERIFY(TestHome::ranks(run).empty());
        QCOMPARE(launcher::prepareResume(run, {}, {}).attempt, 2);
        QCOMPARE(launcher::readEstimate(run, 2), std::optional(estimate));
        contract::Experiment other = m_home->experiment();
        QVERIFY(!other.setText("batch.micro", "3"));
        QCOMPARE(launcher::prepareResume(run, {}, other).attempt, 2);
        QCOMPARE(launcher::readEstimate(run, 2), std::optional<launcher::Estimate>());
    }

    void N6_notInStepsCounts_data()
    {
        QTest::addColumn<int>("total");
        QTest::addColumn<int>("every");
        QTest::addColumn<int>("samplings");
        QTest::addColumn<int>("validations");
        QTest::newRow("N6 also at the end") << 25 << 10 << 3 << 2;
        QTest::newRow("N6 the end is one of them") << 30 << 10 << 3 << 3;
        QTest::newRow("N6 only at the end") << 30 << 0 << 1 << 0;
    }
    void N6_notInStepsCounts()
    {
        QFETCH(int, total);
        QFETCH(int, every);
        contract::Experiment experiment;
        for (const auto& [key, value] : {std::pair("run.total_steps", total), std::pair("sample.every", every), std::pair("checkpoint.every", every), std::pair("validation.every", every)})
            QVERIFY(!experiment.set(key, std::int64_t {value}));
        const launcher::NotInSteps counted = launcher::notInSteps(experiment);
        QTEST(int(counted.samplings), "samplings");
        QTEST(int(counted.checkpoints), "samplings");
        QTEST(int(counted.validations), "validations");
    }
};

QTEST_GUILESS_MAIN(TrialTest)
#include "tst_trial.moc"
