// Collectives of numbers, tensors and trees of them over real ranks give the results computed by hand.
#include <ATen/ATen.h>

#include "engine/comm/data_collectives.h"
#include "tests/engine/comm/forked_ranks.h"
#include "tests/engine/cpu.h"

#include <QtTest>

#include <limits>
#include <vector>

using engine::DataTree;
using engine::Exchange;
using engine::ReduceOp;
using tests::kCpu;
using Branches = std::map<std::string, DataTree>;

namespace {

constexpr int kRanks = 3;

/// The data of one rank: a number, a matrix and, one level down, integers. The values differ between ranks.
DataTree dataOf(int rank)
{
    return Branches {{"number", 10.0 * rank}, {"matrix", at::full({2, 3}, -1.0 * rank)},
        {"inside", Branches {{"count", at::tensor({rank, 7 - rank}, at::kLong)}}}};
}

}  // namespace

class DataCollectivesTest : public QObject {
    Q_OBJECT

    static std::vector<int> run(Exchange exchange, const std::function<bool(engine::Group&)>& body)
    {
        return tests::runRanks({.world = kRanks, .shard = kRanks}, exchange,
            [&](engine::Mesh& mesh) { return body(mesh.world()); });
    }
    static void addExchanges()
    {
        QTest::addColumn<Exchange>("exchange");
        QTest::newRow("shared memory") << Exchange::SharedMemory;
        QTest::newRow("Gloo") << Exchange::Gloo;
    }

private Q_SLOTS:
    void sumsAreTakenLeafByLeaf_E209_data() { addExchanges(); }
    void sumsAreTakenLeafByLeaf_E209()
    {
        QFETCH(Exchange, exchange);
        const auto codes = run(exchange, [](engine::Group& group) {
            const DataTree mine = dataOf(group.rank());
            const DataTree sum = engine::allReduced(group, mine, ReduceOp::Sum, kCpu);
            return sum.at("number").number() == 30 && sum.at("matrix").tensor().equal(at::full({2, 3}, -3.0))
                && sum.at("inside").at("count").tensor().equal(at::tensor({3, 18}, at::kLong))
                && mine.at("matrix").tensor().equal(at::full({2, 3}, -1.0 * group.rank()));
        });
        QCOMPARE(codes, std::vector<int>(kRanks, 0));
    }

    void theGreatestIsThatOfAnyRank_E209_data() { addExchanges(); }
    void theGreatestIsThatOfAnyRank_E209()
    {
        QFETCH(Exchange, exchange);
        const auto codes = run(exchange, [](engine::Group& group) {
            const DataTree most = engine::allReduced(group, dataOf(group.rank()), ReduceOp::Max, kCpu);
            return most.at("number").number() == 20 && most.at("matrix").tensor().equal(at::zeros({2, 3}))
                && most.at("inside").at("count").tensor().equal(at::tensor({2, 7}, at::kLong));
        });
        QCOMPARE(codes, std::vector<int>(kRanks, 0));
    }

    void aMeanDividesBeforeItAdds_E209()
    {
        const auto codes = run(Exchange::SharedMemory, [](engine::Group& group) {
            // The sum of these would not be finite.
            const double large = std::numeric_limits<double>::max() / 2;
            const DataTree mean = engine::allReduced(group,
                Branches {{"number", large}, {"values", at::tensor({3.0 * group.rank(), 6.0})}}, ReduceOp::Mean, kCpu);
            return std::abs(mean.at("number").number() / large - 1) < 1e-12
                && mean.at("values").tensor().allclose(at::tensor({3.0, 6.0}));
        });
        QCOMPARE(codes, std::vector<int>(kRanks, 0));
    }

    void gathersStandInTheOrderOfRanks_E210_data() { addExchanges(); }
    void gathersStandInTheOrderOfRanks_E210()
    {
        QFETCH(Exchange, exchange);
        const auto codes = run(exchange, [](engine::Group& group) {
            DataTree mine = dataOf(group.rank());
            std::get<Branches>(mine)["flags"] = at::full({1}, group.rank() == 1, at::kBool);
            std::get<Branches>(mine)["half"] = at::full({1, 2}, group.rank(), at::kBFloat16);
            std::get<Branches>(mine)["none"] = at::zeros({0, 4});
            const DataTree all = engine::allGathered(group, mine, kCpu);
            at::Tensor matrices = at::cat({at::full({2, 3}, -0.0), at::full({2, 3}, -1.0), at::full({2, 3}, -2.0)});
            return all.at("number").tensor().equal(at::tensor({0.0, 10.0, 20.0}, at::kDouble))
                && all.at("matrix").tensor().equal(matrices)
                && all.at("inside").at("count").tensor().equal(at::tensor({0, 7, 1, 6, 2, 5}, at::kLong))
                && all.at("flags").tensor().equal(at::tensor({0, 1, 0}, at::kLong).to(at::kBool))
                && all.at("half").tensor().equal(at::tensor({0, 0, 1, 1, 2, 2}).to(at::kBFloat16).view({3, 2}))
                && all.at("none").tensor().sizes() == at::IntArrayRef({0, 4});
        });
        QCOMPARE(codes, std::vector<int>(kRanks, 0));
    }

    void oneRankIsItsOwnSum_E209_E210()
    {
        engine::LoneGroup group;
        const DataTree data = dataOf(2);
        for (const ReduceOp op : {ReduceOp::Sum, ReduceOp::Mean, ReduceOp::Max}) {
            const DataTree result = engine::allReduced(group, Branches {{"x", 4.5}, {"y", at::ones({2})}}, op, kCpu);
            QCOMPARE(result.at("x").number(), 4.5);
            QVERIFY(result.at("y").tensor().equal(at::ones({2})));
        }
        QVERIFY(engine::allGathered(group, data, kCpu).at("matrix").tensor().equal(at::full({2, 3}, -2.0)));
    }
};

QTEST_GUILESS_MAIN(DataCollectivesTest)
#include "tst_data_collectives.moc"
