#include "engine/data/exif_orientation.h"
#include "engine/data/image.h"

#include <QBuffer>
#include <QImage>
#include <QImageReader>
#include <QImageWriter>
#include <QTemporaryDir>
#include <QtTest>

#include <turbojpeg.h>
#include <webp/encode.h>
#include <zlib.h>

#include <fstream>
#include <random>
#include <stdexcept>

namespace fs = std::filesystem;

namespace {

/// Smooth colours with an edge in them, all corners different.
QImage painted(int width, int height, QImage::Format format = QImage::Format_RGBA8888)
{
    QImage bitmap(width, height, QImage::Format_RGBA8888);
    for (int y = 0; y < height; ++y) {
        for (int x = 0; x < width; ++x)
            bitmap.setPixelColor(x, y, QColor(255 * x / width, 255 * y / height, x > y ? 200 : 20, 255 - 40 * ((x + y) % 5)));
    }
    return bitmap.convertToFormat(format);
}

QByteArray encoded(const QImage& bitmap, const char* format, int quality = -1)
{
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    bitmap.save(&buffer, format, quality);
    return bytes;
}

QByteArray webp(const QImage& rgba)
{
    std::uint8_t* output = nullptr;
    const std::size_t size = WebPEncodeLosslessRGBA(rgba.constBits(), rgba.width(), rgba.height(), static_cast<int>(rgba.bytesPerLine()), &output);
    const QByteArray bytes(reinterpret_cast<const char*>(output), static_cast<qsizetype>(size));
    WebPFree(output);
    return bytes;
}

/// The largest difference from @p expected on white; -1 when the sizes differ.
int difference(const engine::Image& image, const QImage& expected)
{
    const QImage rgba = expected.convertToFormat(QImage::Format_RGBA8888);
    if (image.width != rgba.width() || image.height != rgba.height())
        return -1;
    int largest = 0;
    std::size_t place = 0;
    for (int y = 0; y < rgba.height(); ++y) {
        for (int x = 0; x < rgba.width(); ++x) {
            const std::uint8_t* pixel = rgba.constScanLine(y) + x * 4;
            for (int sample = 0; sample < 3; ++sample) {
                const double alpha = pixel[3] / 255.0;
                const double onWhite = pixel[sample] * alpha + 255 * (1 - alpha);
                largest = std::max(largest, static_cast<int>(std::ceil(std::abs(image.rgb[place++] - onWhite) - 0.5)));
            }
        }
    }
    return largest;
}

QByteArray bigEndian(quint32 value)
{
    QByteArray bytes;
    for (int shift = 24; shift >= 0; shift -= 8)
        bytes += static_cast<char>(value >> shift);
    return bytes;
}

QByteArray pngChunk(const QByteArray& type, const QByteArray& content)
{
    const QByteArray checked = type + content;
    const auto checksum = crc32_z(0, reinterpret_cast<const Bytef*>(checked.constData()), static_cast<std::size_t>(checked.size()));
    return bigEndian(static_cast<quint32>(content.size())) + checked + bigEndian(static_cast<quint32>(checksum));
}

/// Big-endian EXIF with one entry: the orientation.
QByteArray exif(int orientation)
{
    return QByteArray("MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0", 19) + static_cast<char>(orientation) + QByteArray("\0\0\0\0\0\0", 6);
}

QByteArray chunkOfRiff(const QByteArray& type, const QByteArray& content)
{
    QByteArray size = bigEndian(static_cast<quint32>(content.size()));
    std::reverse(size.begin(), size.end());
    return type + size + content + QByteArray(content.size() % 2, '\0');
}

QByteArray riff(const QByteArray& chunks) { return chunkOfRiff("RIFF", "WEBP" + chunks); }

}  // namespace

class ImagesTest : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    fs::path file() const { return m_folder.filePath("image").toStdString(); }

    void write(const QByteArray& bytes) const
    {
        std::ofstream(file(), std::ios::binary).write(bytes.constData(), static_cast<std::streamsize>(bytes.size()));
    }

    engine::Image read(const QByteArray& bytes) const
    {
        write(bytes);
        const engine::Image image = engine::readImage(file());
        const engine::ImageSize size = engine::readImageSize(file());
        if (size.width != image.width || size.height != image.height)
            throw std::logic_error("the header has another size than the image");
        return image;
    }

    QByteArray refusal(const QByteArray& bytes) const
    {
        write(bytes);
        try {
            engine::readImage(file());
        } catch (const std::runtime_error& error) {
            return error.what();
        }
        return "read";
    }

private Q_SLOTS:
    void everyKindOfPixelIsRead_data()
    {
        QTest::addColumn<QByteArray>("bytes");
        QTest::addColumn<QImage>("expected");
        QTest::addColumn<int>("tolerance");
        const QImage alpha = painted(37, 23);
        const QImage opaque = painted(37, 23, QImage::Format_RGB888);
        const auto png = [](const char* name, const QImage& bitmap) { QTest::newRow(name) << encoded(bitmap, "PNG") << bitmap << 0; };
        png("PNG, RGB", opaque);
        png("PNG, RGBA", alpha);
        png("PNG, grey", painted(37, 23, QImage::Format_Grayscale8));
        png("PNG, palette", opaque.convertToFormat(QImage::Format_Indexed8));
        png("PNG, one bit", opaque.convertToFormat(QImage::Format_Mono));
        png("PNG, 16 bits", opaque.convertToFormat(QImage::Format_RGBX64));
        png("PNG, one pixel", painted(1, 1));
        const auto jpeg = [](const char* name, const QByteArray& bytes) { QTest::newRow(name) << bytes << QImage::fromData(bytes, "JPG") << 2; };
        jpeg("JPEG, colour", encoded(opaque, "JPG", 90));
        jpeg("JPEG, grey", encoded(painted(37, 23, QImage::Format_Grayscale8), "JPG", 90));
        QTest::newRow("WebP, opaque") << webp(opaque.convertToFormat(QImage::Format_RGBA8888)) << opaque << 0;
        QTest::newRow("WebP, transparent") << webp(alpha) << alpha << 0;
    }
    void everyKindOfPixelIsRead()
    {
        QFETCH(QByteArray, bytes);
        QFETCH(QImage, expected);
        QFETCH(int, tolerance);
        QVERIFY(!bytes.isEmpty() && !expected.isNull());
        const int off = difference(read(bytes), expected);
        QVERIFY2(off >= 0 && off <= tolerance, QByteArray::number(off));
    }

    void inkBecomesLight()
    {
        // One colour: half the light of red through, all of green, none of blue; a quarter of that is taken by black.
        std::vector<unsigned char> ink;
        for (int pixel = 0; pixel < 256; ++pixel)
            ink.insert(ink.end(), {128, 255, 0, 191});
        tjhandle turbo = tjInitCompress();
        unsigned char* output = nullptr;
        unsigned long size = 0;
        QCOMPARE(tjCompress2(turbo, ink.data(), 16, 0, 16, TJPF_CMYK, &output, &size, TJSAMP_444, 100, 0), 0);
        const engine::Image image = read(QByteArray(reinterpret_cast<const char*>(output), static_cast<qsizetype>(size)));
        tjFree(output);
        tjDestroy(turbo);
        QVERIFY(std::abs(image.rgb[0] - 96) <= 2 && std::abs(image.rgb[1] - 191) <= 2 && image.rgb[2] <= 2);
    }

    void imagesStandUpright_data()
    {
        QTest::addColumn<QByteArray>("bytes");
        const QImage bitmap = painted(37, 23, QImage::Format_RGB888);
        for (int orientation = 1; orientation <= 8; ++orientation) {
            QByteArray jpeg = encoded(bitmap, "JPG", 95);
            const QByteArray app1 = QByteArray("Exif\0\0", 6) + exif(orientation);
            jpeg.insert(2, QByteArray("\xFF\xE1\0", 3) + static_cast<char>(app1.size() + 2) + app1);
            QTest::addRow("JPEG, orientation %d", orientation) << jpeg;
        }
    }
    void imagesStandUpright()
    {
        QFETCH(QByteArray, bytes);
        QBuffer buffer(&bytes);
        QImageReader reader(&buffer, "JPG");
        reader.setAutoTransform(true);
        const QImage expected = reader.read();
        QVERIFY(!expected.isNull());
        const int off = difference(read(bytes), expected);
        QVERIFY2(off >= 0 && off <= 2, QByteArray::number(off));
    }

    void orientationOfPngAndWebp()
    {
        const QImage bitmap = painted(6, 4, QImage::Format_RGB888);
        const QImage turned = bitmap.transformed(QTransform().rotate(90));
        QByteArray png = encoded(bitmap, "PNG");
        png.insert(8 + 25, pngChunk("eXIf", exif(6)));
        QCOMPARE(difference(read(png), turned), 0);
        const QByteArray pixels = webp(bitmap.convertToFormat(QImage::Format_RGBA8888)).mid(12);
        const QByteArray extended = QByteArray("\x08\0\0\0\x05\0\0\x03\0\0", 10);
        QCOMPARE(difference(read(riff(chunkOfRiff("VP8X", extended) + pixels + chunkOfRiff("EXIF", exif(6)))), turned), 0);
    }

    void nonsenseInExifIsIgnored_data()
    {
        QTest::addColumn<QByteArray>("tiff");
        QTest::newRow("empty") << QByteArray();
        QTest::newRow("no byte order") << QByteArray("XX\0*\0\0\0\x08", 8);
        QTest::newRow("directory beyond the end") << QByteArray("MM\0*\xFF\xFF\xFF\xFF", 8);
        QTest::newRow("entries beyond the end") << QByteArray("MM\0*\0\0\0\x08\xFF\xFF", 10);
        QTest::newRow("orientation 0") << exif(0);
        QTest::newRow("orientation 9") << exif(9);
    }
    void nonsenseInExifIsIgnored()
    {
        QFETCH(QByteArray, tiff);
        const QImage bitmap = painted(6, 4, QImage::Format_RGB888);
        QByteArray png = encoded(bitmap, "PNG");
        png.insert(8 + 25, pngChunk("eXIf", tiff));
        QCOMPARE(difference(read(png), bitmap), 0);
    }

    void damagedFilesGetASentence_data()
    {
        QTest::addColumn<QByteArray>("bytes");
        QTest::addColumn<QByteArray>("sentence");
        const QImage bitmap = painted(37, 23, QImage::Format_RGB888);
        const QByteArray png = encoded(bitmap, "PNG");
        const QByteArray jpeg = encoded(bitmap, "JPG", 90);
        const QByteArray lossless = webp(painted(37, 23));
        QTest::newRow("empty") << QByteArray() << QByteArray("is empty");
        QTest::newRow("text") << QByteArray("hello") << QByteArray("is not a PNG, JPEG or WebP file");
        QTest::newRow("PNG cut short") << png.left(png.size() / 2) << QByteArray("is a damaged PNG");
        QTest::newRow("JPEG cut short") << jpeg.left(jpeg.size() - 60) << QByteArray("is a damaged JPEG (Premature end");
        QTest::newRow("WebP cut short") << lossless.left(lossless.size() / 2) << QByteArray("is a damaged WebP");
        QTest::newRow("PNG of a signature") << png.left(8) << QByteArray("is a damaged PNG");
        QTest::newRow("JPEG of a signature") << jpeg.left(3) << QByteArray("is a damaged JPEG");
        QByteArray huge = bigEndian(60000) + bigEndian(60000) + QByteArray("\x08\x02\0\0\0", 5);
        QTest::newRow("huge PNG") << png.left(8) + pngChunk("IHDR", huge) + png.mid(8 + 25) << QByteArray("has 60000 × 60000 pixels; at most");
        QByteArray wide = jpeg;
        wide.replace(wide.indexOf("\xFF\xC0") + 5, 4, QByteArray("\xFD\xE8\xFD\xE8", 4));
        QTest::newRow("huge JPEG") << wide << QByteArray("has 65000 × 65000 pixels; at most");
        QTest::newRow("animated WebP") << riff(chunkOfRiff("VP8X", QByteArray("\x02\0\0\0\x05\0\0\x03\0\0", 10))) << QByteArray("is an animation");
    }
    void damagedFilesGetASentence()
    {
        QFETCH(QByteArray, bytes);
        QFETCH(QByteArray, sentence);
        const QByteArray said = refusal(bytes);
        QVERIFY2(said.contains(sentence), said);
        QVERIFY2(said.startsWith(file().c_str()), said);
    }

    void smallFaultsOfJpegsAreForgiven()
    {
        const QImage bitmap = painted(37, 23, QImage::Format_RGB888);
        QByteArray jpeg = encoded(bitmap, "JPG", 95);
        const QImage expected = QImage::fromData(jpeg, "JPG");
        jpeg.insert(jpeg.size() - 2, "extraneous bytes before the end");
        const int off = difference(read(jpeg), expected);
        QVERIFY2(off >= 0 && off <= 2, QByteArray::number(off));
    }

    void damageNeverCrashes_data()
    {
        QTest::addColumn<QByteArray>("bytes");
        QTest::newRow("PNG") << encoded(painted(37, 23), "PNG");
        QTest::newRow("JPEG") << encoded(painted(37, 23, QImage::Format_RGB888), "JPG", 90);
        QTest::newRow("WebP") << webp(painted(37, 23));
    }
    void damageNeverCrashes()
    {
        QFETCH(QByteArray, bytes);
        std::mt19937 random(3);
        for (int round = 0; round < 200; ++round) {
            QByteArray damaged = bytes.left(bytes.size() - static_cast<qsizetype>(random() % 8));
            for (int change = 0; change < 3; ++change)
                damaged[static_cast<qsizetype>(random() % static_cast<unsigned>(damaged.size()))] = static_cast<char>(random());
            refusal(damaged);
            try {
                engine::readImageSize(file());
            } catch (const std::runtime_error&) {
            }
        }
    }

    void alphaIsReadAsAImage()
    {
        QImage bitmap(2, 1, QImage::Format_ARGB32);
        bitmap.setPixelColor(0, 0, QColor(255, 0, 0, 51));
        bitmap.setPixelColor(1, 0, QColor(0, 255, 0, 255));
        QVERIFY(bitmap.save(QString::fromStdString(file().string()), "PNG"));
        QCOMPARE(engine::readImage(file(), engine::ImagePart::Alpha).rgb, (std::vector<std::uint8_t> {51, 51, 51, 255, 255, 255}));
        QVERIFY(bitmap.convertToFormat(QImage::Format_RGB888).save(QString::fromStdString(file().string()), "JPEG"));
        QCOMPARE(engine::readImage(file(), engine::ImagePart::Alpha).rgb, std::vector<std::uint8_t>(6, 255));
    }

    void missingFilesAreNamed()
    {
        const fs::path missing = file().parent_path() / "no such image.png";
        QVERIFY_THROWS_EXCEPTION(std::runtime_error, engine::readImage(missing));
        QVERIFY_THROWS_EXCEPTION(std::runtime_error, engine::readImageSize(missing));
        QVERIFY_THROWS_EXCEPTION(std::runtime_error, engine::readImage(missing.parent_path()));
    }
};

QTEST_GUILESS_MAIN(ImagesTest)
#include "tst_images.moc"
