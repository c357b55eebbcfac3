// Several rewards together: the weighted sum, its limit, metrics, failures, and scoring beside the caller's work.
#include "engine/comm/errors.h"
#include "engine/rewards/reward_list.h"
#include "tests/engine/rewards/reward_samples.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>

#include <QtTest>

#include <functional>
#include <future>
#include <limits>
#include <thread>

using engine::RewardBatch;
using engine::RewardList;
using tests::causeOf;
using tests::RewardSamples;

namespace {

class FunctionReward final : public engine::Reward {
public:
    using Function = std::function<at::Tensor(const RewardBatch&)>;

    FunctionReward(std::string name, Function function)
        : m_name(std::move(name))
        , m_function(std::move(function))
    {
    }
    const std::string& name() const override { return m_name; }
    at::Tensor scores(const RewardBatch& batch) override { return m_function(batch); }

private:
    std::string m_name;
    Function m_function;
};

engine::WeightedReward weighted(const char* name, double weight, FunctionReward::Function function)
{
    return {std::make_unique<FunctionReward>(name, std::move(function)), weight};
}

FunctionReward::Function constant(float first, float second)
{
    return [=](const RewardBatch&) { return at::tensor({first, second}); };
}

RewardList listOf(engine::WeightedReward some, engine::WeightedReward other, double clip = 0)
{
    std::vector<engine::WeightedReward> rewards;
    rewards.push_back(std::move(some));
    rewards.push_back(std::move(other));
    return {std::move(rewards), clip};
}

}  // namespace

class RewardListTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void addsWeightedScores()
    {
        RewardList list = listOf(weighted("up", 2, constant(0.25F, 3)), weighted("down", -0.5, constant(1, 10)));
        const engine::RewardScores scores = list.scores(RewardSamples(2).batch);
        QVERIFY(at::equal(scores.total, at::tensor({0.0F, 1.0F})));
        QCOMPARE(scores.each.size(), std::size_t {2});
        QVERIFY(at::equal(scores.each.at("up"), at::tensor({0.25F, 3.0F})));
        QVERIFY(at::equal(scores.each.at("down"), at::tensor({1.0F, 10.0F})));
    }

    void clampsTheSum()
    {
        RewardList list = listOf(weighted("up", 2, constant(5, 1)), weighted("down", -4, constant(1, 2)), 2.5);
        const engine::RewardScores scores = list.scores(RewardSamples(2).batch);
        QVERIFY(at::equal(scores.total, at::tensor({2.5F, -2.5F})));
        QVERIFY(at::equal(scores.each.at("up"), at::tensor({5.0F, 1.0F})));
    }

    void weightZeroIsScoredButNotTrainedOn()
    {
        constexpr float kMost = std::numeric_limits<float>::max();
        RewardList list = listOf(weighted("proxy", 1, constant(1, 2)), weighted("gold", 0, constant(kMost, -kMost)));
        const engine::RewardScores scores = list.scores(RewardSamples(2).batch);
        QVERIFY(at::equal(scores.total, at::tensor({1.0F, 2.0F})));
        QVERIFY(at::equal(scores.each.at("gold"), at::tensor({kMost, -kMost})));
    }

    void wrongScoresAreNamed_data()
    {
        QTest::addColumn<at::Tensor>("scores");
        QTest::newRow("NaN") << at::tensor({1.0F, std::nanf("")});
        QTest::newRow("too few") << at::tensor({1.0F});
        QTest::newRow("a column") << at::zeros({2, 1});
    }
    void wrongScoresAreNamed()
    {
        QFETCH(at::Tensor, scores);
        RewardList list = listOf(weighted("good", 1, constant(1, 2)), weighted("odd", 1, [&](const RewardBatch&) { return scores; }));
        QCOMPARE(causeOf([&] { list.scores(RewardSamples(2).batch); }), "the reward odd did not give one finite score to each of 2 images");
    }

    void sumsBeyondFloat32AreRefused()
    {
        RewardList list = listOf(weighted("a", 1e30, constant(1e20F, 0)), weighted("b", 1, constant(1, 2)));
        QVERIFY(causeOf([&] { list.scores(RewardSamples(2).batch); }).contains("the weighted sum of rewards is too large"));
    }

    void submittedBatchesAreScoredMeanwhileAndInOrder()
    {
        std::promise<void> mayScore;
        const std::shared_future<void> permission = mayScore.get_future().share();
        std::vector<std::int64_t> order;
        const auto record = [&](const RewardBatch& batch) {
            permission.wait_for(std::chrono::seconds(10));
            order.push_back(batch.images.size(0));
            return at::zeros({batch.images.size(0)});
        };
        const auto where = [&, caller = std::this_thread::get_id()](const RewardBatch& batch) {
            const bool isElsewhere = std::this_thread::get_id() != caller && !at::GradMode::is_enabled();
            return at::full({batch.images.size(0)}, isElsewhere ? 1 : 0, at::kFloat);
        };
        RewardList list = listOf(weighted("order", 1, record), weighted("where", 1, where));
        const RewardSamples some(3), others(1);
        std::future<engine::RewardScores> first = list.submit(some.batch), second = list.submit(others.batch);
        mayScore.set_value();  // reached although the first batch cannot be scored before
        QVERIFY(at::equal(first.get().total, at::tensor({1.0F, 1.0F, 1.0F})));
        QVERIFY(at::equal(second.get().total, at::tensor({1.0F})));
        QCOMPARE(order, (std::vector<std::int64_t> {3, 1}));
    }

    void failuresOfSubmittedBatchesReachTheCaller()
    {
        int calls = 0;
        const auto failOnce = [&](const RewardBatch&) {
            if (++calls == 1)
                throw engine::EngineError(engine::EngineError::Kind::Failure, "the scorer broke");
            return at::tensor({1.0F, 2.0F});
        };
        RewardList list = listOf(weighted("a", 1, failOnce), weighted("b", 1, constant(0, 0)));
        const RewardSamples samples(2);
        std::future<engine::RewardScores> first = list.submit(samples.batch), second = list.submit(samples.batch);
        QCOMPARE(causeOf([&] { first.get(); }), "the scorer broke");
        QVERIFY(at::equal(second.get().total, at::tensor({1.0F, 2.0F})));
    }
};

QTEST_GUILESS_MAIN(RewardListTest)
#include "tst_reward_list.moc"
