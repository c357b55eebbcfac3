#include "engine/data/png.h"

#include <ATen/ops/full.h>
#include <ATen/ops/tensor.h>

#include <QImage>
#include <QTemporaryDir>
#include <QtTest>

#include <cmath>
#include <system_error>

namespace fs = std::filesystem;
using Pixels = std::vector<std::uint8_t>;

namespace {

Pixels pixelsOf(const QImage& image)
{
    Pixels pixels;
    for (int y = 0; y < image.height(); ++y)
        pixels.insert(pixels.end(), image.constScanLine(y), image.constScanLine(y) + image.width());
    return pixels;
}

}  // namespace

class PngTest : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    QString name() const { return m_folder.filePath("sample.png"); }
    fs::path file() const { return name().toStdString(); }

private Q_SLOTS:
    void qtReadsTheSamePixels_data()
    {
        QTest::addColumn<int>("width");
        QTest::addColumn<int>("height");
        QTest::newRow("one pixel") << 1 << 1;
        QTest::newRow("odd width") << 7 << 3;
        QTest::newRow("column") << 1 << 300;
        QTest::newRow("large") << 1000 << 700;
    }
    void qtReadsTheSamePixels()
    {
        QFETCH(int, width);
        QFETCH(int, height);
        Pixels pixels;
        for (int place = 0; place < width * height; ++place)
            pixels.push_back(static_cast<std::uint8_t>(place * 37 + place / 11));
        engine::writeGreyPng(file(), width, height, pixels);
        QImage image;
        QVERIFY(image.load(name(), "PNG"));
        QCOMPARE(image.format(), QImage::Format_Grayscale8);
        QCOMPARE(image.size(), QSize(width, height));
        QVERIFY(pixelsOf(image) == pixels);
    }

    void textsReadBack()
    {
        engine::writeGreyPng(file(), 2, 1, {0, 255},
            {{"prompt", "digits 0 to 9"}, {"seed", "18446744073709551615"}, {"guidance", "2.5"},
                {"step", "500"}, {"author", "Käthe 数字\nsecond line"}, {"nothing", ""}});
        const QImage image(name());
        QCOMPARE(image.text("prompt"), QString("digits 0 to 9"));
        QCOMPARE(image.text("seed"), QString("18446744073709551615"));
        QCOMPARE(image.text("guidance"), QString("2.5"));
        QCOMPARE(image.text("step"), QString("500"));
        QCOMPARE(image.text("author"), QString::fromUtf8("Käthe 数字\nsecond line"));
        QVERIFY(pixelsOf(image) == Pixels({0, 255}));
    }

    void wrongArgumentsLeaveTheOldFile()
    {
        engine::writeGreyPng(file(), 1, 1, {7});
        using Wrong = std::invalid_argument;
        QVERIFY_THROWS_EXCEPTION(Wrong, engine::writeGreyPng(file(), 2, 1, {1}));
        QVERIFY_THROWS_EXCEPTION(Wrong, engine::writeGreyPng(file(), 0, 0, {}));
        QVERIFY_THROWS_EXCEPTION(Wrong, engine::writeGreyPng(file(), 1, 1, {1}, {{"", "x"}}));
        QVERIFY_THROWS_EXCEPTION(
            Wrong, engine::writeGreyPng(file(), 1, 1, {1}, {{std::string(80, 'k'), "x"}}));
        QVERIFY_THROWS_EXCEPTION(
            Wrong, engine::writeGreyPng(file(), 1, 1, {1}, {{"k", std::string("a\0b", 3)}}));
        QVERIFY(pixelsOf(QImage(name())) == Pixels({7}));
    }

    void folderThatIsMissingIsNamed()
    {
        try {
            engine::writeGreyPng(file() / "deeper.png", 1, 1, {7});
            QFAIL("written into a file");
        } catch (const std::system_error& error) {
            QVERIFY2(QString(error.what()).contains("deeper.png"), error.what());
        }
    }

    void gridLaysImagesInReadingOrder()
    {
        // Three images of 1 × 2 pixels in two columns; each pixel 2 × 2, gaps of 1.
        const at::Tensor images = at::tensor({-1.0F, 1.0F, 0.0F, 0.5F, 1.0F, -1.0F}).view({3, 1, 1, 2});
        int width = 0;
        int height = 0;
        const Pixels pixels = engine::imageGrid(images, 2, 2, 1, width, height);
        QCOMPARE(width, 11);
        QCOMPARE(height, 7);
        const Pixels gap(11, 0);
        const Pixels first = {0, 0, 0, 255, 255, 0, 128, 128, 191, 191, 0};
        const Pixels second = {0, 255, 255, 0, 0, 0, 0, 0, 0, 0, 0};
        Pixels expected;
        for (const Pixels* row : {&gap, &first, &first, &gap, &second, &second, &gap})
            expected.insert(expected.end(), row->begin(), row->end());
        QVERIFY(pixels == expected);
    }

    void valuesOutOfRangeAreClamped()
    {
        const float inf = std::numeric_limits<float>::infinity();
        const at::Tensor images
            = at::tensor({-7.0F, 7.0F, -inf, inf, std::nanf("")}).view({1, 1, 1, 5});
        int width = 0;
        int height = 0;
        QVERIFY(engine::imageGrid(images, 1, 1, 0, width, height) == Pixels({0, 255, 0, 255, 0}));
    }

    void otherTypesAndViewsAreRead()
    {
        const at::Tensor images = at::tensor({-1.0F, 1.0F, 0.0F, 1.0F}).view({1, 1, 2, 2});
        int width = 0;
        int height = 0;
        const auto grid = [&](const at::Tensor& tensor) {
            return engine::imageGrid(tensor, 1, 1, 0, width, height);
        };
        QVERIFY(grid(images.to(at::kBFloat16)) == grid(images));
        QVERIFY(grid(images.transpose(2, 3)) == Pixels({0, 128, 255, 255}));
        QVERIFY(grid(images.clone().set_requires_grad(true)) == grid(images));
    }

    void impossibleGridIsRejected()
    {
        int width = 0;
        int height = 0;
        const auto grid = [&](at::IntArrayRef shape, int columns, int scale, int gap) {
            return engine::imageGrid(at::full(shape, 0.0F), columns, scale, gap, width, height);
        };
        using Wrong = std::invalid_argument;
        QVERIFY_THROWS_EXCEPTION(Wrong, grid({0, 1, 8, 8}, 1, 1, 0));
        QVERIFY_THROWS_EXCEPTION(Wrong, grid({1, 3, 8, 8}, 1, 1, 0));
        QVERIFY_THROWS_EXCEPTION(Wrong, grid({1, 8, 8}, 1, 1, 0));
        QVERIFY_THROWS_EXCEPTION(Wrong, grid({1, 1, 8, 8}, 0, 1, 0));
        QVERIFY_THROWS_EXCEPTION(Wrong, grid({1, 1, 8, 8}, 1, 0, 0));
        QVERIFY_THROWS_EXCEPTION(Wrong, grid({1, 1, 8, 8}, 1, 1, -1));
    }
};

QTEST_GUILESS_MAIN(PngTest)
#include "tst_png.moc"
