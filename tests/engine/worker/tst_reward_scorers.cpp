// A scorer of the user in a run: its scores reach the journal, its end is the run's one clear cause, and resuming goes on.
#include "tests/engine/worker/worker_run.h"
#include "tests/paths.h"

#include <QtTest>

#include <cmath>
#include <filesystem>
#include <fstream>

namespace fs = std::filesystem;
using tests::WorkerRun;

class RewardScorersTest : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;

    /// Scores 8 samples by the length of their request. While there is a file "die", it kills itself at the sixth request.
    fs::path scorer() const
    {
        const fs::path file = m_folder.filePath("score.sh").toStdString();
        std::ofstream(file) << "#!/bin/sh\nn=0\nwhile read -r request; do\n"
                               "id=${request#*:}; id=${id%%,*}; l=${#request}; n=$((n + 1))\n"
                               "if [ -e die ] && [ $n = 6 ]; then echo out of order >&2; kill -9 $$; fi\n"
                               "scores=$((l%7)),$((l%5)),$((l%3)),$((l%11)),$((l%13)),$((l%17)),$((l%19)),$((l%23))\n"
                               "echo '{\"id\":'$id',\"scores\":['$scores']}'\ndone\n";
        fs::permissions(file, fs::perms::owner_all);
        return file;
    }

    /// 2 prompts of 8 samples a round, of which a pass takes 8; an update a round.
    contract::Experiment experiment() const
    {
        contract::Experiment experiment = tests::smallExperiment(1);
        std::ofstream(m_folder.filePath("prompts.txt").toStdString()) << "a red heart\nghost\n";
        const tests::Options options = {{"run.total_steps", std::int64_t {4}},
            {"algorithm.name", std::string("flow_grpo")}, {"model.name", std::string("diffusers")},
            {"model.folder", std::string(ATELIER_SOURCE_DIR "/tests/goldens/models/pipeline_sd3/pipeline")},
            {"data.resolution", std::int64_t {32}}, {"rollout.prompt_file", m_folder.filePath("prompts.txt").toStdString()},
            {"reward.functions", "program:" + scorer().string() + ":0.5, brightness:0"}, {"rollout.prompts", std::int64_t {2}},
            {"rollout.samples_per_prompt", std::int64_t {8}}, {"rollout.steps", std::int64_t {3}}, {"batch.micro", std::int64_t {8}},
            {"lora.rank", std::int64_t {2}}, {"checkpoint.every", std::int64_t {1}}, {"checkpoint.keep", std::int64_t {4}},
            {"sample.every", std::int64_t {0}}};
        return tests::with(std::move(experiment), options);
    }

private Q_SLOTS:
    void aScorerThatIsKilledIsTheCauseAndResumingGoesOn()
    {
        const fs::path die = m_folder.filePath("die").toStdString();
        WorkerRun whole(experiment());
        QCOMPARE(whole.run(), std::vector<int> {0});
        const auto scores = whole.metric("critic/score/mean"), rewards = whole.metric("critic/rewards/mean");
        QCOMPARE(scores.size(), std::size_t {4});
        QCOMPARE(whole.metric("critic/brightness/mean").size(), std::size_t {4});
        for (const auto& [step, score] : scores)
            QVERIFY2(std::abs(rewards.at(step) - score / 2) < 1e-4, qPrintable(QString::number(score)));

        std::ofstream(die) << "";
        WorkerRun parted(experiment());
        QCOMPARE(parted.run(), std::vector<int> {1});  // the sixth request is in the third round
        const QString cause = QString::fromStdString(parted.lastText("end", "cause"));
        QVERIFY2(cause.contains("the reward program \"" + m_folder.path()
                     + "/score.sh\" was killed by signal 9 (Killed); the end of its standard error: \"out of order\""), qPrintable(cause));
        QCOMPARE(parted.metric("critic/score/mean").size(), std::size_t {2});

        fs::remove(die);
        // The checkpoint of the second step may have been under way.
        const std::int64_t last = fs::exists(parted.folder().checkpoint(2) / "manifest.json") ? 2 : 1;
        parted.prepareAttempt(experiment(), last);
        QCOMPARE(parted.run(), std::vector<int> {0});
        const auto resumed = parted.metric("critic/score/mean");
        QCOMPARE(resumed.size(), static_cast<std::size_t>(4 - last));
        for (const auto& [step, score] : resumed)
            QCOMPARE(score, scores.at(step));
    }
};

QTEST_GUILESS_MAIN(RewardScorersTest)
#include "tst_reward_scorers.moc"
