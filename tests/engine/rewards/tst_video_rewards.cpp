// What rewards make of videos.
#include "engine/rewards/built_in_rewards.h"
#include "engine/rewards/clip_reward.h"
#include "engine/rewards/program_reward.h"
#include "engine/rewards/script_reward.h"
#include "engine/rewards/video_frames.h"
#include "tests/engine/rewards/reward_samples.h"
#include "tests/paths.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/allclose.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/tensor.h>
#include <torch/script.h>

#include <QFile>
#include <QImage>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTemporaryDir>
#include <QtTest>

#include <array>
#include <filesystem>
#include <fstream>

namespace fs = std::filesystem;
using engine::RewardBatch;
using tests::RewardSamples;

namespace {

/// Two videos: frame f of video i is the image f + 2 i of RewardSamples.
RewardBatch videosOf(const RewardSamples& samples, std::int64_t frames)
{
    const at::Tensor& images = samples.batch.images;
    return {at::stack({images.narrow(0, 0, frames), images.narrow(0, 2, frames)}), {samples.batch.prompts[0], samples.batch.prompts[1]}};
}

/// The mean score of the frames @p picked, each scored as an image.
at::Tensor meanOfFrames(engine::Reward& reward, const RewardBatch& videos, const std::vector<std::int64_t>& picked)
{
    at::Tensor sum;
    for (const std::int64_t frame : picked) {
        const at::Tensor scores = reward.scores({videos.images.select(1, frame).contiguous(), videos.prompts});
        sum = sum.defined() ? sum + scores : scores;
    }
    return sum / static_cast<double>(picked.size());
}

}  // namespace

class VideoRewardsTest : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;

    fs::path path(const char* name) const { return m_folder.filePath(name).toStdString(); }

private Q_SLOTS:
    void framesAreSpacedFromTheFirstToTheLast()
    {
        const at::Tensor videos = at::arange(22, at::kFloat).view({2, 11, 1, 1, 1});
        QVERIFY(at::equal(engine::evenlySpacedFrames(videos, 3).flatten(1), at::tensor({0.0F, 5.0F, 10.0F, 11.0F, 16.0F, 21.0F}).view({2, 3})));
        QVERIFY(at::equal(engine::evenlySpacedFrames(videos, 11), videos));
        QVERIFY(at::equal(engine::evenlySpacedFrames(videos.flatten(0, 1), 3), videos.flatten(0, 1)));
    }

    void aBuiltInScoreIsTheMeanOfAllFrames_data()
    {
        QTest::addColumn<QByteArray>("name");
        QTest::newRow("brightness") << QByteArray("brightness");
        QTest::newRow("size as JPEG") << QByteArray("jpeg_size");
    }
    void aBuiltInScoreIsTheMeanOfAllFrames()
    {
        QFETCH(QByteArray, name);
        const auto reward = engine::makeBuiltInReward(name.toStdString());
        const RewardSamples samples(12);
        const RewardBatch videos = videosOf(samples, 10);
        const at::Tensor scores = reward->scores(videos);
        QVERIFY(scores.sizes() == at::IntArrayRef({2}));
        QVERIFY(at::allclose(scores, meanOfFrames(*reward, videos, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9})));
        QVERIFY(name != "brightness" || at::allclose(scores, at::tensor({0.45F, 0.65F})));
    }

    void aClipScoreIsTheMeanOfSpacedFrames()
    {
        const auto reward = engine::loadClipReward("fit", ATELIER_SOURCE_DIR "/tests/goldens/models/clip_model/model", at::kCPU);
        RewardSamples samples(12, 30, 30);
        samples.batch.images.select(1, 0).mul_(0.5).select(1, 3).fill_(1);
        const RewardBatch videos = videosOf(samples, 10);
        const at::Tensor scores = reward->scores(videos);
        QVERIFY(at::allclose(scores, meanOfFrames(*reward, videos, {0, 1, 2, 3, 5, 6, 7, 9}), 1e-4));
        QVERIFY(!at::allclose(scores, meanOfFrames(*reward, videos, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}), 1e-4));
    }

    void programsGetFrames()
    {
        std::ofstream(path("score.sh")) << "#!/bin/sh\nread -r request; printf '%s' \"$request\" > request; echo '{\"id\":1,\"scores\":[1,2]}'; read -r end\n";
        fs::permissions(path("score.sh"), fs::perms::owner_all);
        engine::ProgramReward reward("score", path("score.sh"), std::chrono::seconds(60));
        const RewardSamples samples(5);
        QVERIFY(at::equal(reward.scores(videosOf(samples, 3)), at::tensor({1.0F, 2.0F})));
        QFile file(m_folder.filePath("request"));
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QJsonArray sent = QJsonDocument::fromJson(file.readAll()).object()["samples"].toArray();
        QCOMPARE(sent.size(), 2);
        QVERIFY(!sent[1].toObject().contains("image"));
        QCOMPARE(sent[1]["prompt"].toString(), "prompt 1");
        QCOMPARE(sent[1]["frames"].toArray().size(), 3);
        constexpr std::array kGreys = {51, 76, 102};
        for (int frame = 0; frame < 3; ++frame) {
            const auto png = QByteArray::fromBase64(sent[1]["frames"][frame].toString().toLatin1());
            QCOMPARE(qRed(QImage::fromData(png, "PNG").pixel(0, 0)), kGreys[static_cast<std::size_t>(frame)]);
        }
    }

    void scriptsGetVideosWhole()
    {
        torch::jit::Module module("Model");
        module.define("def forward(self, videos, prompts: List[str]):\n  return videos[:, -1].amax([1, 2, 3]) + float(videos.dim()) + float(len(prompts))\n");
        module.save(path("model.pt").string());
        const RewardSamples samples(6);
        QVERIFY(at::allclose(engine::loadScriptReward("last", path("model.pt"))->scores(videosOf(samples, 4)), at::tensor({7.3F, 7.5F})));
    }

    void scriptsComparePairs_data()
    {
        QTest::addColumn<QByteArray>("forward");
        QTest::newRow("images") << QByteArray("def forward(self, first, second):\n  return (first.mean([1, 2, 3]) > second.mean([1, 2, 3])).float()\n");
        QTest::newRow("images and prompts")
            << QByteArray("def forward(self, first, second, prompts: List[str]):\n"
                          "  return (first.mean([1, 2, 3]) > second.mean([1, 2, 3])).float() * float(prompts[1] == 'prompt 0')\n");
    }
    void scriptsComparePairs()
    {
        QFETCH(QByteArray, forward);
        torch::jit::Module module("Model");
        module.define(forward.toStdString());
        module.save(path("pairs.pt").string());
        const RewardSamples samples(3);
        const auto reward = engine::loadScriptReward("pairs", path("pairs.pt"), /*comparesPairs=*/true);
        QVERIFY(at::equal(reward->preferences(samples.batch, {{0, 1}, {2, 1}}), at::tensor({0.0F, 1.0F})));
    }

    void aScriptOfAnotherFormIsNamed()
    {
        torch::jit::Module module("Model");
        module.define("def forward(self, images):\n  return images.mean([1, 2, 3])\n");
        module.save(path("one.pt").string());
        try {
            engine::loadScriptReward("pairs", path("one.pt"), /*comparesPairs=*/true);
            QFAIL("no error");
        } catch (const std::runtime_error& error) {
            QVERIFY2(QByteArray(error.what()).endsWith("one.pt\" has no forward(first, second) or forward(first, second, prompts)"), error.what());
        }
    }
};

QTEST_GUILESS_MAIN(VideoRewardsTest)
#include "tst_video_rewards.moc"
