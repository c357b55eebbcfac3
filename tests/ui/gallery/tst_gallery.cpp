// M12: the grid of samples, hostile images, the image cache, exact display of pixels.
#include "tests/ui/gallery/sample_row.h"
#include "ui/gallery/gallery_grid.h"
#include "ui/gallery/image_fit.h"
#include "ui/gallery/image_view.h"
#include "ui/gallery/wrapped_text.h"

#include <QApplication>
#include <QBuffer>
#include <QElapsedTimer>
#include <QFile>
#include <QHelpEvent>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QToolTip>

#include <sys/stat.h>

using namespace ui;

namespace {

QImage checkered(int side)
{
    QImage bitmap(side, side, QImage::Format_RGB32);
    for (int y = 0; y < side; ++y)
        for (int x = 0; x < side; ++x)
            bitmap.setPixel(x, y, (x + y) % 2 ? 0xffffffff : 0xff000000);
    return bitmap;
}

QByteArray pngBytes(int side)
{
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    checkered(side).save(&buffer, "PNG");
    return bytes;
}

/// A PNG whose header claims the given size but which has no pixel data.
QByteArray claimingPng(quint32 width, quint32 height)
{
    QByteArray bytes = pngBytes(8);
    for (int byte = 0; byte < 4; ++byte) {
        bytes[16 + byte] = static_cast<char>(width >> (24 - 8 * byte));
        bytes[20 + byte] = static_cast<char>(height >> (24 - 8 * byte));
    }
    // Correct the header's checksum, so that the size is the only thing wrong.
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
            qFatal("cannot write the test's image");
        return file.fileName();
    }

private Q_SLOTS:
    void hostileImagesAreRefusedInASentence_data()
    {
        QTest::addColumn<QByteArray>("bytes");
        QTest::newRow("M12 empty") << QByteArray();
        QTest::newRow("M12 text") << QByteArray("hello, no image");
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
    void hostileImagesAreRefusedInASentence()
    {
        QFETCH(QByteArray, bytes);
        const QString file = write("hostile.png", bytes);
        QElapsedTimer clock;
        clock.start();
        const LoadedImage image = loadImage(file);
        QVERIFY(image.pixels.isNull());
        QVERIFY2(image.error.startsWith("hostile.png ") && image.error.endsWith('.'), qPrintable(image.error));
        QVERIFY(clock.elapsed() < 1000);
    }

    void aMissingOrHugeFileIsRefused()
    {
        QVERIFY(loadImage(m_folder.filePath("none.png")).error.contains("missing"));
        QVERIFY(!loadImage(m_folder.path()).error.isEmpty());
        const QString file = write("huge.png", pngBytes(8));
        QVERIFY(QFile::resize(file, 65LL << 20));
        QVERIFY(loadImage(file).error.contains("MB"));
    }

    void aLargeImageIsScaledDownToItsBound()
    {
        const QString file = write("large.png", pngBytes(300));
        const LoadedImage small = loadImage(file, {100, 50});
        QCOMPARE(small.pixels.size(), QSize(50, 50));
        QCOMPARE(small.fullSize, QSize(300, 300));
        QCOMPARE(loadImage(file).pixels.size(), QSize(300, 300));
    }

    void smallImagesAreEnlargedByWholeFactors()
    {
        QCOMPARE(imageRect({8, 8}, {0, 0, 100, 60}), QRectF(22, 2, 56, 56));
        QCOMPARE(imageRect({200, 100}, {10, 10, 100, 100}), QRectF(10, 35, 100, 50));
    }

    void enlargedPixelsStayCrisp()
    {
        ImageView view;
        view.resize(160, 160);
        LoadedImage image;
        image.pixels = checkered(8);
        view.setImage(image);
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
        ImageView view;
        view.resize(151, 140);
        LoadedImage image;
        image.pixels = checkered(64);
        view.setImage(image);
        view.setRealPixels(true);
        QCOMPARE(view.scale(), 1.0);
        const QRect target = view.target().toRect();
        QCOMPARE(view.grab().toImage().copy(target).convertToFormat(QImage::Format_RGB32), image.pixels);
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
        QTest::keyClick(&grid, Qt::Key_Return);
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

    void imagesArriveFromAnotherThread()
    {
        ImageCache cache({64, 64}, 1 << 20);
        const QString good = write("good.png", pngBytes(8));
        const QString bad = write("bad.png", "no");
        QSignalSpy loaded(&cache, &ImageCache::loaded);
        QVERIFY(!cache.find(good));
        QVERIFY(!cache.find(bad));
        QTRY_COMPARE(loaded.count(), 2);
        QCOMPARE(cache.find(good)->pixels.size(), QSize(8, 8));
        QVERIFY(!cache.find(bad)->error.isEmpty());
    }

    void aFileThatIsReplacedIsShownAnew_data()
    {
        QTest::addColumn<bool>("isSameSize");
        QTest::newRow("defect-18: by a larger picture") << false;
        QTest::newRow("defect-18: by one of as many bytes") << true;
    }
    void aFileThatIsReplacedIsShownAnew()
    {
        QFETCH(bool, isSameSize);
        ImageCache cache({}, 1 << 20);
        QImage first(8, 8, QImage::Format_RGB32);
        first.fill(Qt::red);
        QImage second(isSameSize ? 8 : 9, 8, QImage::Format_RGB32);
        second.fill(Qt::blue);
        const QString file = m_folder.filePath("replaced.bmp");
        const QString still = write("still.png", pngBytes(8));
        QVERIFY(first.save(file));
        QSignalSpy loaded(&cache, &ImageCache::loaded);
        cache.find(file);
        cache.find(still);
        QTRY_COMPARE(loaded.count(), 2);
        QVERIFY(second.save(file + ".tmp", "BMP"));
        QVERIFY(QFile::remove(file) && QFile::rename(file + ".tmp", file));
        QCOMPARE(cache.find(file)->pixels.pixel(0, 0), QColor(Qt::red).rgb());
        cache.recheck();
        QCOMPARE(cache.find(still)->pixels.size(), QSize(8, 8));
        QVERIFY(cache.find(file));  // the old one, until the file has been read
        QTRY_COMPARE(loaded.count(), 3);
        QCOMPARE(cache.find(file)->pixels.pixel(0, 0), QColor(Qt::blue).rgb());
        QTRY_COMPARE(cache.waiting(), 0);
        QCOMPARE(loaded.count(), 3);  // the file that is the same was not read again
    }

    void aMissingPictureAppearsWhenItIsThere()
    {
        ImageCache cache({}, 1 << 20);
        const QString file = m_folder.filePath("late.png");
        QSignalSpy loaded(&cache, &ImageCache::loaded);
        cache.find(file);
        QTRY_COMPARE(loaded.count(), 1);
        QVERIFY(cache.find(file)->error.contains("missing"));
        write("late.png", pngBytes(8));
        cache.recheck();
        cache.find(file);
        QTRY_COMPARE(loaded.count(), 2);
        QVERIFY(cache.find(file)->error.isEmpty());
    }

    void M12_whyThereIsNoPictureIsReadInItsPlace()
    {
        const QFont font = QApplication::font();
        const QFontMetrics metrics(font);
        const QString text = QStringLiteral("step-00000050-prompt-01.png is missing.");
        const int width = metrics.horizontalAdvance(QStringLiteral("step-00000"));
        const QStringList lines = wrappedLines(text, font, {width, 10 * metrics.lineSpacing()});
        QCOMPARE(lines.join(QString()).remove(' '), QString(text).remove(' '));
        const QStringList fewer = wrappedLines(text, font, {width, 2 * metrics.lineSpacing()});
        QCOMPARE(fewer.size(), 2);
        QVERIFY(fewer.last().endsWith(QStringLiteral("…")));
        for (const QString& line : lines + fewer)
            QVERIFY2(metrics.horizontalAdvance(line) <= width, qPrintable(line));

        GalleryGrid grid;
        grid.resize(300, 300);
        grid.setGrid("run", m_folder.path(), SampleGrid({sample(1, "a", 1, "samples/gone.png")}));
        grid.show();
        QTRY_VERIFY(grid.cache().find(grid.currentFile()));
        const QPoint place(200, 100);
        QHelpEvent help(QEvent::ToolTip, place, grid.viewport()->mapToGlobal(place));
        QApplication::sendEvent(grid.viewport(), &help);
        QVERIFY2(QToolTip::text().contains("gone.png is missing."), qPrintable(QToolTip::text()));
        QToolTip::hideText();
    }

    void whatIsNoFileOfTheRunIsNotOpened_data()
    {
        QTest::addColumn<bool>("isLink");
        QTest::newRow("defect-22: a link that leads out of the run") << true;
        QTest::newRow("defect-22: a pipe") << false;
    }
    void whatIsNoFileOfTheRunIsNotOpened()
    {
        QFETCH(bool, isLink);
        const QString target = write("elsewhere.png", pngBytes(8));
        const QString file = m_folder.filePath(isLink ? "link.png" : "pipe.png");
        if (isLink)
            QVERIFY(QFile::link(target, file));
        else
            QCOMPARE(::mkfifo(file.toLocal8Bit().constData(), 0600), 0);
        QVERIFY(loadImage(file).error.contains("missing"));
        QVERIFY(stampOf(file) == FileStamp());
    }

    /// N1: fainter and framed, so not by the colour alone, and said.
    void n01_supersededSamplesAreMarked()
    {
        const QString file = write("sample.png", pngBytes(64));
        std::vector<storage::SampleRow> samples {sample(100, "a", 1, "sample.png"), sample(200, "a", 1, "sample.png")};
        samples[1].isSuperseded = true;
        GalleryGrid grid;
        grid.resize(300, 600);
        grid.setGrid("run", m_folder.path(), SampleGrid(samples));
        grid.show();
        QVERIFY(QTest::qWaitForWindowExposed(&grid));
        QTRY_VERIFY(grid.cache().find(file));
        const auto said = [&](int row) {
            grid.setCurrent(row, 0);
            return grid.accessibleDescription();
        };
        QVERIFY2(!said(0).contains("superseded"), qPrintable(said(0)));
        QVERIFY2(said(1).contains("superseded by a later attempt"), qPrintable(said(1)));
        const auto darkest = [&](int row) {
            grid.setCurrent(1 - row, 0);  // without the frame of the current one
            const QImage all = grid.viewport()->grab().toImage();
            int least = 255;
            const int middle = all.height() / 4;
            for (int y = row == 0 ? middle - 40 : 3 * middle - 40; y < (row == 0 ? middle + 40 : 3 * middle + 40); ++y)
                for (int x = all.width() / 2 - 20; x < all.width() / 2 + 20; ++x)
                    least = std::min(least, qGray(all.pixel(x, y)));
            return least;
        };
        QCOMPARE(darkest(0), 0);
        QVERIFY2(darkest(1) > 80, qPrintable(QString::number(darkest(1))));
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
