// Samples as they are shown: of a video, a few evenly spaced frames.
#include <ATen/ATen.h>

#include "engine/tasks/sample_writer.h"

#include <QtTest>

class SampleWriterTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aStripGoesFromTheFirstFrameToTheLast_data()
    {
        QTest::addColumn<int>("frames");
        QTest::addColumn<QList<float>>("shown");
        QTest::newRow("one frame") << 1 << QList<float> {0};
        QTest::newRow("five") << 5 << QList<float> {0, 1, 2, 3, 4};
        QTest::newRow("more than a person can see") << 81 << QList<float> {0, 11, 22, 34, 45, 57, 68, 80};
    }
    void aStripGoesFromTheFirstFrameToTheLast()
    {
        QFETCH(int, frames);
        QFETCH(QList<float>, shown);
        // Each frame's value is its index; those of the second video are 100 higher.
        const at::Tensor numbers = at::arange(frames, at::kFloat) + at::tensor({0.0F, 100.0F}).unsqueeze(1);
        const at::Tensor strips = engine::spacedFrames(numbers.view({2, 1, frames, 1, 1}).expand({2, 3, frames, 4, 6}));
        QCOMPARE(strips.sizes().vec(), (std::vector<std::int64_t> {2 * shown.size(), 3, 4, 6}));
        for (qsizetype i = 0; i < shown.size(); ++i) {
            QCOMPARE(strips[i].min().item<float>(), shown[i]);
            QCOMPARE(strips[shown.size() + i].max().item<float>(), 100 + shown[i]);
        }
    }
};

QTEST_APPLESS_MAIN(SampleWriterTest)
#include "tst_sample_writer.moc"
