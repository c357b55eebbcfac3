// Ranks that divide a reward's model among them score as one that has it whole.
#include "engine/rewards/clip_reward.h"
#include "tests/engine/rewards/reward_samples.h"
#include "tests/engine/comm/forked_ranks.h"
#include "tests/paths.h"
#include "tests/support/live_memory.h"

#include <ATen/ops/equal.h>

#include <QtTest>

#include <filesystem>

class ShardedRewardTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void eachRankKeepsAPartAndScoresItsOwnSamples_data()
    {
        QTest::addColumn<int>("ranks");
        for (const int ranks : {2, 3})
            QTest::addRow("E-028 %d ranks", ranks) << ranks;
    }
    void eachRankKeepsAPartAndScoresItsOwnSamples()
    {
        QFETCH(int, ranks);
        auto codes = tests::runRanks({.world = ranks, .shard = ranks}, engine::Exchange::Automatic, [&](engine::Mesh& mesh) {
            const std::string folder = ATELIER_SOURCE_DIR "/tests/goldens/models/clip_model/model";
            const int rank = mesh.world().rank();
            tests::RewardSamples samples(2 + ranks, 40, 30);
            const engine::RewardBatch own {samples.batch.images.narrow(0, rank, 2).contiguous(), {samples.batch.prompts[static_cast<std::size_t>(rank)],
                samples.batch.prompts[static_cast<std::size_t>(rank == 0 ? 0 : rank + 1)]}};
            const at::Tensor expected = engine::loadClipReward("fit", folder, at::kCPU)->scores(own);
            const tests::LiveMemory memory;
            const auto sharded = engine::loadClipReward("fit", folder, at::kCPU, &mesh.world());
            bool isWell = at::equal(sharded->scores(own), expected) && at::equal(sharded->scores(own), expected);
            const auto whole = static_cast<std::int64_t>(std::filesystem::file_size(std::filesystem::path(folder) / "model.safetensors"));
            isWell &= memory.bytes() > whole / ranks * 3 / 4 && memory.bytes() < whole / ranks * 5 / 4;
            return isWell;
        });
        std::erase(codes, 0);
        QVERIFY2(codes.empty(), qPrintable(QString::number(codes.size())));
    }
};

QTEST_GUILESS_MAIN(ShardedRewardTest)
#include "tst_sharded_reward.moc"
