#include "engine/data/png.h"

#include <ATen/ops/full.h>
#include <ATen/ops/tensor.h>

#include <QImage>
#include <QTemporaryDir>
#include <QtTest>

#include <cmath>
#include <system_error>

namespace fs = std::filesystem;
using engine::Pixels;
using Values = std::vector<std::uint8_t>;

namespace {

Values valuesOf(const QImage& bitmap)
{
    Values values;
    for (int y = 0; y < bitmap.height(); ++y)
        values.insert(values.end(), bitmap.constScanLine(y), bitmap.constScanLine(y) + bitmap.width() * bitmap.depth() / 8);
    return values;
}

Pixels grey(int width, int height, Values values) { return {width, height, 1, std::move(values)}; }

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
        QTest::addColumn<int>("channels");
        for (const int channels : {1, 3}) {
            const QString kind = channels == 1 ? "grey, " : "colour, ";
            QTest::newRow(qPrintable(kind + "one pixel")) << 1 << 1 << channels;
            QTest::newRow(qPrintable(kind + "odd width")) << 7 << 3 << channels;
            QTest::newRow(qPrintable(kind + "column")) << 1 << 300 << channels;
            QTest::newRow(qPrintable(kind + "large")) << 1000 << 700 << channels;
        }
    }
    void qtReadsTheSamePixels()
    {
        QFETCH(int, width);
        QFETCH(int, height);
        QFETCH(int, channels);
        Pixels pixels {width, height, channels, {}};
        for (int place = 0; place < width * height * channels; ++place)
            pixels.values.push_back(static_cast<std::uint8_t>(place * 37 + place / 11));
        engine::writePng(file(), pixels);
        QImage bitmap;
        QVERIFY(bitmap.load(name(), "PNG"));
        QCOMPARE(bitmap.size(), QSize(width, height));
        if (channels == 1)
            QCOMPARE(bitmap.format(), QImage::Format_Grayscale8);
        QVERIFY(valuesOf(channels == 1 ? bitmap : bitmap.convertToFormat(QImage::Format_RGB888)) == pixels.values);
    }

    void textsReadBack()
    {
        engine::writePng(file(), grey(2, 1, {0, 255}),
            {{"prompt", "digits 0 to 9"}, {"seed", "18446744073709551615"}, {"guidance", "2.5"},
                {"step", "500"}, {"author", "Käthe 数字\nsecond line"}, {"nothing", ""}});
        const QImage bitmap(name());
        QCOMPARE(bitmap.text("prompt"), QString("digits 0 to 9"));
        QCOMPARE(bitmap.text("seed"), QString("18446744073709551615"));
        QCOMPARE(bitmap.text("guidance"), QString("2.5"));
        QCOMPARE(bitmap.text("step"), QString("500"));
        QCOMPARE(bitmap.text("author"), QString::fromUtf8("Käthe 数字\nsecond line"));
        QVERIFY(valuesOf(bitmap) == Values({0, 255}));
    }

    void wrongArgumentsLeaveTheOldFile()
    {
        engine::writePng(file(), grey(1, 1, {7}));
        using Wrong = std::invalid_argument;
        QVERIFY_THROWS_EXCEPTION(Wrong, engine::writePng(file(), grey(2, 1, {1})));
        QVERIFY_THROWS_EXCEPTION(Wrong, engine::writePng(file(), grey(0, 0, {})));
        QVERIFY_THROWS_EXCEPTION(Wrong, engine::writePng(file(), grey(1, 1, {1}), {{"", "x"}}));
        QVERIFY_THROWS_EXCEPTION(
            Wrong, engine::writePng(file(), grey(1, 1, {1}), {{std::string(80, 'k'), "x"}}));
        QVERIFY_THROWS_EXCEPTION(
            Wrong, engine::writePng(file(), grey(1, 1, {1}), {{"k", std::string("a\0b", 3)}}));
        QVERIFY(valuesOf(QImage(name())) == Values({7}));
    }

    void folderThatIsMissingIsNamed()
    {
        try {
            engine::writePng(file() / "deeper.png", grey(1, 1, {7}));
            QFAIL("written into a file");
        } catch (const std::system_error& error) {
            QVERIFY2(QString(error.what()).contains("deeper.png"), error.what());
        }
    }

    void gridLaysImagesInReadingOrder()
    {
        // Three bitmaps of 1 × 2 pixels in two columns; each pixel 2 × 2, gaps of 1.
        const at::Tensor bitmaps = at::tensor({-1.0F, 1.0F, 0.0F, 0.5F, 1.0F, -1.0F}).view({3, 1, 1, 2});
        const Pixels pixels = engine::imageGrid(bitmaps, 2, 2, 1);
        QCOMPARE(pixels.width, 11);
        QCOMPARE(pixels.height, 7);
        const Values gap(11, 0);
        const Values first = {0, 0, 0, 255, 255, 0, 128, 128, 191, 191, 0};
        const Values second = {0, 255, 255, 0, 0, 0, 0, 0, 0, 0, 0};
        Values expected;
        for (const Values* row : {&gap, &first, &first, &gap, &second, &second, &gap})
            expected.insert(expected.end(), row->begin(), row->end());
        QVERIFY(pixels.values == expected);
    }

    void coloursStandBesideEachOther()
    {
        // One image of 1 × 2 pixels: black in red, grey in green, white in blue; then the other way round.
        const at::Tensor image = at::tensor({-1.0F, 1.0F, 0.0F, 0.0F, 1.0F, -1.0F}).view({1, 3, 1, 2});
        const Pixels pixels = engine::imageGrid(image, 1, 1, 0);
        QCOMPARE(pixels.channels, 3);
        QVERIFY(pixels.values == Values({0, 128, 255, 255, 128, 0}));
    }

    void valuesOutOfRangeAreClamped()
    {
        const float inf = std::numeric_limits<float>::infinity();
        const at::Tensor bitmaps
            = at::tensor({-7.0F, 7.0F, -inf, inf, std::nanf("")}).view({1, 1, 1, 5});
        QVERIFY(engine::imageGrid(bitmaps, 1, 1, 0).values == Values({0, 255, 0, 255, 0}));
    }

    void otherTypesAndViewsAreRead()
    {
        const at::Tensor bitmaps = at::tensor({-1.0F, 1.0F, 0.0F, 1.0F}).view({1, 1, 2, 2});
        const auto grid = [&](const at::Tensor& tensor) {
            return engine::imageGrid(tensor, 1, 1, 0).values;
        };
        QVERIFY(grid(bitmaps.to(at::kBFloat16)) == grid(bitmaps));
        QVERIFY(grid(bitmaps.transpose(2, 3)) == Values({0, 128, 255, 255}));
        QVERIFY(grid(bitmaps.clone().set_requires_grad(true)) == grid(bitmaps));
    }

    void impossibleGridIsRejected()
    {
        const auto grid = [&](at::IntArrayRef shape, int columns, int scale, int gap) {
            return engine::imageGrid(at::full(shape, 0.0F), columns, scale, gap);
        };
        using Wrong = std::invalid_argument;
        QVERIFY_THROWS_EXCEPTION(Wrong, grid({0, 1, 8, 8}, 1, 1, 0));
        QVERIFY_THROWS_EXCEPTION(Wrong, grid({1, 2, 8, 8}, 1, 1, 0));
        QVERIFY_THROWS_EXCEPTION(Wrong, grid({1, 8, 8}, 1, 1, 0));
        QVERIFY_THROWS_EXCEPTION(Wrong, grid({1, 1, 8, 8}, 0, 1, 0));
        QVERIFY_THROWS_EXCEPTION(Wrong, grid({1, 1, 8, 8}, 1, 0, 0));
        QVERIFY_THROWS_EXCEPTION(Wrong, grid({1, 1, 8, 8}, 1, 1, -1));
    }
};

QTEST_GUILESS_MAIN(PngTest)
#include "tst_png.moc"
