// Draws depend on key and index alone, and look like what they claim to be.
#include "engine/shard/random.h"

#include <QtTest>

#include <cmath>
#include <numbers>
#include <numeric>

using engine::RandomKey;

class RandomTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void anyPartOfAStreamIsThatPart()
    {
        const RandomKey key {.seed = 7, .purpose = "weights/a", .step = 3, .row = 2};
        std::vector<float> whole(1000);
        engine::fillNormal(whole, key);
        for (const auto& [first, count] : {std::pair {0, 3}, {1, 3}, {2, 3}, {3, 3}, {4, 996}, {131, 500}, {997, 3}}) {
            std::vector<float> part(static_cast<std::size_t>(count));
            engine::fillNormal(part, key, static_cast<std::uint64_t>(first));
            QVERIFY(std::equal(part.begin(), part.end(), whole.begin() + first));
        }
    }

    void everyPartOfTheKeyMatters()
    {
        const RandomKey base {.seed = 1, .purpose = "noise", .step = 1, .row = 1};
        const RandomKey others[] = {{2, "noise", 1, 1}, {1, "sigma", 1, 1}, {1, "noise", 2, 1},
            {1, "noise", 1, 2}, {1, "noise", 2, 0}};
        std::vector<float> first(8);
        engine::fillUniform(first, base);
        for (const RandomKey& key : others) {
            std::vector<float> second(8);
            engine::fillUniform(second, key);
            QVERIFY(first != second);
        }
    }

    // Box and Muller, "A note on the generation of random normal deviates" (1958): each pair of a pair of uniform numbers.
    void normalNumbersAreThoseOfTheUniformOnes()
    {
        const RandomKey key {.seed = 11, .purpose = "noise", .step = 5, .row = 1};
        std::vector<float> uniform(100000), normal(uniform.size());
        engine::fillUniform(uniform, key);
        engine::fillNormal(normal, key);
        for (std::size_t i = 0; i < uniform.size(); i += 2) {
            const double radius = std::sqrt(-2 * std::log(1.0 - uniform[i]));
            const double angle = 2 * std::numbers::pi * uniform[i + 1];
            QVERIFY(std::abs(normal[i] - radius * std::cos(angle)) < 1e-6);
            QVERIFY(std::abs(normal[i + 1] - radius * std::sin(angle)) < 1e-6);
        }
    }

    void momentsAreThoseOfTheDistribution()
    {
        std::vector<float> values(200000);
        const auto moment = [&](int power) {
            return std::accumulate(values.begin(), values.end(), 0.0,
                       [&](double sum, float v) { return sum + std::pow(v, power); })
                / static_cast<double>(values.size());
        };
        engine::fillNormal(values, {.seed = 5, .purpose = "moments"});
        QVERIFY(std::abs(moment(1)) < 0.01);      // σ of the mean: 0.0022
        QVERIFY(std::abs(moment(2) - 1) < 0.015);
        QVERIFY(std::abs(moment(4) - 3) < 0.1);
        engine::fillUniform(values, {.seed = 5, .purpose = "moments"});
        QVERIFY(std::abs(moment(1) - 0.5) < 0.004);
        QVERIFY(std::abs(moment(2) - 1.0 / 3) < 0.004);
        QVERIFY(std::ranges::all_of(values, [](float v) { return v >= 0 && v < 1; }));
    }
};

QTEST_GUILESS_MAIN(RandomTest)
#include "tst_random.moc"
