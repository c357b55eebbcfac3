// The signs that a reward no longer says what the user wants, and the weight of the reference that adapts.
#include "engine/rounds/reference_control.h"
#include "engine/rounds/reward_watch.h"

#include <QtTest>

using engine::NamedNumbers;
using engine::ReferenceControl;
using engine::RewardWatch;

namespace {

NamedNumbers round(double gold, double reward, double flat = 0)
{
    return {{engine::kGoldReward, gold}, {"critic/rewards/mean", reward}, {"critic/rewards/zero_std_ratio", flat}};
}

contract::PolicySettings patient(std::int64_t rounds)
{
    contract::PolicySettings settings;
    settings.goldPatience = rounds;
    return settings;
}

}  // namespace

class RewardWatchTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aFallOfTheWatchedRewardIsNotedOnce()
    {
        RewardWatch watch(patient(0));
        QVERIFY(watch.addRound(round(0.5, 0.5)).empty());
        QVERIFY(watch.addRound(round(0.46, 0.6)).empty());  // less than a tenth
        const auto notices = watch.addRound(round(0.44, 0.6));
        QCOMPARE(notices.size(), std::size_t {1});
        QCOMPARE(notices.front(),
            std::string("the watched reward has fallen from 0.5 to 0.44 while the one that is trained on has risen: the model may exploit the reward"));
        QVERIFY(watch.addRound(round(0.3, 0.7)).empty());
        QVERIFY(watch.addRound(round(0.6, 0.7)).empty());
        QCOMPARE(watch.addRound(round(0.5, 0.8)).size(), std::size_t {1});  // again, after it had recovered
        QVERIFY(watch.addRound(round(0.6, 0.6)).empty());
        QVERIFY(watch.addRound(round(0.4, 0.6)).empty());  // both have fallen: no exploit
        QVERIFY(watch.stopReason().empty());
    }

    void theRunStopsAfterRoundsWithoutAGain()
    {
        RewardWatch watch(patient(2));
        for (const double gold : {0.2, 0.1, 0.3, 0.3})
            watch.addRound(round(gold, 0.5));
        QVERIFY(watch.stopReason().empty());
        RewardWatch resumed(patient(2));
        resumed.restore(watch.toState());
        for (RewardWatch* each : {&watch, &resumed}) {
            each->addRound(round(0.29, 0.5));
            QCOMPARE(each->stopReason(), std::string("the watched reward has not risen for 2 rounds"));
        }
    }

    void promptsThatTeachNothingAreNoted()
    {
        RewardWatch watch(patient(0));
        QVERIFY(watch.addRound(round(0, 0, 0.5)).empty());
        const auto notices = watch.addRound(round(0, 0, 0.75));
        QCOMPARE(notices.size(), std::size_t {1});
        QVERIFY(notices.front().starts_with("the samples of 75 % of the prompts have equal rewards"));
    }

    void anExplodingDivergenceIsNoted()
    {
        RewardWatch watch(patient(0));
        QVERIFY(watch.addUpdate({{"actor/ppo_kl", -0.9}}).empty());
        QCOMPARE(watch.addUpdate({{"actor/ppo_kl", -3.0}}).size(), std::size_t {1});
        QVERIFY(watch.addUpdate({{"actor/ppo_kl", std::nan("")}}).empty());  // still
        QVERIFY(watch.addUpdate({{"actor/ppo_kl", 0.0}}).empty());
        QCOMPARE(watch.addUpdate({{"actor/ppo_kl", std::nan("")}}).size(), std::size_t {1});
    }

    void theWeightOfTheReferenceMovesByATenthAtMost()
    {
        contract::PolicySettings settings;
        settings.klCoefficient = 2;
        settings.klTarget = 0.5;
        ReferenceControl control(settings);
        QVERIFY(control.add({{"actor/kl_loss", 0.75}}));  // half of the target above it
        QVERIFY(std::abs(control.coefficient() - 2 * 1.05) < 1e-12);
        QVERIFY(control.add({{"actor/kl_loss", 100.0}}));
        QVERIFY(std::abs(control.coefficient() - 2 * 1.05 * 1.1) < 1e-12);
        QVERIFY(!control.add({{"actor/kl_loss", std::nan("")}}) && !control.add({{"loss", 1.0}}));
        ReferenceControl resumed(settings);
        resumed.restore(control.toState());
        QCOMPARE(resumed.coefficient(), control.coefficient());
        settings.klTarget = 0;
        QVERIFY(!ReferenceControl(settings).add({{"actor/kl_loss", 0.75}}));
    }
};

QTEST_APPLESS_MAIN(RewardWatchTest)
#include "tst_reward_watch.moc"
