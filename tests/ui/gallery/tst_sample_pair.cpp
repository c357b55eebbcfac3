// M12: what stands beside a sample, how the two differ, and what is said of samples.
#include "tests/ui/gallery/sample_row.h"
#include "ui/gallery/image_difference.h"
#include "ui/gallery/sample_text.h"

#include <QTest>

using namespace ui;

class SamplePairTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aHeaderIsThePromptAndWhatTellsItFromAnother()
    {
        storage::SampleRow other = sample(10, "seven");
        other.seed = 4;
        QCOMPARE(columnHeaders(SampleGrid({sample(10, "seven"), sample(10, "eight"), other})),
            (QStringList {"seed 3 · seven", "eight", "seed 4 · seven"}));
    }

    void theCounterpartIsTheSamePromptAtTheNearestStep_data()
    {
        QTest::addColumn<qint64>("step");
        QTest::addColumn<QString>("file");
        QTest::newRow("M12 the same step, and the same seed") << qint64 {20} << QString("b.png");
        QTest::newRow("M12 the nearest") << qint64 {26} << QString("c.png");
        QTest::newRow("M12 as near to two: the earlier") << qint64 {25} << QString("b.png");
        QTest::newRow("M12 after all") << qint64 {1000} << QString("c.png");
    }
    void theCounterpartIsTheSamePromptAtTheNearestStep()
    {
        QFETCH(qint64, step);
        QFETCH(QString, file);
        storage::SampleRow otherSeed = sample(20, "seven", 1, "a.png");
        otherSeed.seed = 4;
        const SampleGrid grid({otherSeed, sample(20, "seven", 1, "b.png"), sample(30, "seven", 1, "c.png"), sample(25, "eight", 1, "d.png")});
        const SampleColumn column {.prompt = "seven", .seed = 3, .guidance = 2, .weights = "ema"};
        QCOMPARE(QString::fromStdString(grid.counterpart(column, step)->file), file);
        QVERIFY(!grid.counterpart({.prompt = "nine"}, step));
    }

    void aDifferenceIsOfEveryPixel()
    {
        QImage a(2, 2, QImage::Format_RGB32), b(2, 2, QImage::Format_RGB32);
        a.fill(qRgb(10, 20, 30));
        b.fill(qRgb(10, 20, 30));
        QCOMPARE(differenceOf(a, b, 4)->mean, 0.0);
        QCOMPARE(differenceOf(a, b, 4)->changed, 0.0);
        b.setPixel(1, 0, qRgb(110, 8, 30));
        const auto found = differenceOf(a, b, 4);
        QCOMPARE(found->mean, 112.0 / 12);
        QCOMPARE(found->largest, 100);
        QCOMPARE(found->changed, 0.25);
        QCOMPARE(found->pixels.pixel(1, 0), qRgb(255, 48, 0));
        QCOMPARE(found->pixels.pixel(0, 0), qRgb(0, 0, 0));
        QVERIFY(!differenceOf(a, QImage(2, 3, QImage::Format_RGB32), 1) && !differenceOf({}, {}, 1));
    }
};

QTEST_APPLESS_MAIN(SamplePairTest)
#include "tst_sample_pair.moc"
