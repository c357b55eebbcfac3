// Which samples and which noise a rank trains with.
#include <ATen/ATen.h>

#include "engine/train/batch_source.h"

#include <QtTest>

using engine::FlowBatch;

namespace {

constexpr std::int64_t kGlobalBatch = 12, kNullLabel = 10;

/// 40 pictures of 3 × 3, no two alike.
engine::LabelledImages pictures()
{
    return {at::arange(360, at::kFloat).view({40, 1, 3, 3}) / 360, at::arange(40, at::kLong) % 10, 10};
}

/// A step's global batch, as so many ranks see it in so many passes; rows in their order.
FlowBatch globalBatch(std::int64_t step, int ranks, std::int64_t passes, std::uint64_t seed)
{
    const auto data = pictures();
    engine::LabelledBatches batches(data, kGlobalBatch / ranks / passes, 0.3, kNullLabel, seed);
    std::vector<at::Tensor> noisy, target, sigmas, labels;
    for (std::int64_t pass = 0; pass < passes; ++pass) {
        for (int rank = 0; rank < ranks; ++rank) {
            const FlowBatch part = batches.batch({step, step * kGlobalBatch, pass, rank, ranks});
            noisy.push_back(part.noisy);
            target.push_back(part.target);
            sigmas.push_back(part.sigmas);
            labels.push_back(part.labels);
        }
    }
    return {at::cat(noisy), at::cat(target), at::cat(sigmas), at::cat(labels)};
}

/// x_σ = x_0 + σ · target, and target = noise - x_0.
at::Tensor picturesOf(const FlowBatch& batch) { return batch.noisy - batch.sigmas.view({-1, 1, 1, 1}) * batch.target; }
at::Tensor noiseOf(const FlowBatch& batch) { return batch.target + picturesOf(batch); }

}  // namespace

class BatchSourceTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void oneSeedGivesAllRanksTheirPartOfTheSameBatch_data()
    {
        QTest::addColumn<int>("ranks");
        QTest::addColumn<int>("passes");
        QTest::newRow("E-201 2 ranks") << 2 << 1;
        QTest::newRow("E-201 3 ranks") << 3 << 1;
        QTest::newRow("E-202 3 passes") << 1 << 3;
        QTest::newRow("E-202 2 ranks, 3 passes") << 2 << 3;
    }
    void oneSeedGivesAllRanksTheirPartOfTheSameBatch()
    {
        QFETCH(int, ranks);
        QFETCH(int, passes);
        for (const std::int64_t step : {0, 1, 7}) {
            const FlowBatch whole = globalBatch(step, 1, 1, 42), parts = globalBatch(step, ranks, passes, 42);
            QVERIFY(at::equal(whole.noisy, parts.noisy) && at::equal(whole.target, parts.target)
                && at::equal(whole.sigmas, parts.sigmas) && at::equal(whole.labels, parts.labels));
        }
    }

    void everySampleOfEveryStepHasNoiseOfItsOwn_data()
    {
        QTest::addColumn<int>("step");
        QTest::addColumn<int>("seed");
        QTest::newRow("E-202 of another step") << 3 << 42;
        QTest::newRow("E-202 of another seed") << 0 << 43;
    }
    void everySampleOfEveryStepHasNoiseOfItsOwn()
    {
        QFETCH(int, step);
        QFETCH(int, seed);
        std::vector<at::Tensor> rows;
        for (const std::int64_t other : {0, 1, 2}) {
            for (const at::Tensor& row : noiseOf(globalBatch(other, 2, 1, 42)).unbind())
                rows.push_back(row);
        }
        for (const at::Tensor& row : noiseOf(globalBatch(step, 2, 1, static_cast<std::uint64_t>(seed))).unbind())
            rows.push_back(row);
        for (std::size_t i = 0; i < rows.size(); ++i) {
            for (std::size_t j = 0; j < i; ++j)
                QVERIFY((rows[i] - rows[j]).abs().max().item<double>() > 0.1);
        }
    }
};

QTEST_APPLESS_MAIN(BatchSourceTest)
#include "tst_batch_source.moc"
