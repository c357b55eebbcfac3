// The samples and the noise that a rank trains with.
#include <ATen/ATen.h>

#include "engine/tasks/batch_source.h"

#include <QtTest>

#include <cmath>
#include <set>
#include <stdexcept>

using engine::FlowBatch;

namespace {

constexpr std::int64_t kGlobalBatch = 12, kNullLabel = 10;

/// 40 images of 3 × 3, no two alike.
engine::LabelledImages images()
{
    return {at::arange(360, at::kFloat).view({40, 1, 3, 3}) / 360, at::arange(40, at::kLong) % 10, 10};
}

/// Returns a step's global batch, assembled in row order from the given numbers of ranks and passes.
FlowBatch globalBatch(std::int64_t step, int ranks, std::int64_t passes, std::uint64_t seed)
{
    const auto data = images();
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
at::Tensor imagesOf(const FlowBatch& batch) { return batch.noisy - batch.sigmas.view({-1, 1, 1, 1}) * batch.target; }
at::Tensor noiseOf(const FlowBatch& batch) { return batch.target + imagesOf(batch); }

/// Returns the indices of the images that a number of steps use.
std::vector<std::int64_t> rowsOf(std::int64_t steps, int ranks, std::int64_t passes)
{
    std::vector<std::int64_t> rows;
    for (std::int64_t step = 0; step < steps; ++step) {
        const at::Tensor first = imagesOf(globalBatch(step, ranks, passes, 42)).select(3, 0).select(2, 0).flatten();
        for (const at::Tensor& pixel : first.unbind())  // the first pixel of image r is 9 r / 360
            rows.push_back(std::lround(pixel.item<double>() * 40));
    }
    return rows;
}

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

    // A distributed sampler gives rank r of W the rows r, r + W, …, so that the rows of a step depend on W, and trims
    // or pads each epoch to a multiple of W. Ours deals the global batch out in micro-batches, and a step that begins
    // in one epoch may end in the next: any number of ranks with the same global batch uses the same rows.
    void everyRowComesOnceAnEpoch_data()
    {
        QTest::addColumn<int>("ranks");
        QTest::addColumn<int>("passes");
        QTest::newRow("E-211 1 rank") << 1 << 1;
        QTest::newRow("E-211 3 ranks") << 3 << 1;
        QTest::newRow("E-211 2 ranks, 3 passes") << 2 << 3;
    }
    void everyRowComesOnceAnEpoch()
    {
        QFETCH(int, ranks);
        QFETCH(int, passes);
        const auto rows = rowsOf(10, ranks, passes);  // 120 samples: 3 epochs of 40, no step ends with one
        QCOMPARE(rows, rowsOf(10, 1, 1));
        for (std::size_t epoch = 0; epoch < 3; ++epoch) {
            const auto begin = rows.begin() + static_cast<std::ptrdiff_t>(40 * epoch);
            QCOMPARE(std::set<std::int64_t>(begin, begin + 40).size(), std::size_t {40});
        }
    }

    void aRankThatIsNoneIsRefused_data()
    {
        QTest::addColumn<int>("rank");
        QTest::newRow("E-211 past the last") << 2;
        QTest::newRow("E-211 negative") << -1;
    }
    void aRankThatIsNoneIsRefused()
    {
        QFETCH(int, rank);
        const auto data = images();
        engine::LabelledBatches batches(data, 4, 0, kNullLabel, 42);
        QVERIFY_THROWS_EXCEPTION(std::invalid_argument, batches.batch({0, 0, 0, rank, 2}));
    }
};

QTEST_APPLESS_MAIN(BatchSourceTest)
#include "tst_batch_source.moc"
