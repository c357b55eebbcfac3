#include "engine/comm/errors.h"
#include "engine/data/aspect_buckets.h"
#include "engine/data/bucket_sampler.h"

#include <QtTest>

#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <stdexcept>

using engine::aspectBuckets;
using engine::BucketSampler;
using engine::ImageSize;

namespace {

QString shown(const std::vector<ImageSize>& sizes)
{
    QStringList parts;
    for (const ImageSize size : sizes)
        parts += QString("%1x%2").arg(size.width).arg(size.height);
    return parts.join(' ');
}

std::vector<std::vector<std::int64_t>> bucketsOf(const std::vector<std::int64_t>& sizes)
{
    std::vector<std::vector<std::int64_t>> buckets;
    std::int64_t row = 0;
    for (const std::int64_t size : sizes) {
        buckets.emplace_back();
        for (std::int64_t index = 0; index < size; ++index)
            buckets.back().push_back(row++);
    }
    return buckets;
}

}  // namespace

class BucketsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void sizesHaveTheAreaTheStepAndTheRatio_data()
    {
        QTest::addColumn<int>("resolution");
        QTest::addColumn<int>("step");
        QTest::addColumn<double>("ratio");
        QTest::addColumn<QString>("sizes");
        QTest::newRow("the square alone") << 512 << 64 << 1.0 << "512x512";
        QTest::newRow("256") << 256 << 64 << 2.0 << "192x320 256x256 320x192";
        QTest::newRow("512") << 512 << 64 << 2.0
                             << "384x640 448x576 512x512 576x448 640x384";
        QTest::newRow("step above the ratio") << 128 << 64 << 1.5 << "128x128";
    }
    void sizesHaveTheAreaTheStepAndTheRatio()
    {
        QFETCH(int, resolution);
        QFETCH(int, step);
        QFETCH(double, ratio);
        QFETCH(QString, sizes);
        const auto buckets = aspectBuckets(resolution, step, ratio);
        QCOMPARE(shown(buckets), sizes);
        for (const ImageSize size : buckets) {
            QCOMPARE(size.width % step + size.height % step, 0);
            QVERIFY(size.width * size.height <= resolution * resolution);
            QVERIFY(size.width * (size.height + step) > resolution * resolution);
            QVERIFY(std::max(size.width, size.height) <= ratio * std::min(size.width, size.height));
        }
    }

    void impossibleBucketsAreRefused()
    {
        using Wrong = std::invalid_argument;
        QVERIFY_THROWS_EXCEPTION(Wrong, aspectBuckets(500, 64, 2));
        QVERIFY_THROWS_EXCEPTION(Wrong, aspectBuckets(512, 0, 2));
        QVERIFY_THROWS_EXCEPTION(Wrong, aspectBuckets(512, 64, 0.5));
        QVERIFY_THROWS_EXCEPTION(Wrong, aspectBuckets(512, 64, std::nan("")));
        QVERIFY(!aspectBuckets(512, 64, std::numeric_limits<double>::infinity()).empty());
    }

    void nearestShapeWins()
    {
        const auto buckets = aspectBuckets(256, 64, 2.0);
        QCOMPARE(nearestBucket(buckets, {1000, 1000}), std::size_t {1});
        QCOMPARE(nearestBucket(buckets, {1, 65535}), std::size_t {0});
        QCOMPARE(nearestBucket(buckets, {3000, 2000}), std::size_t {2});
        // Emoji strikes of 136 × 128 are nearest to a square.
        QCOMPARE(nearestBucket(buckets, {136, 128}), std::size_t {1});
    }

    void theMiddleIsCutOut()
    {
        const engine::Crop wide = engine::cropTo({256, 256}, {400, 200});
        QVERIFY(wide.left == 100 && wide.top == 0 && wide.width == 200 && wide.height == 200);
        const engine::Crop tall = engine::cropTo({320, 192}, {500, 901});
        QVERIFY(tall.left == 0 && tall.top == 300 && tall.width == 500 && tall.height == 300);
        const engine::Crop line = engine::cropTo({320, 192}, {1, 65535});
        QVERIFY(line.width == 1 && line.height == 1);
    }

    void everyBatchHasOneSizeAndEveryRowItsTurn_data()
    {
        QTest::addColumn<int>("batch");
        QTest::newRow("batch of 1") << 1;
        QTest::newRow("batch of 4") << 4;
        QTest::newRow("batch of 7") << 7;
        QTest::newRow("batch larger than the smallest bucket") << 30;
        QTest::newRow("batch larger than all the data") << 200;
    }
    void everyBatchHasOneSizeAndEveryRowItsTurn()
    {
        QFETCH(int, batch);
        const std::vector<std::int64_t> sizes = {40, 3, 0, 21};
        const auto buckets = bucketsOf(sizes);
        const auto bucketOf = [](std::int64_t row) { return row < 40 ? 0 : row < 43 ? 1 : 2; };
        BucketSampler sampler(buckets, batch, 5);
        QCOMPARE(sampler.size(), std::int64_t {64});

        // After as many epochs as the batch has samples every bucket has come out even: each row `batch` times.
        std::map<std::int64_t, int> seen;
        for (std::int64_t sample = 0; sample < 64 * batch; sample += batch) {
            std::set<int> bucketsSeen;
            std::map<std::int64_t, int> inBatch;
            for (int place = 0; place < batch; ++place) {
                const std::int64_t row = sampler.index(sample, place);
                bucketsSeen.insert(bucketOf(row));
                ++inBatch[row];
                ++seen[row];
            }
            QCOMPARE(bucketsSeen.size(), std::size_t {1});
        }
        QCOMPARE(seen.size(), std::size_t {64});
        for (const auto& [row, times] : seen)
            QVERIFY2(times == batch, QByteArray::number(static_cast<qlonglong>(row)));
    }

    void aStepAfterAResumeWithAnotherBatchHasOneSize_data()
    {
        QTest::addColumn<int>("seen");
        QTest::addColumn<int>("batch");
        QTest::newRow("defect-4: 6 samples seen, batches of 4") << 6 << 4;
        QTest::newRow("defect-4: 35 samples seen, batches of 8") << 35 << 8;
        QTest::newRow("defect-4: 100 samples seen, batches of 3") << 100 << 3;
    }
    void aStepAfterAResumeWithAnotherBatchHasOneSize()
    {
        QFETCH(int, seen);
        QFETCH(int, batch);
        BucketSampler sampler(bucketsOf({40, 24}), batch, 5);
        std::map<std::int64_t, int> times;
        for (std::int64_t step = 0; step < 64; ++step) {  // as many epochs as the batch has samples
            std::set<bool> buckets;
            for (int place = 0; place < batch; ++place) {
                const std::int64_t row = sampler.index(seen + step * batch, place);
                buckets.insert(row < 40);
                ++times[row];
            }
            QCOMPARE(buckets.size(), std::size_t {1});
        }
        QCOMPARE(times.size(), std::size_t {64});
        for (const auto& [row, count] : times)
            QVERIFY2(std::abs(count - batch) <= 1, QByteArray::number(static_cast<qlonglong>(row)));
    }

    void orderDependsOnTheSeedTheEpochAndNothingElse()
    {
        const auto buckets = bucketsOf({40, 24});
        const auto order = [&](std::uint64_t seed, std::int64_t begin) {
            BucketSampler sampler(buckets, 8, seed);
            std::vector<std::int64_t> rows;
            for (std::int64_t sample = begin; sample < begin + 64; ++sample)
                rows.push_back(sampler.index(sample / 8 * 8, sample % 8));
            return rows;
        };
        const auto first = order(1, 0);
        QVERIFY(order(1, 0) == first);
        QVERIFY(order(2, 0) != first);
        QVERIFY(order(1, 64) != first);
        // A sampler that starts in the middle, or jumps back, gives what one that came there gives.
        BucketSampler jumping(buckets, 8, 1);
        const auto later = order(1, 640);
        QCOMPARE(jumping.index(640, 5), later[5]);
        QCOMPARE(jumping.index(0, 3), first[3]);
        QCOMPARE(jumping.index(696, 4), later[60]);
    }

    void bucketsOfEqualSizeAreShuffledEachInItsWay()
    {
        BucketSampler sampler(bucketsOf({64, 64}), 64, 3);
        std::vector<std::int64_t> rows[2];
        for (std::int64_t sample = 0; sample < 128; ++sample) {
            const std::int64_t row = sampler.index(sample / 64 * 64, sample % 64);
            rows[row / 64].push_back(row % 64);
        }
        QCOMPARE(rows[0].size(), std::size_t {64});
        QVERIFY(rows[0] != rows[1]);
    }

    void nothingIsRefused()
    {
        QVERIFY_THROWS_EXCEPTION(engine::EngineError, BucketSampler(bucketsOf({}), 4, 0));
        QVERIFY_THROWS_EXCEPTION(engine::EngineError, BucketSampler(bucketsOf({0, 0}), 4, 0));
        QVERIFY_THROWS_EXCEPTION(std::invalid_argument, BucketSampler(bucketsOf({1}), 0, 0));
    }
};

QTEST_GUILESS_MAIN(BucketsTest)
#include "tst_buckets.moc"
