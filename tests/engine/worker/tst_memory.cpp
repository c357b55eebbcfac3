// What a rank reports about its memory.
#include "engine/worker/memory.h"

#include "engine/contract/formats/safetensors.h"

#include <QTemporaryDir>
#include <QtTest>

#include <cstddef>
#include <cstring>
#include <filesystem>
#include <memory>
#include <numeric>
#include <vector>

class MemoryTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void amountsAreDecimalGigabytes_data()
    {
        QTest::addColumn<bool>("hasGpu");
        QTest::addColumn<QString>("said");
        QTest::newRow("E-204 CPU") << false << "1.23 GB allocated, 4.57 GB resident, 0.25 GB of files mapped";
        QTest::newRow("E-203 GPU") << true << "1.23 GB allocated, 2.00 GB reserved, 3.10 of 80.00 GB used on the device";
    }
    void amountsAreDecimalGigabytes()
    {
        QFETCH(bool, hasGpu);
        const engine::MemoryReading reading {.residentBytes = 4'567'000'000, .mappedBytes = 250'000'000, .allocatedBytes = 1'234'567'890,
            .reservedBytes = 1'999'999'999, .driverUsedBytes = 3'100'000'000, .driverTotalBytes = 80'000'000'000};
        QTEST(QString::fromStdString(engine::describe(reading, hasGpu)), "said");
    }

    void readingsFollowWhatIsAllocated_data()
    {
        QTest::addColumn<int>("megabytes");
        QTest::newRow("E-203 a few pieces") << 1;
        QTest::newRow("E-203 one large piece") << 100;
    }
    void readingsFollowWhatIsAllocated()
    {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
        QSKIP("a sanitizer's allocator does not report how much memory it holds");
#endif
        QFETCH(int, megabytes);
        const std::size_t each = static_cast<std::size_t>(megabytes) * 1'000'000, count = 100 / static_cast<std::size_t>(megabytes);
        engine::MemoryMeter meter;
        const auto before = meter.read();
        std::vector<std::unique_ptr<char[]>> pieces;
        for (std::size_t i = 0; i < count; ++i) {
            pieces.push_back(std::make_unique<char[]>(each));
            std::memset(pieces.back().get(), 1, each);
        }
        const auto with = meter.read();
        pieces.clear();
        const auto after = meter.read();
        const auto grew = [](std::int64_t from, std::int64_t to) { return to - from > 95'000'000 && to - from < 110'000'000; };
        QVERIFY(grew(before.allocatedBytes, with.allocatedBytes));
        QVERIFY(grew(before.residentBytes, with.residentBytes));
        QVERIFY(grew(after.allocatedBytes, with.allocatedBytes));
        QVERIFY(after.peakBytes >= with.residentBytes - 5'000'000);  // the kernel counts pages in batches
    }

    void mappedFilesAreNoNeedOfTheProcess_data()
    {
        QTest::addColumn<int>("megabytes");
        QTest::newRow("defect-26: weights that are read from their mapping") << 64;
    }
    void mappedFilesAreNoNeedOfTheProcess()
    {
        QFETCH(int, megabytes);
        const std::int64_t bytes = std::int64_t {1'000'000} * megabytes, tolerance = 10'000'000;
        const QTemporaryDir folder;
        const std::filesystem::path path = folder.filePath("model.safetensors").toStdString();
        {
            contract::SafetensorsWriter writer(path, {{"weight", "U8", {bytes}}}, {});
            const std::vector<char> values(static_cast<std::size_t>(bytes), 1);
            writer.write(values.data(), values.size());
            writer.finish();
        }
        engine::MemoryMeter meter;
        meter.releaseMappedFiles();  // the peak of the writing stays, of course
        const auto before = meter.read();
        const contract::SafetensorsFile file(path);
        const auto view = file.view(*file.find("weight"));
        const auto sum = [&] { return std::accumulate(view.begin(), view.end(), std::int64_t {0}, [](std::int64_t all, std::byte each) { return all + static_cast<int>(each); }); };
        QCOMPARE(sum(), bytes);
        const auto with = meter.read();
        QVERIFY(with.mappedBytes - before.mappedBytes > bytes - tolerance);
        QVERIFY(with.residentBytes - before.residentBytes < tolerance);
        QVERIFY(with.peakBytes - before.peakBytes < tolerance);
        meter.releaseMappedFiles();
        const auto after = meter.read();
        QVERIFY(after.mappedBytes - before.mappedBytes < tolerance);
        QVERIFY(after.peakBytes - before.peakBytes < tolerance);
        QCOMPARE(sum(), bytes);  // paged in again

        // A peak between two readings is noticed, although the files have helped to a higher total before.
        meter.releaseMappedFiles();
        const auto quiet = meter.read();
        std::vector<char> large(static_cast<std::size_t>(bytes) * 2, 1);
        QCOMPARE(large.back(), 1);
        std::vector<char>().swap(large);
        QVERIFY(meter.read().peakBytes >= quiet.residentBytes + bytes * 2 - tolerance);
    }
};

QTEST_APPLESS_MAIN(MemoryTest)
#include "tst_memory.moc"
