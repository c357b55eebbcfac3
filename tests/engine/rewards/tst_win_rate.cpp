// Preferences between samples become win rates.
#include "engine/comm/errors.h"
#include "engine/rewards/win_rate.h"
#include "tests/engine/rewards/reward_samples.h"

#include <ATen/ops/equal.h>
#include <ATen/ops/tensor.h>

#include <QtTest>

#include <cmath>
#include <functional>
#include <set>
#include <utility>

using engine::SamplePair;
using tests::RewardSamples;

namespace {

/// Compares by a function of the two samples' numbers.
class FunctionComparison final : public engine::ComparingReward {
public:
    using Function = std::function<double(std::int64_t first, std::int64_t second)>;
    explicit FunctionComparison(Function function)
        : m_function(std::move(function))
    {
    }
    const std::string& name() const override { return m_name; }
    at::Tensor scores(const engine::RewardBatch&) override { return {}; }
    at::Tensor preferences(const engine::RewardBatch&, const std::vector<SamplePair>& pairs) override
    {
        std::vector<float> values;
        for (const SamplePair& pair : pairs)
            values.push_back(static_cast<float>(m_function(pair.first, pair.second)));
        return at::tensor(values);
    }

private:
    std::string m_name = "taste";
    Function m_function;
};

engine::WinRateReward winRate(FunctionComparison::Function function)
{
    return engine::WinRateReward(std::make_unique<FunctionComparison>(std::move(function)));
}

}  // namespace

class WinRateTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyPairIsComparedOnceAndPlacesAreFair_data()
    {
        QTest::addColumn<int>("samples");
        for (const int samples : {2, 3, 8, 9})
            QTest::addRow("%d samples", samples) << samples;
    }
    void everyPairIsComparedOnceAndPlacesAreFair()
    {
        QFETCH(int, samples);
        std::set<std::pair<std::int64_t, std::int64_t>> seen;
        std::vector<int> first(static_cast<std::size_t>(samples));
        for (const SamplePair& pair : engine::allPairs(samples)) {
            QVERIFY(pair.first != pair.second);
            QVERIFY(seen.emplace(std::minmax(pair.first, pair.second)).second);
            ++first[static_cast<std::size_t>(pair.first)];
        }
        QCOMPARE(seen.size(), static_cast<std::size_t>(samples * (samples - 1) / 2));
        for (const int times : first)
            QVERIFY2(std::abs(2 * times - (samples - 1)) <= 1, qPrintable(QString::number(times)));
    }

    void aScoreIsTheShareOfWins()
    {
        RewardSamples samples(4);
        auto higher = winRate([](auto a, auto b) { return a > b ? 1.0 : 0.0; });
        QCOMPARE(higher.name(), "taste");
        QVERIFY(at::equal(higher.scores(samples.batch), at::tensor({0.0F, 1.0F / 3, 2.0F / 3, 1.0F})));
        QVERIFY(at::equal(winRate([](auto, auto) { return 0.5; }).scores(samples.batch), at::tensor({0.5F, 0.5F, 0.5F, 0.5F})));
        // Sample 2 is preferred to all by three quarters; the others are equal.
        QVERIFY(at::equal(winRate([](auto a, auto b) { return a == 2 ? 0.75 : b == 2 ? 0.25 : 0.5; }).scores(samples.batch),
            at::tensor({1.25F / 3, 1.25F / 3, 0.75F, 1.25F / 3})));
    }

    void preferencesAreFrom0To1_data()
    {
        QTest::addColumn<double>("preference");
        QTest::newRow("too great") << 1.01;
        QTest::newRow("negative") << -0.01;
        QTest::newRow("no number") << std::nan("");
    }
    void preferencesAreFrom0To1()
    {
        QFETCH(double, preference);
        auto reward = winRate([&](auto a, auto) { return a == 1 ? preference : 0.5; });
        try {
            reward.scores(RewardSamples(3).batch);
            QFAIL("no error");
        } catch (const engine::EngineError& error) {
            QCOMPARE(error.what(), "the reward taste did not give each of 3 pairs a number from 0 to 1");
        }
    }
};

QTEST_GUILESS_MAIN(WinRateTest)
#include "tst_win_rate.moc"
