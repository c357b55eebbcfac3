// M12: the samples' grid, hostile pictures, the cache, pixels as they are.
#include "ui/gallery/gallery_grid.h"
#include "ui/gallery/picture_view.h"

#include <QBuffer>
#include <QElapsedTimer>
#include <QFile>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

using namespace ui;

namespace {

storage::SampleRow sample(std::int64_t step, const char* prompt, int attempt = 1, const char* file = "x.png")
{
    return {.step = step, .attempt = attempt, .file = file, .prompt = prompt, .seed = 3, .guidance = 2, .weights = "ema"};
}

QImage checkered(int side)
{
    QImage image(side, side, QImage::Format_RGB32);
    for (int y = 0; y < side; ++y)
        for (int x = 0; x < side; ++x)
            image.setPixel(x, y, (x + y) % 2 ? 0xffffffff : 0xff000000);
    return image;
}

QByteArray pngBytes(int side)
{
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    checkered(side).save(&buffer, "PNG");
    return bytes;
}

/// A PNG whose header claims a size; nothing of it is there.
QByteArray claimingPng(quint32 width, quint32 height)
{
    QByteArray bytes = pngBytes(8);
    for (int byte = 0; byte < 4; ++byte) {
        bytes[16 + byte] = static_cast<char>(width >> (24 - 8 * byte));
        bytes[20 + byte] = static_cast<char>(height >> (24 - 8 * byte));
    }
    // The header's checksum, so that only the size is wrong.
    quint32 crc = 0xffffffff;
    for (int at = 12; at < 29; ++at) {
        crc ^= static_cast<unsigned char>(bytes[at]);
        for (int bit = 0; bit < 8; ++bit)
            crc = (crc >> 1) ^ (crc & 1 ? 0xedb88320U : 0U);
    }
    crc = ~crc;
    for (int byte = 0; byte < 4; ++byte)
        bytes[29 + byte] = static_cast<char>(crc >> (24 - 8 * byte));
    return bytes;
}

}  // namespace

class GalleryTest : public QObject {
    Q_OBJECT
    QTemporaryDir m_folder;

    QString write(const QString& name, const QByteArray& bytes)
    {
        QFile file(m_folder.filePath(name));
        if (!file.open(QIODevice::WriteOnly) || file.write(bytes) != bytes.size())
            qFatal("cannot write the test's picture");
        return file.fileName();
    }

private Q_SLOTS:
    void hostilePicturesAreRefusedInASentence_data()
    {
        QTest::addColumn<QByteArray>("bytes");
        QTest::newRow("M12 empty") << QByteArray();
        QTest::newRow("M12 text") << QByteArray("hello, no picture");
        QTest::newRow("M12 cut off") << pngBytes(64).left(60);
        QTest::newRow("M12 only a signature") << pngBytes(8).left(8);
        QTest::newRow("M12 claims 2 billion square") << claimingPng(2'000'000'000, 2'000'000'000);
        QTest::newRow("M12 claims 30,000 square") << claimingPng(30'000, 30'000);
        QTest::newRow("M12 claims 16,384 by 16,384") << claimingPng(16'384, 16'384);
        QTest::newRow("M12 claims nothing") << claimingPng(0, 0);
        QTest::newRow("M12 an SVG that reads a file")
            << QByteArray("<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'>"
                          "<image href='file:///etc/passwd' width='9' height='9'/></svg>");
    }
    void hostilePicturesAreRefusedInASentence()
    {
        QFETCH(QByteArray, bytes);
        const QString file = write("hostile.png", bytes);
        QElapsedTimer clock;
        clock.start();
        const LoadedPicture picture = loadPicture(file);
        QVERIFY(picture.image.isNull());
        QVERIFY2(picture.error.startsWith("hostile.png ") && picture.error.endsWith('.'), qPrintable(picture.error));
        QVERIFY(clock.elapsed() < 1000);
    }

    void aMissingOrHugeFileIsRefused()
    {
        QVERIFY(loadPicture(m_folder.filePath("none.png")).error.contains("missing"));
        QVERIFY(!loadPicture(m_folder.path()).error.isEmpty());
        const QString file = write("huge.png", pngBytes(8));
        QVERIFY(QFile::resize(file, 65LL << 20));
        QVERIFY(loadPicture(file).error.contains("MB"));
    }

    void aLargePictureIsScaledDownToItsBound()
    {
        const QString file = write("large.png", pngBytes(300));
        const LoadedPicture small = loadPicture(file, {100, 50});
        QCOMPARE(small.image.size(), QSize(50, 50));
        QCOMPARE(small.fullSize, QSize(300, 300));
        QCOMPARE(loadPicture(file).image.size(), QSize(300, 300));
    }

    void smallPicturesAreEnlargedByWholeFactors()
    {
        QCOMPARE(pictureRect({8, 8}, {0, 0, 100, 60}), QRectF(22, 2, 56, 56));
        QCOMPARE(pictureRect({200, 100}, {10, 10, 100, 100}), QRectF(10, 35, 100, 50));
    }

    void enlargedPixelsStayCrisp()
    {
        PictureView view;
        view.resize(160, 160);
        LoadedPicture picture;
        picture.image = checkered(8);
        view.setPicture(picture);
        const QImage shown = view.grab().toImage();
        for (int y = 0; y < shown.height(); ++y)
            for (int x = 0; x < shown.width(); ++x) {
                const QRgb colour = shown.pixel(x, y);
                QVERIFY(colour == 0xff000000 || colour == 0xffffffff);
            }
        QCOMPARE(view.scale(), 20.0);
    }

    void hundredPercentShowsRealPixels()
    {
        PictureView view;
        view.resize(151, 140);
        LoadedPicture picture;
        picture.image = checkered(64);
        view.setPicture(picture);
        view.setRealPixels(true);
        QCOMPARE(view.scale(), 1.0);
        const QRect target = view.target().toRect();
        QCOMPARE(view.grab().toImage().copy(target).convertToFormat(QImage::Format_RGB32), picture.image);
    }

    void theGridIsPromptByStepAndALaterAttemptCounts()
    {
        const SampleGrid grid({sample(20, "seven"), sample(10, "seven"), sample(10, "eight"),
            sample(20, "seven", 2, "later.png")});
        QCOMPARE(grid.rows(), 2);
        QCOMPARE(grid.columns(), 2);
        QCOMPARE(grid.step(0), 10);
        QCOMPARE(grid.column(0).prompt, std::string("seven"));
        QCOMPARE(grid.sample(1, 0)->file, std::string("later.png"));
        QVERIFY(!grid.sample(1, 1));
        QCOMPARE(*grid.rowOf(15), 0);
    }

    void keysGoByPromptAndStep()
    {
        GalleryGrid grid;
        grid.resize(600, 400);
        grid.setGrid("run", m_folder.path(), SampleGrid({sample(1, "a"), sample(1, "b"), sample(2, "a"), sample(2, "b")}));
        grid.show();
        QCOMPARE(grid.currentRow(), 1);  // the newest
        QTest::keyClick(&grid, Qt::Key_Right);
        QCOMPARE(grid.currentSample()->prompt, std::string("b"));
        QTest::keyClick(&grid, Qt::Key_Up);
        QCOMPARE(grid.currentSample()->step, 1);
        QTest::keyClick(&grid, Qt::Key_Left);
        QCOMPARE(grid.currentSample()->prompt, std::string("a"));
        QSignalSpy opened(&grid, &GalleryGrid::opened);
        QTest::keyClick(&grid, Qt::Key_Space);
        QCOMPARE(opened.count(), 1);
    }

    void theNewestIsFollowedOnlyFromTheNewest()
    {
        GalleryGrid grid;
        grid.setGrid("run", {}, SampleGrid({sample(1, "a"), sample(2, "a")}));
        grid.setGrid("run", {}, SampleGrid({sample(1, "a"), sample(2, "a"), sample(3, "a")}));
        QCOMPARE(grid.currentSample()->step, 3);
        grid.setCurrent(0, 0);
        grid.setGrid("run", {}, SampleGrid({sample(1, "a"), sample(2, "a"), sample(3, "a"), sample(4, "a")}));
        QCOMPARE(grid.currentSample()->step, 1);
    }

    void aFileOutsideOfTheRunIsNeverOpened()
    {
        GalleryGrid grid;
        grid.setGrid("run", m_folder.path(), SampleGrid({sample(1, "a", 1, "samples/../../../etc/passwd.png")}));
        QVERIFY(grid.currentFile().isEmpty());
        grid.setGrid("other", m_folder.path(), SampleGrid({sample(1, "a", 1, "/etc/passwd.png")}));
        QVERIFY(grid.currentFile().isEmpty());
    }

    void picturesArriveFromAnotherThread()
    {
        PictureCache cache({64, 64}, 1 << 20);
        const QString good = write("good.png", pngBytes(8));
        const QString bad = write("bad.png", "no");
        QSignalSpy loaded(&cache, &PictureCache::loaded);
        QVERIFY(!cache.find(good));
        QVERIFY(!cache.find(bad));
        QTRY_COMPARE(loaded.count(), 2);
        QCOMPARE(cache.find(good)->image.size(), QSize(8, 8));
        QVERIFY(!cache.find(bad)->error.isEmpty());
    }

    void aHundredThousandSamplesScrollWithoutDelay()
    {
        std::vector<storage::SampleRow> samples;
        for (int step = 0; step < 10'000; ++step)
            for (const char* prompt : {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j"})
                samples.push_back(sample(step, prompt));
        GalleryGrid grid;
        grid.resize(1000, 700);
        grid.setGrid("run", m_folder.path(), SampleGrid(samples));
        grid.show();
        QVERIFY(QTest::qWaitForWindowExposed(&grid));
        QElapsedTimer clock;
        qint64 worst = 0;
        for (int row = 0; row < 10'000; row += 97) {
            clock.start();
            grid.setCurrent(row, row % 10);
            grid.viewport()->repaint();
            worst = std::max(worst, clock.elapsed());
        }
        qInfo("worst frame %lld ms", worst);
        QVERIFY(worst <= 50);
        QVERIFY(grid.cache().waiting() <= 100);
    }
};

QTEST_MAIN(GalleryTest)
#include "tst_gallery.moc"
