// Rewards that take the ranks together, through the worker: scorers that compare the samples of a prompt see them once, on any number of
// ranks, and a model may be divided among ranks.
#include "tests/engine/worker/worker_run.h"
#include "tests/paths.h"
#include "tests/support/whole_test.h"

#include <QFile>
#include <QtTest>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>

namespace fs = std::filesystem;
using tests::WorkerRun;

class GroupRewardsTest : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;

    fs::path path(const char* name) const { return m_folder.filePath(name).toStdString(); }

    /// 4 prompts of 4 samples a round, of which a pass takes 2. All runs read the same features of prompts, and compute with one thread.
    contract::Experiment experiment(int ranks, const QByteArray& reward) const
    {
        contract::Experiment experiment = tests::smallExperiment(ranks);
        const std::string functions = QByteArray(reward).replace("SCORER", "program:" + QFile::encodeName(m_folder.filePath("score.sh"))).toStdString();
        const tests::Options options = {{"run.total_steps", std::int64_t {2}},
            {"algorithm.name", std::string("flow_grpo")}, {"model.name", std::string("diffusers")},
            {"model.folder", std::string(ATELIER_SOURCE_DIR "/tests/goldens/models/pipeline_sd3/pipeline")},
            {"data.resolution", std::int64_t {32}}, {"rollout.prompt_file", path("prompts.jsonl").string()}, {"reward.functions", functions},
            {"gold.reward", std::string(functions.ends_with("score.sh:0") ? "score" : "")}, {"run.threads", std::int64_t {1}},
            {"data.cache", path("cache").string()}, {"rollout.prompts", std::int64_t {4}},
            {"rollout.samples_per_prompt", std::int64_t {4}}, {"rollout.steps", std::int64_t {3}}, {"batch.micro", std::int64_t {2}},
            {"lora.rank", std::int64_t {2}}, {"sample.every", std::int64_t {0}}};
        return tests::with(std::move(experiment), options);
    }

    QByteArrayList requests() const
    {
        QFile file(m_folder.filePath("requests"));
        QByteArrayList lines = file.open(QIODevice::ReadOnly) ? file.readAll().trimmed().split('\n') : QByteArrayList();
        std::ranges::sort(lines);
        return lines;
    }

private Q_SLOTS:
    void initTestCase()
    {
        std::ofstream(path("prompts.jsonl")) << "{\"prompt\": \"a red heart\", \"count\": 1}\n{\"prompt\": \"ghost\"}\n"
                                                "{\"prompt\": \"two squares\", \"count\": 2}\n{\"prompt\": \"house\"}\n";
        fs::copy_file(ATELIER_SOURCE_DIR "/tests/engine/tasks/compare_sizes.sh", path("score.sh"));
    }
    void init()
    {
        fs::remove(path("requests"));
        fs::remove(path("mode"));
    }

    void aGroupIsScoredOnceOnAnyNumberOfRanks_data()
    {
        QTest::addColumn<QByteArray>("reward");
        QTest::newRow("group") << QByteArray("group:SCORER:0.5, brightness:0");
        QTest::newRow("pairs") << QByteArray("pairs:SCORER:0.5, brightness:0");
        if (tests::isWhole())
            QTest::newRow("group, watched only") << QByteArray("brightness, group:SCORER:0");
    }
    void aGroupIsScoredOnceOnAnyNumberOfRanks()
    {
        QFETCH(QByteArray, reward);
        static std::set<double> spreads;  // of groups and pairs, which are scored by the same rule
        QByteArrayList expected;
        std::map<std::string, double> alone;
        for (const int ranks : tests::isWhole() ? std::vector {1, 2, 4} : std::vector {1, 4}) {
            init();
            WorkerRun run(experiment(ranks, reward));
            QCOMPARE(run.run(), std::vector<int>(static_cast<std::size_t>(ranks), 0));
            const QByteArrayList first = requests();
            QCOMPARE(first.size(), 8);
            for (const QByteArray& request : first)
                QVERIFY2(request.startsWith("4 "), request);
            // The samples of the first round are the same up to rounding, and their places exactly.
            const double tolerance = reward.startsWith("brightness") ? 1e-6 : 0;
            for (const char* name : {"critic/rewards/mean", "critic/rewards/max", "critic/rewards/std_mean"}) {
                const double value = run.metric(name).at(1);
                QVERIFY2(std::abs(alone.try_emplace(name, value).first->second - value) <= tolerance, qPrintable(QString("%1 on %2 ranks").arg(name).arg(ranks)));
            }
            if (reward.endsWith("SCORER:0"))
                QCOMPARE(run.metric("critic/gold/mean").at(1), run.metric("critic/score/mean").at(1));
            QVERIFY(std::abs(run.metric("critic/score/mean").at(1) - 0.5) < 1e-7);  // each win is another's loss
            int same = 0;
            for (const QByteArray& request : first)
                same += expected.contains(request);
            if (ranks == 1)
                expected = first;
            else
                QVERIFY2(same >= 4, qPrintable(QString("%1 groups").arg(same)));
        }
        if (reward.contains(":0.5"))
            spreads.insert(alone.at("critic/rewards/std_mean"));
        QVERIFY(spreads.size() <= 1);
        QVERIFY(alone.at("critic/rewards/std_mean") > 0);
    }

    void ofRanksThatShareASequenceOneScores()
    {
        contract::Experiment shared = experiment(2, "group:SCORER");
        QVERIFY(!shared.set("engine.ulysses", std::int64_t {2}));
        QVERIFY(!shared.set("model.folder", std::string(ATELIER_SOURCE_DIR "/tests/goldens/models/pipeline_qwen_image/pipeline")));
        WorkerRun run(shared);
        QCOMPARE(run.run(), (std::vector {0, 0}));
        QCOMPARE(requests().size(), 8);
        for (const auto& [step, mean] : run.metric("critic/rewards/mean"))
            QVERIFY(std::abs(mean - 0.5) < 1e-6);
        QVERIFY(run.metric("critic/rewards/std_mean").at(1) > 0);
    }

    void ranksThatDivideAModelScoreTheSame_E028()
    {
        std::map<std::int64_t, double> whole;
        for (const bool isDivided : {false, true}) {
            contract::Experiment clip = experiment(2, "clip:" ATELIER_SOURCE_DIR "/tests/goldens/models/clip_model/model, brightness:0");
            QVERIFY(!clip.set("reward.shard", isDivided));
            WorkerRun run(clip);
            QCOMPARE(run.run(), (std::vector {0, 0}));
            const auto scores = run.metric("critic/model/mean");
            QCOMPARE(scores.size(), std::size_t {2});
            if (!isDivided)
                whole = scores;
            for (const auto& [step, score] : scores)
                QVERIFY2(std::abs(score - whole.at(step)) < 1e-5 * std::abs(score), qPrintable(QString("%1 at step %2").arg(score).arg(step)));
        }
    }

    void aScorerThatFailsIsTheOneCause_data()
    {
        QTest::addColumn<QByteArray>("scope");
        QTest::addColumn<QByteArray>("mode");
        QTest::addColumn<QByteArray>("cause");  ///< after the program's name
        for (const char* scope : {"group", "pairs"}) {
            const QByteArray name = scope;
            QTest::addRow("%s, crash", scope) << name << QByteArray("die") << QByteArray("was killed by signal 9 (Killed)");
            QTest::addRow("%s, garbage", scope) << name << QByteArray("garbage") << QByteArray("answered \"I like them all.\", which is not JSON");
        }
        QTest::newRow("group, hang") << QByteArray("group") << QByteArray("hang") << QByteArray("has not answered within 1 s (reward.timeout)");
        QTest::newRow("group, too few") << QByteArray("group") << QByteArray("few") << QByteArray("answered 3 scores for 4 samples");
        QTest::newRow("pairs, too few") << QByteArray("pairs") << QByteArray("few") << QByteArray("answered 3 scores for 6 pairs");
        QTest::newRow("pairs, no preference") << QByteArray("pairs") << QByteArray("range") << QByteArray(
            "the reward score did not give each of 6 pairs a number from 0 to 1");
    }
    void aScorerThatFailsIsTheOneCause()
    {
        QFETCH(QByteArray, scope);
        QFETCH(QByteArray, mode);
        QFETCH(QByteArray, cause);
        std::ofstream(path("mode")) << mode.toStdString();
        contract::Experiment failing = experiment(2, scope + ":SCORER");
        if (mode == "hang")
            failing.set("reward.timeout", std::int64_t {1});
        WorkerRun run(failing);
        const std::vector<int> codes = run.run();
        QVERIFY(codes[0] != 0 && codes[1] != 0);
        const QByteArray said = QByteArray::fromStdString(run.lastText("end", "cause", 0) + "; " + run.lastText("end", "cause", 1));
        QVERIFY2(said.contains(cause), said);
    }
};

QTEST_GUILESS_MAIN(GroupRewardsTest)
#include "tst_group_rewards.moc"
