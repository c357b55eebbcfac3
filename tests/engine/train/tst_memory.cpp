// What a rank says of its memory.
#include "engine/train/memory.h"

#include <QtTest>

#include <cstring>
#include <memory>

class MemoryTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void amountsAreDecimalGigabytes_data()
    {
        QTest::addColumn<bool>("hasGpu");
        QTest::addColumn<QString>("said");
        QTest::newRow("E-204 CPU") << false << "1.23 GB allocated, 4.57 GB resident";
        QTest::newRow("E-203 GPU") << true << "1.23 GB allocated, 2.00 GB reserved, 3.10 of 80.00 GB used on the device";
    }
    void amountsAreDecimalGigabytes()
    {
        QFETCH(bool, hasGpu);
        const engine::MemoryReading reading {.residentBytes = 4'567'000'000, .allocatedBytes = 1'234'567'890,
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
        QSKIP("a sanitizer's allocator does not tell what it holds");
#endif
        QFETCH(int, megabytes);
        const std::size_t each = static_cast<std::size_t>(megabytes) * 1'000'000, count = 100 / static_cast<std::size_t>(megabytes);
        const auto before = engine::readMemory(nullptr);
        std::vector<std::unique_ptr<char[]>> pieces;
        for (std::size_t i = 0; i < count; ++i) {
            pieces.push_back(std::make_unique<char[]>(each));
            std::memset(pieces.back().get(), 1, each);
        }
        const auto with = engine::readMemory(nullptr);
        pieces.clear();
        const auto after = engine::readMemory(nullptr);
        const auto grew = [](std::int64_t from, std::int64_t to) { return to - from > 95'000'000 && to - from < 110'000'000; };
        QVERIFY(grew(before.allocatedBytes, with.allocatedBytes));
        QVERIFY(grew(before.residentBytes, with.residentBytes));
        QVERIFY(grew(after.allocatedBytes, with.allocatedBytes));
        QVERIFY(after.peakBytes >= with.residentBytes - 5'000'000);  // the kernel counts pages in batches
    }
};

QTEST_APPLESS_MAIN(MemoryTest)
#include "tst_memory.moc"
