// Advantages within groups, and the figures of a round's rewards.
#include <ATen/ATen.h>

#include "engine/algorithm/group_advantage.h"
#include "engine/algorithm/rollout_metrics.h"

#include <QtTest>

#include <limits>

using engine::groupAdvantages;
using Groups = std::vector<std::int64_t>;

namespace {

QByteArray refusal(const at::Tensor& rewards, const Groups& groups)
{
    try {
        groupAdvantages(rewards, groups, {});
    } catch (const std::invalid_argument& error) {
        return error.what();
    }
    return {};
}

}  // namespace

class GroupAdvantageTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void promptsAreNumberedAsTheyAppear_A070()
    {
        QCOMPARE(engine::groupsOf({"cat", "dog", "cat", "", "dog"}), (Groups {0, 1, 0, 2, 1}));
    }

    void oneRewardAloneHasADeviationOfOne_A071()
    {
        for (const bool usesGlobalStd : {true, false}) {
            const auto result = groupAdvantages(at::tensor({3.0}).view({1, 1}), {0}, {.usesGlobalStd = usesGlobalStd});
            QCOMPARE(result.advantages.item<float>(), 0.0F);
        }
    }

    void groupsThatTeachNothingAreCounted_A070()
    {
        // equal rewards, different ones, a single sample
        const auto result = groupAdvantages(at::tensor({0.1, 0.1, 0.1, 1.0, 2.0, 5.0}), {4, 4, 4, 9, 9, 2}, {});
        QCOMPARE(result.groups, 3);
        QCOMPARE(result.flatGroups, 2);
        const at::Tensor advantages = result.advantages.abs();
        QVERIFY(advantages.narrow(0, 0, 3).max().item<double>() < 1e-9);
        QVERIFY(advantages[3].item<double>() > 0.1);
        QCOMPARE(advantages[5].item<float>(), 0.0F);
    }

    void whatIsNotARewardIsRefused_A070()
    {
        QVERIFY(refusal(at::zeros({2, 2, 2}), {0, 0}).contains("3 dimensions"));
        QVERIFY(refusal(at::zeros({3}), {0, 0}).contains("groups of 2"));
        QVERIFY(refusal(at::full({2}, std::numeric_limits<double>::quiet_NaN()), {0, 0}).contains("not finite"));
        QVERIFY(refusal(at::full({2}, std::numeric_limits<double>::infinity()), {0, 0}).contains("not finite"));
    }

    void partsOfARewardHaveTheirMeans_A124()
    {
        const auto metrics = engine::componentMetrics({{"aesthetic", at::tensor({1.0, 2.0, 6.0})}, {"size", at::tensor({0.5})}});
        QCOMPARE(metrics, (engine::NamedNumbers {{"critic/aesthetic/mean", 3}, {"critic/size/mean", 0.5}}));
    }

    void theOldPolicyReportsItsUpdates_A121()
    {
        using Kind = engine::OldPolicy::Kind;
        const auto metricsOf = [](Kind kind, double decay) { return engine::oldPolicyMetrics({kind, decay}); };
        const auto expected = [](double applied, double copied, double averaged, double decay) {
            return engine::NamedNumbers {{"old_policy/update_applied", applied}, {"old_policy/copy_update", copied},
                {"old_policy/ema_update", averaged}, {"old_policy/decay", decay}};
        };
        QCOMPARE(metricsOf(Kind::None, 0), expected(0, 0, 0, 0));
        QCOMPARE(metricsOf(Kind::Copy, 0), expected(1, 1, 0, 0));
        QCOMPARE(metricsOf(Kind::Average, 0.3), expected(1, 0, 1, 0.3));
    }

    void aStageWithoutSamplesIsNotDividedByThem_A122_A123()
    {
        const auto metrics = engine::perfMetrics({{"save_checkpoint", 2.0}, {"gen", 4.0}}, 8, 2);
        QCOMPARE(metrics, (engine::NamedNumbers {{"timing_s/save_checkpoint", 2}, {"timing_s/gen", 4}, {"timing_per_image_ms/gen", 500}}));
    }
};

QTEST_GUILESS_MAIN(GroupAdvantageTest)
#include "tst_group_advantage.moc"
