// Groups of the matching loss that span ranks, and its optional parts.
#include "engine/algorithm/loss/matching_loss.h"
#include "engine/comm/errors.h"
#include "tests/engine/algorithm/wave.h"
#include "tests/engine/comm/forked_ranks.h"
#include "tests/engine/cpu.h"

#include <QtTest>

using engine::GroupPreference;
using tests::kCpu;
using tests::wave;
using Groups = std::vector<std::int64_t>;

namespace {

template <typename Error>
QByteArray messageOf(const std::function<void()>& body)
{
    try {
        body();
    } catch (const Error& error) {
        return error.what();
    }
    return {};
}

}  // namespace

class MatchingLossTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void groupsSpanRanks_A143()
    {
        // Each rank has two of the three members of both groups, or one of them.
        const Groups all {8, 5, 8, 5, 5, 8};
        const at::Tensor values = at::tensor({1.0, 10.0, 2.0, 20.0, 30.0, 4.0}).to(at::kFloat);
        const auto codes = tests::runRanks({.world = 2, .shard = 2}, engine::Exchange::SharedMemory, [&](engine::Mesh& mesh) {
            const std::int64_t first = 3 * mesh.data().rank();
            const GroupPreference groups({all.begin() + first, all.begin() + first + 3}, 3, mesh.data(), kCpu);
            const at::Tensor expected = at::tensor({7.0, 60.0, 7.0, 60.0, 60.0, 7.0}).to(at::kFloat);
            return at::equal(groups.sums(values.narrow(0, first, 3)), expected.narrow(0, first, 3));
        });
        QCOMPARE(codes, std::vector<int>(2, 0));
    }

    void aGroupThatIsNotWholeIsRefusedOnEveryRank_A143()
    {
        const auto codes = tests::runRanks({.world = 2, .shard = 2}, engine::Exchange::SharedMemory, [&](engine::Mesh& mesh) {
            return messageOf<engine::EngineError>([&] {
                GroupPreference(mesh.data().rank() == 0 ? Groups {1, 1} : Groups {1, 2}, 2, mesh.data(), kCpu);
            }).contains("group 1 has 3 samples");
        });
        QCOMPARE(codes, std::vector<int>(2, 0));
    }

    void aCoefficientOfZeroNeedsNoOtherPrediction_A142()
    {
        engine::MatchingRows rows {wave({2, 3}, 0), wave({2, 3}, 1), at::tensor({500.0, 900.0}), at::zeros({2}), at::ones({2})};
        const auto loss = engine::matchingLoss(rows, {});
        QVERIFY(!loss.metrics.contains("kl_loss") && !loss.metrics.contains("ema_kl_loss"));
        QVERIFY(messageOf<std::invalid_argument>([&] { engine::matchingLoss(rows, {.referenceCoefficient = 0.1}); }).contains("was not computed"));
        QVERIFY(messageOf<std::invalid_argument>([&] { engine::matchingLoss(rows, {.emaCoefficient = 0.1}); }).contains("was not computed"));
    }

    void theOldPolicyIsNeededAsAnAnchor_A145()
    {
        engine::LoneGroup lone;
        const GroupPreference groups({0, 0}, 2, lone, kCpu);
        const engine::GroupMatchingRows rows {wave({2, 3}, 0), wave({2, 3}, 1), wave({2, 3}, 2), {}, at::ones({2})};
        QVERIFY(messageOf<std::invalid_argument>([&] { engine::groupMatchingLoss(rows, groups, {.anchorsAtOld = true}); }).contains("old policy"));
        QVERIFY(!engine::groupMatchingLoss(rows, groups, {.clipsLoss = true}).metrics.contains("clip_frac"));
    }

    void timesOutsideTheScheduleAreClamped_A140()
    {
        const engine::MatchingOptions options {.weight = engine::MatchingWeight::Time};
        const at::Tensor found = engine::matchingLogProbs(at::ones({2, 3}), at::zeros({2, 3}), at::tensor({-5.0, 1100.0}), options);
        QVERIFY(at::equal(found, at::tensor({0.0, -1.0}).to(at::kFloat)));
    }

    void unknownWeightsAreNamed_A140()
    {
        const auto message = messageOf<engine::EngineError>([] { engine::matchingWeight("t**3"); });
        QVERIFY2(message.contains("\"t**3\"") && message.contains("ghuber"), message);
    }
};

QTEST_GUILESS_MAIN(MatchingLossTest)
#include "tst_matching_loss.moc"
