// Each epoch of an update uses every row once, in mini-batches that match on all data ranks.
#include "engine/algorithm/mini_batches.h"
#include "engine/comm/errors.h"

#include <QtTest>

#include <algorithm>
#include <numeric>
#include <set>

using engine::MiniBatches;
using engine::MiniBatchOptions;
using Rows = std::vector<std::int64_t>;

namespace {

std::vector<Rows> allOf(MiniBatches batches)
{
    std::vector<Rows> all;
    while (const auto batch = batches.next())
        all.push_back(batch->rows);
    return all;
}

Rows joined(const std::vector<Rows>& batches, std::size_t first, std::size_t count)
{
    Rows rows;
    for (std::size_t i = first; i < first + count; ++i)
        rows.insert(rows.end(), batches[i].begin(), batches[i].end());
    return rows;
}

QByteArray refusal(const MiniBatchOptions& options, std::int64_t rows, int ranks)
{
    try {
        MiniBatches(options, rows, 0, ranks);
    } catch (const engine::EngineError& error) {
        return error.what();
    }
    return {};
}

}  // namespace

class MiniBatchesTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void ranksShareAGlobalMiniBatchEqually_E160()
    {
        // 24 rows of 3 ranks, 12 in a mini-batch: a rank has 8 rows and takes 4 at a time.
        MiniBatches batches({.miniBatch = 12}, 8, 1, 3);
        QCOMPARE(batches.size(), 4);
        QCOMPARE(batches.count(), 2);
        QCOMPARE(allOf(batches), (std::vector<Rows> {{0, 1, 2, 3}, {4, 5, 6, 7}}));
    }

    void theirNumberWillDoAsWell_E160()
    {
        QCOMPARE(allOf(MiniBatches({.miniBatches = 4}, 8, 1, 3)), (std::vector<Rows> {{0, 1}, {2, 3}, {4, 5}, {6, 7}}));
    }

    void everyEpochIsShuffledAnew_E160()
    {
        const auto all = allOf(MiniBatches({.miniBatch = 20, .epochs = 2, .shuffles = true}, 100, 0, 1));
        QCOMPARE(all.size(), std::size_t {10});
        const Rows first = joined(all, 0, 5), second = joined(all, 5, 5);
        Rows inOrder(100);
        std::iota(inOrder.begin(), inOrder.end(), 0);
        QVERIFY(first != inOrder && second != inOrder && first != second);
        for (Rows epoch : {first, second}) {
            std::ranges::sort(epoch);
            QCOMPARE(epoch, inOrder);
        }
    }

    void theSeedAndTheRankDecideTheOrder_E160()
    {
        const auto orderOf = [](std::uint64_t seed, int rank) {
            return allOf(MiniBatches({.miniBatch = 80, .seed = seed, .shuffles = true}, 100, rank, 4));
        };
        QCOMPARE(orderOf(42, 1), orderOf(42, 1));
        std::set<std::vector<Rows>> orders;
        for (const int rank : {0, 1, 2, 3})
            orders.insert(orderOf(42, rank));
        orders.insert(orderOf(50, 0));
        QCOMPARE(orders.size(), std::size_t {5});
    }

    void onlyTheVeryLastOneMovesTheLearningRate_E160()
    {
        MiniBatches batches({.miniBatches = 3, .epochs = 2}, 6, 0, 1);
        std::vector<bool> isLast;
        while (const auto batch = batches.next())
            isLast.push_back(batch->isLast);
        QCOMPARE(isLast, (std::vector<bool> {false, false, false, false, false, true}));
        QVERIFY(!batches.next());
    }

    void whatDoesNotDivideIsRefused_E160()
    {
        QCOMPARE(refusal({.miniBatch = 10}, 12, 3),
            QByteArray("the rows of a mini-batch (10) cannot be divided by the data ranks (3)"));
        QCOMPARE(refusal({.miniBatch = 15}, 12, 3),
            QByteArray("the rows of a rank (12) cannot be divided by its part of a mini-batch (5)"));
        QCOMPARE(refusal({.miniBatches = 5}, 12, 3),
            QByteArray("the rows of a rank (12) cannot be divided by the number of mini-batches (5)"));
        QVERIFY(refusal({.miniBatch = -3}, 12, 3).contains("(-3)"));
        QVERIFY(refusal({}, 12, 3).contains("neither"));
    }
};

QTEST_GUILESS_MAIN(MiniBatchesTest)
#include "tst_mini_batches.moc"
