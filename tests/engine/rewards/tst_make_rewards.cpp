// From reward.functions and its neighbours to scores.
#include "engine/comm/errors.h"
#include "engine/contract/experiment/reward_spec.h"
#include "engine/rewards/built_in_rewards.h"
#include "engine/rewards/clip_reward.h"
#include "engine/rewards/make_rewards.h"
#include "tests/engine/rewards/local_server.h"
#include "tests/engine/rewards/reward_samples.h"
#include "tests/paths.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/allclose.h>
#include <ATen/ops/tensor.h>

#include <QTemporaryDir>
#include <QtTest>

#include <algorithm>
#include <filesystem>
#include <fstream>

namespace fs = std::filesystem;
using engine::EngineError;
using tests::LocalServer;
using tests::RewardSamples;

class MakeRewardsTest : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;

    std::string program() const
    {
        const fs::path file = m_folder.filePath("score.sh").toStdString();
        std::ofstream(file) << "#!/bin/sh\nread -r request; echo '{\"id\":1,\"scores\":[1,2]}'; read -r wait\n";
        fs::permissions(file, fs::perms::owner_all);
        return file.string();
    }

private Q_SLOTS:
    void initTestCase()
    {
        for (const char* name : {"http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"})
            qunsetenv(name);
    }

    void theOptionsKnowTheBuiltInRewards()
    {
        QVERIFY(std::ranges::equal(engine::builtInRewardNames(), contract::builtInRewards()));
        for (const std::string_view name : contract::builtInRewards())
            QVERIFY(engine::makeBuiltInReward(std::string(name)));
    }

    void eachKindIsMade()
    {
        const QByteArray said = tests::httpAnswer(200, "{\"choices\":[{\"message\":{\"content\":\"3\"}}]}");
        const LocalServer server({tests::httpAnswer(200, "{\"scores\": [5, 6]}"), said, said});
        qputenv("ATELIER_JUDGE_TOKEN", "word");
        const auto rewards = engine::makeRewards({.functions = "brightness:2, program:" + program() + ":-1, " + server.url() + ":0, judge:"
                + server.url("/chat") + ":10", .clip = 30, .judgeModel = "vl", .judgeQuestion = "{prompt}?", .workers = 1});
        qunsetenv("ATELIER_JUDGE_TOKEN");
        const engine::RewardScores scores = rewards->scores(RewardSamples(2).batch);
        QVERIFY(at::allclose(scores.total, at::tensor({29.0F, 28.2F})));
        QCOMPARE(scores.each.size(), std::size_t {4});
        QVERIFY(at::allclose(scores.each.at("brightness"), at::tensor({0.0F, 0.1F})));
        QVERIFY(at::allclose(scores.each.at("score"), at::tensor({1.0F, 2.0F})));
        QVERIFY(server.requests()[1].contains("Authorization: Bearer word\r\n"));
        QVERIFY(server.body(1).contains("prompt 0?"));
    }

    void clipModelsAreLoadedFromTheirFolder()
    {
        const std::string folder = ATELIER_SOURCE_DIR "/tests/goldens/models/clip_model/model";
        const auto rewards = engine::makeRewards({.functions = "clip:" + folder + ":0.5"});
        const RewardSamples samples(2, 40, 30);
        const engine::RewardScores scores = rewards->scores(samples.batch);
        QVERIFY(at::allclose(scores.total, scores.each.at("model") * 0.5));
        QVERIFY(at::allclose(scores.each.at("model"), engine::loadClipReward("model", folder, at::kCPU)->scores(samples.batch)));
    }

    void mistakesAreWrongUsage()
    {
        try {
            engine::makeRewards({.functions = "beauty"});
            QFAIL("no error");
        } catch (const EngineError& error) {
            QCOMPARE(error.kind(), EngineError::Kind::WrongUsage);
            QVERIFY(QByteArray(error.what()).startsWith("reward.functions: there is no reward \"beauty\""));
        }
    }

    void optionsComeFromTheExperiment()
    {
        contract::Experiment experiment;
        engine::LoneGroup ranks;
        QVERIFY(!experiment.set("reward.functions", std::string("jpeg_size")));
        QVERIFY(!experiment.set("reward.timeout", std::int64_t {3}));
        QVERIFY(!experiment.set("reward.clip", 2.5));
        QVERIFY(!experiment.set("reward.workers", std::int64_t {4}));
        QVERIFY(!experiment.set("reward.judge_model", std::string("vl")));
        const engine::RewardOptions options = engine::rewardOptions(experiment, at::kCPU, ranks);
        QCOMPARE(options.functions, "jpeg_size");
        QCOMPARE(options.timeout.count(), 3000);
        QCOMPARE(options.clip, 2.5);
        QCOMPARE(options.workers, 4);
        QCOMPARE(options.judgeModel, "vl");
        for (const std::string& question : {options.judgeQuestion, options.judgeGroupQuestion, options.judgePairQuestion})
            QVERIFY(QByteArray::fromStdString(question).contains("{prompt}"));
        QVERIFY(!options.shards);
        QVERIFY(!experiment.set("reward.shard", true));
        QCOMPARE(engine::rewardOptions(experiment, at::kCPU, ranks).shards, &ranks);
    }
};

QTEST_GUILESS_MAIN(MakeRewardsTest)
#include "tst_make_rewards.moc"
