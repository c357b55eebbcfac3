// Every element is owned exactly once, and what the planner promises about rows and small tensors holds.
#include "engine/shard/flat_layout.h"

#include <QtTest>

#include <numeric>

using engine::FlatLayout;
using engine::LayoutTensor;

namespace {

/// A transformer block of that width: five linears with their biases.
std::vector<LayoutTensor> block(std::int64_t width)
{
    std::vector<LayoutTensor> tensors;
    const auto linear = [&](std::int64_t out, std::int64_t in) {
        tensors.push_back({out * in, in, true});
        tensors.push_back({out, 1, false});
    };
    linear(6 * width, width);
    linear(3 * width, width);
    linear(width, width);
    linear(4 * width, width);
    linear(width, 4 * width);
    return tensors;
}

}  // namespace

class FlatLayoutTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void everyElementIsOwnedOnce_data()
    {
        QTest::addColumn<std::vector<LayoutTensor>>("tensors");
        QTest::addColumn<int>("worldSize");
        for (const int worldSize : {1, 2, 3, 4, 7, 64}) {
            QTest::addRow("block of 128 on %d", worldSize) << block(128) << worldSize;
            QTest::addRow("block of 1536 on %d", worldSize) << block(1536) << worldSize;
            QTest::addRow("one element on %d", worldSize)
                << std::vector<LayoutTensor> {{1, 1, false}} << worldSize;
            QTest::addRow("rows of no common length on %d", worldSize)
                << std::vector<LayoutTensor> {{1009 * 13, 1009, true}, {997 * 11, 997, true}} << worldSize;
        }
    }
    void everyElementIsOwnedOnce()
    {
        QFETCH(std::vector<LayoutTensor>, tensors);
        QFETCH(int, worldSize);
        const FlatLayout layout = engine::planLayout(tensors, worldSize);
        std::vector<std::int64_t> owned(tensors.size());  // of each tensor's elements, by the ranks so far
        for (int rank = 0; rank < worldSize; ++rank) {
            std::int64_t end = 0;
            for (const auto& piece : layout.pieces(tensors, rank)) {
                QVERIFY(piece.shardBegin >= end);
                end = piece.shardBegin + piece.count;
                QVERIFY(end <= layout.shardLength);
                QCOMPARE(layout.offsets[piece.tensor] + piece.tensorBegin,
                    rank * layout.shardLength + piece.shardBegin);
                const bool isBeforeTheEnd = piece.shardBegin < layout.decayedCount(rank);
                QCOMPARE(isBeforeTheEnd, tensors[piece.tensor].isDecayed);
                QCOMPARE(piece.tensorBegin, owned[piece.tensor]);
                QVERIFY(piece.count > 0);
                owned[piece.tensor] += piece.count;
            }
        }
        for (std::size_t i = 0; i < tensors.size(); ++i)
            QCOMPARE(owned[i], tensors[i].elements);
    }

    void boundariesFallBetweenRowsAndSmallTensorsStayWhole()
    {
        for (const int worldSize : {2, 3, 4, 8}) {
            const auto tensors = block(128);
            const FlatLayout layout = engine::planLayout(tensors, worldSize);
            for (int rank = 0; rank < worldSize; ++rank) {
                for (const auto& piece : layout.pieces(tensors, rank)) {
                    const LayoutTensor& tensor = tensors[piece.tensor];
                    QCOMPARE(piece.tensorBegin % tensor.rowLength, 0);
                    if (tensor.elements < 1024)
                        QCOMPARE(piece.count, tensor.elements);
                }
            }
            const std::int64_t elements = std::accumulate(tensors.begin(), tensors.end(),
                std::int64_t {0}, [](std::int64_t sum, const auto& t) { return sum + t.elements; });
            QVERIFY(layout.length() <= elements + elements / 16 + 16 * worldSize * 11);
        }
    }

    void blocksOfStatesNeverLieOnTwoRanks_data()
    {
        QTest::addColumn<std::int64_t>("width");
        QTest::addColumn<int>("worldSize");
        for (const std::int64_t width : {32, 100, 128, 257}) {
            for (const int worldSize : {1, 2, 3, 4, 7, 64})
                QTest::addRow("E-131 width %d on %d", static_cast<int>(width), worldSize) << width << worldSize;
        }
    }
    void blocksOfStatesNeverLieOnTwoRanks()
    {
        QFETCH(std::int64_t, width);
        QFETCH(int, worldSize);
        auto tensors = block(width);
        for (LayoutTensor& tensor : tensors)
            tensor.block = tensor.elements >= 4096 ? 256 : 1;
        const FlatLayout layout = engine::planLayout(tensors, worldSize);
        std::vector<std::int64_t> covered(tensors.size());
        for (int rank = 0; rank < worldSize; ++rank) {
            for (const auto& piece : layout.pieces(tensors, rank)) {
                QCOMPARE(piece.tensorBegin % tensors[piece.tensor].block, 0);
                covered[piece.tensor] += piece.count;
            }
        }
        for (std::size_t i = 0; i < tensors.size(); ++i)
            QCOMPARE(covered[i], tensors[i].elements);
    }

    void badSizesAreRefused()
    {
        QVERIFY_THROWS_EXCEPTION(std::invalid_argument, engine::planLayout({{10, 1, true, 0}}, 2));
        QVERIFY_THROWS_EXCEPTION(std::invalid_argument, engine::planLayout({}, 2));
        QVERIFY_THROWS_EXCEPTION(std::invalid_argument, engine::planLayout({{10, 1, true}}, 0));
        QVERIFY_THROWS_EXCEPTION(std::invalid_argument, engine::planLayout({{10, 3, true}}, 2));
        QVERIFY_THROWS_EXCEPTION(std::invalid_argument, engine::planLayout({{0, 1, true}}, 2));
    }
};

QTEST_GUILESS_MAIN(FlatLayoutTest)
#include "tst_flat_layout.moc"
