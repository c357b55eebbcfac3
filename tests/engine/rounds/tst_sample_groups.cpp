// Samples of a prompt come together on one rank, however passes and ranks divide them.
#include "engine/rounds/sample_groups.h"
#include "tests/engine/comm/forked_ranks.h"

#include <ATen/ops/equal.h>
#include <ATen/ops/full.h>
#include <ATen/ops/stack.h>

#include <QtTest>

#include <algorithm>
#include <stdexcept>

using engine::SampleGroup;

namespace {

constexpr std::int64_t kShape[] = {3, 2, 5};

at::Tensor imageOf(std::uint64_t row) { return at::full(kShape, static_cast<double>(row) / 7, at::kFloat); }

/// Draws a round and checks each group that this rank gets. @return their number, -1 for a wrong one
int groupsOf(engine::SampleGroups& groups, engine::Group& ranks, std::int64_t rows, std::int64_t samples, std::int64_t micro)
{
    int count = 0;
    for (std::int64_t first = ranks.rank() * micro; first < rows; first += ranks.size() * micro) {
        std::vector<std::uint64_t> numbers;
        std::vector<std::int64_t> prompts;
        std::vector<at::Tensor> images;
        for (std::int64_t row = first; row < first + micro; ++row) {
            numbers.push_back(static_cast<std::uint64_t>(row));
            prompts.push_back(100 - row / samples);
            images.push_back(imageOf(numbers.back()));
        }
        for (const SampleGroup& group : groups.add(at::stack(images), numbers, prompts)) {
            bool isRight = group.firstRow % samples == 0 && group.prompt == 100 - group.firstRow / samples && group.images.size(0) == samples;
            for (std::int64_t i = 0; isRight && i < samples; ++i)
                isRight = at::equal(group.images[i], imageOf(static_cast<std::uint64_t>(group.firstRow + i)));
            if (!isRight)
                return -1;
            ++count;
        }
    }
    groups.finishRound();
    return count;
}

}  // namespace

class SampleGroupsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void eachGroupComesToOneRank_data()
    {
        QTest::addColumn<int>("ranks");
        QTest::addColumn<int>("rows");
        QTest::addColumn<int>("samples");
        QTest::addColumn<int>("micro");
        QTest::addColumn<QList<int>>("expected");  ///< groups of each rank in a round
        QTest::newRow("one rank") << 1 << 24 << 4 << 6 << QList<int> {6};
        QTest::newRow("whole groups in a pass") << 2 << 48 << 4 << 12 << QList<int> {6, 6};
        QTest::newRow("one pass each") << 4 << 16 << 4 << 4 << QList<int> {1, 1, 1, 1};
        QTest::newRow("parts of groups") << 2 << 32 << 8 << 2 << QList<int> {2, 2};
        QTest::newRow("groups that begin within a pass") << 2 << 24 << 6 << 4 << QList<int> {2, 2};
        QTest::newRow("one group on four ranks") << 4 << 16 << 16 << 2 << QList<int> {1, 0, 0, 0};
        QTest::newRow("more ranks than rows of a group") << 4 << 12 << 3 << 1 << QList<int> {1, 1, 1, 1};
    }
    void eachGroupComesToOneRank()
    {
        QFETCH(int, ranks);
        QFETCH(int, rows);
        QFETCH(int, samples);
        QFETCH(int, micro);
        QFETCH(QList<int>, expected);
        auto codes = tests::runRanks({.world = ranks, .shard = ranks}, engine::Exchange::Automatic, [&](engine::Mesh& mesh) {
            engine::SampleGroups groups(samples, mesh.data(), at::kCPU);
            for (int round = 0; round < 2; ++round) {
                if (groupsOf(groups, mesh.data(), rows, samples, micro) != expected[mesh.data().rank()])
                    return false;
            }
            return true;
        });
        std::erase(codes, 0);
        QVERIFY2(codes.empty(), qPrintable(QString::number(codes.size()) + " ranks"));
    }
};

QTEST_GUILESS_MAIN(SampleGroupsTest)
#include "tst_sample_groups.moc"
