#include "engine/comm/errors.h"
#include "engine/data/epoch_sampler.h"
#include "engine/data/permutation.h"

#include <QtTest>

#include <algorithm>
#include <array>
#include <numeric>

using engine::EpochSampler;

namespace {

std::vector<std::int64_t> epochOf(EpochSampler& sampler, std::int64_t epoch)
{
    std::vector<std::int64_t> rows;
    for (std::int64_t place = 0; place < sampler.size(); ++place)
        rows.push_back(sampler.index(epoch * sampler.size() + place));
    return rows;
}

}  // namespace

class EpochSamplerTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyEpochHasEachRowOnce_E211_data()
    {
        QTest::addColumn<int>("size");
        QTest::newRow("one row") << 1;
        QTest::newRow("two rows") << 2;
        QTest::newRow("the digits") << 1617;
    }
    void everyEpochHasEachRowOnce_E211()
    {
        QFETCH(int, size);
        std::vector<std::int64_t> all(static_cast<std::size_t>(size));
        std::iota(all.begin(), all.end(), 0);
        EpochSampler sampler(size, 5);
        for (const std::int64_t epoch : {0, 1, 2, 1000}) {
            auto rows = epochOf(sampler, epoch);
            std::sort(rows.begin(), rows.end());
            QCOMPARE(rows, all);
        }
    }

    void epochsAndSeedsHaveOrdersOfTheirOwn_E211()
    {
        EpochSampler sampler(1617, 5);
        EpochSampler next(1617, 6);
        QVERIFY(epochOf(sampler, 0) != epochOf(sampler, 1));
        QVERIFY(epochOf(sampler, 0) != epochOf(next, 0));
        QVERIFY(epochOf(sampler, 1) != epochOf(next, 0));  // seed and epoch are not merely added
        // The split of the same seed shows nothing of the order.
        QVERIFY(epochOf(sampler, 0) != engine::randomPermutation(1617, 5, 0));
    }

    void numberAloneDecidesSoThatAResumeContinues_E211()
    {
        EpochSampler steady(100, 5);
        std::vector<std::int64_t> seen;
        for (std::int64_t number = 0; number < 350; ++number)
            seen.push_back(steady.index(number));
        EpochSampler resumed(100, 5);
        for (std::int64_t number = 237; number < 350; ++number)
            QCOMPARE(resumed.index(number), seen[static_cast<std::size_t>(number)]);
        QCOMPARE(resumed.index(12), seen[12]);  // backwards too
    }

    void stridedRanksShareAnEpochWithoutOverlap_E211()
    {
        constexpr std::int64_t kSize = 96;
        constexpr std::int64_t kRanks = 4;
        std::vector<std::int64_t> rows;
        for (std::int64_t rank = 0; rank < kRanks; ++rank) {
            EpochSampler sampler(kSize, 5);
            for (std::int64_t number = rank; number < kSize; number += kRanks)
                rows.push_back(sampler.index(number));
        }
        std::sort(rows.begin(), rows.end());
        for (std::int64_t row = 0; row < kSize; ++row)
            QCOMPARE(rows[static_cast<std::size_t>(row)], row);
    }

    void everyOrderIsEquallyLikely()
    {
        // 24 orders of 4 rows over 24,000 epochs: 1,000 each, standard deviation 31.
        std::array<int, 256> seen {};
        EpochSampler sampler(4, 9);
        for (std::int64_t epoch = 0; epoch < 24'000; ++epoch) {
            const auto rows = epochOf(sampler, epoch);
            ++seen[static_cast<std::size_t>(rows[0] * 64 + rows[1] * 16 + rows[2] * 4 + rows[3])];
        }
        QCOMPARE(std::count_if(seen.begin(), seen.end(), [](int n) { return n > 0; }), 24);
        for (const int times : seen)
            QVERIFY2(times == 0 || (times > 840 && times < 1160), qPrintable(QString::number(times)));
    }

    void noDataIsRejected()
    {
        QVERIFY_THROWS_EXCEPTION(engine::EngineError, EpochSampler(0, 1));
    }
};

QTEST_GUILESS_MAIN(EpochSamplerTest)
#include "tst_epoch_sampler.moc"
