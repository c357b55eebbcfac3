// E11: the cache of thumbnails on the disk: it saves decoding, notices changes, and survives damage, hostility and company.
#include "ui/base/thumbnail_store.h"
#include "ui/gallery/thumbnail.h"

#include <QBuffer>
#include <QDataStream>
#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <fcntl.h>
#include <sys/stat.h>

#include <atomic>
#include <thread>
#include <vector>

using namespace ui;

namespace {

constexpr QSize kBound(64, 64);

QByteArray bitmap(QRgb colour)
{
    QImage image(200, 100, QImage::Format_RGB32);
    image.fill(colour);
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    image.save(&buffer, "BMP");  // all colours take as many bytes
    return bytes;
}

}  // namespace

class ThumbnailsTest : public QObject {
    Q_OBJECT

    std::unique_ptr<QTemporaryDir> m_folder;

    QString picture() const { return m_folder->filePath("picture.bmp"); }
    QDir kept() const { return QDir(m_folder->filePath("thumbnails")); }
    QStringList keptFiles() const { return kept().entryList(QDir::Files | QDir::System, QDir::Name); }
    QString onlyThumbnail() const { return kept().filePath(keptFiles().value(0)); }

    static void put(const QString& file, const QByteArray& bytes)
    {
        QFile target(file);
        if (!target.open(QIODevice::ReadWrite) || target.write(bytes) != bytes.size())
            qFatal("cannot write the test's file");
    }

    /// Changes the pixels and nothing that a stamp has: whoever still sees the old ones has not decoded the file.
    void changeSecretly(QRgb colour)
    {
        struct stat before {};
        const QByteArray name = QFile::encodeName(picture());
        QCOMPARE(::stat(name.constData(), &before), 0);
        put(picture(), bitmap(colour));
        const timespec times[] = {before.st_atim, before.st_mtim};
        QCOMPARE(::utimensat(AT_FDCWD, name.constData(), times, 0), 0);
    }

    static bool isColour(const LoadedImage& image, QColor colour)
    {
        const QColor found = image.pixels.pixelColor(5, 5);
        return std::abs(found.red() - colour.red()) + std::abs(found.green() - colour.green()) + std::abs(found.blue() - colour.blue()) < 9;
    }

private Q_SLOTS:
    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        put(picture(), bitmap(qRgb(200, 0, 0)));
        keepThumbnailsIn(m_folder->filePath("thumbnails").toStdString());
    }
    void cleanup() { keepThumbnailsIn({}); }

    void theSecondTimeNothingIsDecoded_E11()
    {
        const LoadedImage first = loadImage(picture(), kBound);
        QCOMPARE(first.pixels.size(), QSize(64, 32));
        QCOMPARE(keptFiles().size(), 1);
        QCOMPARE(QFileInfo(kept().path()).permissions() & (QFile::ReadGroup | QFile::ReadOther), QFile::Permissions());
        changeSecretly(qRgb(0, 0, 200));
        const LoadedImage second = loadImage(picture(), kBound);
        QVERIFY(isColour(second, QColor(200, 0, 0)));
        QCOMPARE(second.pixels.size(), first.pixels.size());
        QCOMPARE(second.fullSize, QSize(200, 100));
        QCOMPARE(second.stamp, first.stamp);
        QVERIFY(isColour(loadImage(picture()), QColor(0, 0, 200)));  // real pixels never come from there
        QVERIFY(isColour(loadImage(picture(), {32, 32}), QColor(0, 0, 200)));
    }

    void anotherFileUnderTheSameNameIsDecoded_E11()
    {
        loadImage(picture(), kBound);
        QVERIFY(QFile::remove(picture()));
        put(picture(), bitmap(qRgb(0, 0, 200)));
        QVERIFY(isColour(loadImage(picture(), kBound), QColor(0, 0, 200)));
    }

    void smallImagesAreNotKept_E11()
    {
        loadImage(picture(), {400, 400});
        QCOMPARE(keptFiles().size(), 0);
    }

    void aDamagedThumbnailIsMadeAgain_E11_data()
    {
        QTest::addColumn<int>("at");  // of the byte that is changed; -1: cut off; -2: empty
        QTest::newRow("in the checksum") << 3;
        QTest::newRow("in the facts") << 20;
        QTest::newRow("in the pixels") << 300;
        QTest::newRow("cut off") << -1;
        QTest::newRow("empty") << -2;
    }
    void aDamagedThumbnailIsMadeAgain_E11()
    {
        QFETCH(int, at);
        loadImage(picture(), kBound);
        QFile file(onlyThumbnail());
        QVERIFY(file.open(QIODevice::ReadWrite));
        if (at < 0) {
            QVERIFY(file.resize(at == -1 ? file.size() / 2 : 0));
        } else {
            char byte = 0;
            QVERIFY(file.seek(at) && file.getChar(&byte) && file.seek(at) && file.putChar(static_cast<char>(byte ^ 0x55)));
        }
        file.close();
        changeSecretly(qRgb(0, 0, 200));
        QVERIFY(isColour(loadImage(picture(), kBound), QColor(0, 0, 200)));  // decoded
        changeSecretly(qRgb(0, 200, 0));
        QVERIFY(isColour(loadImage(picture(), kBound), QColor(0, 0, 200)));  // and kept again
    }

    /// Whoever can write there knows how to make a checksum.
    void aHostileThumbnailIsMadeAgain_E11()
    {
        loadImage(picture(), kBound);
        const std::string key = keptFiles().value(0).left(32).toStdString();
        QByteArray large;
        QBuffer buffer(&large);
        buffer.open(QIODevice::WriteOnly);
        QImage image(4000, 4000, QImage::Format_RGB32);
        image.fill(Qt::blue);
        image.save(&buffer, "PNG");
        QVERIFY(large.size() < ThumbnailStore::kMostEach);
        const VideoFacts none;
        for (const QByteArray& bytes : {large, QByteArray("<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'/>"), QByteArray()}) {
            QByteArray content;
            QDataStream stream(&content, QIODevice::WriteOnly);
            stream << QSize(200, 100) << false << none.framesPerSecond << none.seconds << none.frames << none.isCounted << bytes;
            ThumbnailStore(kept().path().toStdString()).keep(key, content);
            QVERIFY(isColour(loadImage(picture(), kBound), QColor(200, 0, 0)));
        }
        // A link is not followed, neither to read nor to write.
        const QString secret = m_folder->filePath("secret");
        put(secret, "secret");
        QVERIFY(QFile::remove(onlyThumbnail()));
        QVERIFY(QFile::link(secret, kept().filePath(QString::fromStdString(key) + ".thumbnail")));
        QVERIFY(isColour(loadImage(picture(), kBound), QColor(200, 0, 0)));
        QVERIFY(!QFileInfo(onlyThumbnail()).isSymLink());
        QFile file(secret);
        QVERIFY(file.open(QIODevice::ReadOnly));
        QCOMPARE(file.readAll(), QByteArray("secret"));
    }

    void whereNothingCanBeKeptImagesAreShownAllTheSame_E11()
    {
        put(m_folder->filePath("thumbnails"), "a file in its place");
        QVERIFY(isColour(loadImage(picture(), kBound), QColor(200, 0, 0)));
        keepThumbnailsIn(m_folder->filePath("gone/thumbnails").toStdString());
        QVERIFY(isColour(loadImage(picture(), kBound), QColor(200, 0, 0)));
        QVERIFY(!QFileInfo::exists(m_folder->filePath("gone")));
    }

    void theOldestAreRemoved_E11()
    {
        constexpr qint64 kLimit = 100'000;
        QVERIFY(QDir(m_folder->path()).mkdir("thumbnails"));
        put(kept().filePath("a user's file"), QByteArray(1000, 'x'));
        ThumbnailStore store(kept().path().toStdString(), kLimit);
        const auto key = [](int number) { return QString::number(number).rightJustified(32, '0').toStdString(); };
        for (int number = 0; number < 20; ++number) {
            store.keep(key(number), QByteArray(10'000, 'a'));
            const timespec old[] = {{1'000'000 + number, 0}, {1'000'000 + number, 0}};
            ::utimensat(AT_FDCWD, kept().filePath(QString::fromStdString(key(number)) + ".thumbnail").toLocal8Bit().constData(), old, 0);
            if (number == 2)
                continue;
            QVERIFY(number < 3 || store.find(key(2)));  // it is in use
        }
        qint64 bytes = 0;
        for (const QString& name : kept().entryList({"*.thumbnail"}))
            bytes += QFileInfo(kept().filePath(name)).size();
        QVERIFY2(bytes <= kLimit && bytes > kLimit / 2, qPrintable(QString::number(bytes)));
        QVERIFY(store.find(key(19)) && store.find(key(2)));
        QVERIFY(!store.find(key(0)) && !store.find(key(3)));
        QVERIFY(QFileInfo::exists(kept().filePath("a user's file")));
        store.keep(key(30), QByteArray(ThumbnailStore::kMostEach + 1, 'a'));
        QVERIFY(!store.find(key(30)));
    }

    /// Two windows, each with threads: whoever finds something finds all of it.
    void severalWritersDoNotDisturbEachOther_E11()
    {
        constexpr int kKeys = 8, kRounds = 300;
        std::atomic<int> found = 0, wrong = 0;
        std::vector<std::thread> writers;
        ThumbnailStore stores[] = {ThumbnailStore(kept().path().toStdString(), 40'000), ThumbnailStore(kept().path().toStdString(), 40'000)};
        for (int writer = 0; writer < 4; ++writer) {
            writers.emplace_back([&, writer] {
                ThumbnailStore& store = stores[writer % 2];
                for (int round = 0; round < kRounds; ++round) {
                    const int number = (round + writer) % kKeys;
                    const std::string key(32, static_cast<char>('a' + number % 6));
                    const QByteArray content(10'000 + writer, static_cast<char>('a' + number % 6));
                    if (const auto seen = store.find(key)) {
                        ++found;
                        wrong += seen->size() < 10'000 || seen->count(content[0]) != seen->size();
                    }
                    store.keep(key, content);
                }
            });
        }
        for (std::thread& writer : writers)
            writer.join();
        QCOMPARE(wrong.load(), 0);
        QVERIFY(found > kRounds);
        QCOMPARE(kept().entryList({"*.tmp*"}), QStringList());
    }
};

QTEST_MAIN(ThumbnailsTest)
#include "tst_thumbnails.moc"
