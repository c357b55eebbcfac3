// Samples as they are shown: of a video, a few evenly spaced frames.
#include <ATen/ATen.h>

#include "engine/tasks/sample_writer.h"

#include <QImage>
#include <QTemporaryDir>
#include <QtTest>

#include <cmath>
#include <initializer_list>
#include <utility>

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

    void aSampleIsAPictureOfThePromptsOwnPixels_data()
    {
        QTest::addColumn<int>("images");
        QTest::addColumn<int>("edge");
        QTest::addColumn<bool>("isVideo");
        QTest::addColumn<QSize>("size");
        QTest::newRow("M12 one image") << 1 << 80 << false << QSize(80, 80);
        QTest::newRow("M12 four small images of a label") << 4 << 8 << false << QSize(19, 19);
        QTest::newRow("M12 three frames of a video") << 3 << 80 << true << QSize(256, 88);
    }
    void aSampleIsAPictureOfThePromptsOwnPixels()
    {
        QFETCH(int, images);
        QFETCH(int, edge);
        QFETCH(bool, isVideo);
        QFETCH(QSize, size);
        const QTemporaryDir folder;
        const QString file = folder.filePath("samples/one.png");
        const at::Tensor pixels = at::linspace(-1, 1, images * 3 * edge * edge).view({images, 3, edge, edge});
        engine::writeSample(file.toStdString(), {"ein rotes Herz ♥", pixels, isVideo}, 40, 7, {.steps = 12, .guidanceScale = 3.5});
        const QImage written(file);
        QCOMPARE(written.size(), size);
        const int gap = images == 1 ? 0 : edge < 64 ? 1 : 4;
        for (int channel = 0; channel < 3; ++channel) {
            const double value = pixels[0][channel][edge - 1][0].item<double>();
            const QRgb pixel = written.pixel(gap, gap + edge - 1);
            QVERIFY(std::abs(255 * (value + 1) / 2 - QList<int> {qRed(pixel), qGreen(pixel), qBlue(pixel)}[channel]) <= 1);
        }
        for (const auto& [key, text] : std::initializer_list<std::pair<const char*, const char*>> {
                 {"prompt", "ein rotes Herz ♥"}, {"step", "40"}, {"seed", "7"}, {"guidance", "3.5"}, {"steps", "12"}})
            QCOMPARE(written.text(key), QString(text));
        // The window plays what says so.
        QCOMPARE(written.text("frames"), isVideo ? QString::number(images) : QString());
        QCOMPARE(written.text("gap"), isVideo ? QString::number(gap) : QString());
    }
};

QTEST_APPLESS_MAIN(SampleWriterTest)
#include "tst_sample_writer.moc"
