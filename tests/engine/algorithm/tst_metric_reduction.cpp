// Metrics that real ranks reduce equal those computed by hand.
#include <ATen/ATen.h>

#include "engine/algorithm/metric_reduction.h"
#include "tests/engine/comm/forked_ranks.h"
#include "tests/engine/cpu.h"

#include <QtTest>

#include <cmath>
#include <limits>

using engine::Aggregation;
using engine::Metric;
using tests::kCpu;
using Metrics = std::map<std::string, Metric>;

namespace {

constexpr int kRanks = 2;
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

std::vector<int> run(const std::function<bool(engine::Group&)>& body)
{
    return tests::runRanks({.world = kRanks, .shard = kRanks}, engine::Exchange::SharedMemory,
        [&](engine::Mesh& mesh) { return body(mesh.data()); });
}

/// Whether both ranks get @p expected from their @p values of a metric.
bool reducesTo(const std::string& name, std::optional<Aggregation> aggregation,
    const std::vector<std::vector<double>>& values, double expected)
{
    const auto codes = run([&](engine::Group& group) {
        const Metrics metrics {{"another", {{1, 2, 3}, Aggregation::Sum}},
            {name, {values[static_cast<std::size_t>(group.rank())], aggregation}}};
        const auto reduced = engine::reduceMetrics(metrics, group, kCpu);
        const double number = reduced.at(name);
        return reduced.at("another") == 6
            && (std::isnan(expected) ? std::isnan(number) : std::abs(number - expected) < 1e-12);
    });
    return codes == std::vector<int>(kRanks, 0);
}

}  // namespace

class MetricReductionTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void ranksAreAveragedBeforeValuesAggregate_data()
    {
        QTest::addColumn<Aggregation>("aggregation");
        QTest::addColumn<double>("expected");
        QTest::newRow("E-161 mean") << Aggregation::Mean << 4.5;
        QTest::newRow("E-161 sum, as of a loss") << Aggregation::Sum << 9.0;  // (1 + 5)/2 + (2 + 10)/2
        QTest::newRow("E-161 min") << Aggregation::Min << 1.0;
        QTest::newRow("E-161 max") << Aggregation::Max << 10.0;
    }
    void ranksAreAveragedBeforeValuesAggregate()
    {
        QFETCH(Aggregation, aggregation);
        QFETCH(double, expected);
        QVERIFY(reducesTo("loss", aggregation, {{1, 2}, {5, 10}}, expected));
    }

    void theNameDecidesWhereNothingElseDoes_data()
    {
        QTest::addColumn<QByteArray>("name");
        QTest::addColumn<double>("expected");
        QTest::newRow("E-161 max") << QByteArray("ratio_max") << 10.0;
        QTest::newRow("E-161 min") << QByteArray("ratio/min") << 1.0;
        QTest::newRow("E-161 both") << QByteArray("max_of_min") << 10.0;
        QTest::newRow("E-161 neither") << QByteArray("ratio_mean") << 4.5;
    }
    void theNameDecidesWhereNothingElseDoes()
    {
        QFETCH(QByteArray, name);
        QFETCH(double, expected);
        QVERIFY(reducesTo(name.toStdString(), {}, {{1, 2}, {5, 10}}, expected));
    }

    void equalNumbersOfAllRanksComeBackAsTheyAre_E161()
    {
        QVERIFY(reducesTo("lr", {}, {{1e-4}, {1e-4}}, 1e-4));
        QVERIFY(reducesTo("grad_norm", {}, {{0.7, 0.3}, {0.7, 0.3}}, 0.5));
    }

    void normsOfSkippedStepsAreLeftOut_E161_E172()
    {
        const double infinite = std::numeric_limits<double>::infinity();
        QVERIFY(reducesTo("grad_norm", {}, {{0.5, kNan, infinite, 1.5}, {0.5, kNan, infinite, 1.5}}, 1.0));
        QVERIFY(reducesTo("grad_norm", {}, {{kNan}, {kNan}}, kNan));
        QVERIFY(reducesTo("loss", {}, {{1, kNan}, {1, 2}}, kNan));  // nothing else is hidden
    }

    void unequalCountsAreRefusedOnEveryRank_E161()
    {
        const auto codes = run([](engine::Group& group) {
            const Metrics metrics {{"a", {{1, 2}, {}}}, {"b", {std::vector<double>(group.rank() == 0 ? 3 : 1), {}}}};
            try {
                engine::reduceMetrics(metrics, group, kCpu);
            } catch (const std::invalid_argument& error) {
                const QByteArray message = error.what();
                return message.contains("between 1 and 3 values") && message.contains("\"b\"");
            }
            return false;
        });
        QCOMPARE(codes, std::vector<int>(kRanks, 0));
    }

    void otherNamesAreRefusedOnEveryRank_data()
    {
        QTest::addColumn<QByteArray>("first");
        QTest::addColumn<QByteArray>("second");
        QTest::newRow("E-161 another") << QByteArray("a") << QByteArray("b");
        QTest::newRow("E-161 one more") << QByteArray("") << QByteArray("b");
    }
    void otherNamesAreRefusedOnEveryRank()
    {
        QFETCH(QByteArray, first);
        QFETCH(QByteArray, second);
        const auto codes = run([&](engine::Group& group) {
            Metrics metrics {{"loss", {{1}, {}}}};
            if (const std::string name = (group.rank() == 0 ? first : second).toStdString(); !name.empty())
                metrics[name] = {{1}, {}};
            try {
                engine::reduceMetrics(metrics, group, kCpu);
            } catch (const std::invalid_argument& error) {
                return QByteArray(error.what()).contains("different metrics");
            }
            return false;
        });
        QCOMPARE(codes, std::vector<int>(kRanks, 0));
    }
};

QTEST_GUILESS_MAIN(MetricReductionTest)
#include "tst_metric_reduction.moc"
