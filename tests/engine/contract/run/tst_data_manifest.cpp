// The list of a run's training data: what is written is read back, and what somebody else wrote does no harm.
#include "engine/contract/run/data_manifest.h"

#include <QFile>
#include <QTemporaryDir>
#include <QtTest>

#include <sys/stat.h>

using contract::DataEntry;
using contract::DataManifest;

class DataManifestTest : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;

    std::filesystem::path write(const QByteArray& content) const
    {
        QFile file(m_folder.filePath("data.jsonl"));
        if (!file.open(QIODevice::WriteOnly) || file.write(content) != content.size())
            qFatal("cannot write the list");
        return file.fileName().toStdString();
    }

private Q_SLOTS:
    void whatIsWrittenIsReadBack()
    {
        DataManifest written {.attempt = 3, .folder = "/data/\"hearts\"", .resolution = 512, .entries = {}};
        written.entries.push_back({.file = "a.png", .caption = "a red heart\nwith \"quotes\" ♥", .use = DataEntry::Use::Training, .reason = {},
            .width = 1024, .height = 768, .bucketWidth = 576, .bucketHeight = 448, .repeats = 10, .mask = "a-masklabel.png", .poster = {}});
        written.entries.push_back({.file = "b", .caption = {}, .use = DataEntry::Use::Validation, .reason = {}, .frames = 81, .mask = {},
            .poster = "b/0001.png", .tile = {8, 16, 24, 32}, .isAlphaMask = true, .isPrecomputed = true});
        written.entries.push_back({.file = "/elsewhere/c.png", .caption = {}, .use = DataEntry::Use::Prior, .reason = {}, .mask = {}, .poster = {}});
        written.entries.push_back({.file = "d.png", .caption = {}, .use = DataEntry::Use::LeftOut, .reason = "d.png: is damaged", .mask = {}, .poster = {}});
        const std::filesystem::path file = m_folder.filePath("data.jsonl").toStdString();
        contract::writeDataManifest(file, written);
        const DataManifest read = contract::readDataManifest(file);
        QCOMPARE(read.attempt, 3);
        QCOMPARE(read.folder, written.folder);
        QCOMPARE(read.resolution, 512);
        QCOMPARE(read.missing, 0);
        QCOMPARE(read.entries.size(), written.entries.size());
        for (std::size_t i = 0; i < read.entries.size(); ++i) {
            const auto fields = [](const DataEntry& entry) {
                return std::tuple(entry.file, entry.caption, entry.use, entry.reason, entry.width, entry.height, entry.bucketWidth,
                    entry.bucketHeight, entry.frames, entry.repeats, entry.mask, entry.poster, entry.tile.left, entry.tile.top,
                    entry.tile.width, entry.tile.height, entry.isAlphaMask, entry.isPrecomputed);
            };
            QVERIFY2(fields(read.entries[i]) == fields(written.entries[i]), read.entries[i].file.c_str());
        }
        QCOMPARE(contract::dataPath(read, "a.png"), std::filesystem::path("/data/\"hearts\"/a.png"));
        QCOMPARE(contract::dataPath(read, "/elsewhere/c.png"), std::filesystem::path("/elsewhere/c.png"));
    }

    void badLinesAreCountedAndTheOthersRead_data()
    {
        QTest::addColumn<QByteArray>("lines");
        QTest::addColumn<int>("missing");
        const QByteArray good = "{\"file\":\"a.png\",\"use\":\"training\"}\n";
        QTest::newRow("not JSON") << good + "nonsense\n" << 1;
        QTest::newRow("no object") << good + "[1,2]\n" << 1;
        QTest::newRow("a text where a number belongs counts as not known") << QByteArray("{\"file\":\"a.png\",\"use\":\"training\",\"width\":\"9\"}\n") << 0;
        QTest::newRow("numbers out of range count as not known")
            << QByteArray("{\"file\":\"a.png\",\"use\":\"training\",\"width\":18446744073709551615,\"height\":-5,\"bucket\":[1e300,7],\"frames\":0,"
                          "\"repeats\":-9223372036854775808}\n")
            << 0;
        QTest::newRow("a bucket of one number") << QByteArray("{\"file\":\"a.png\",\"use\":\"training\",\"bucket\":[64]}\n") << 0;
        QTest::newRow("a tile without a size") << QByteArray("{\"file\":\"a.png\",\"use\":\"training\",\"tile\":[8,8,0,8]}\n") << 0;
        QTest::newRow("an unknown use") << good + "{\"file\":\"b.png\",\"use\":\"eaten\"}\n" << 1;
        QTest::newRow("a file with a NUL in its name") << good + "{\"file\":\"b\\u0000.png\",\"use\":\"training\"}\n" << 1;
        QTest::newRow("a file that is no text") << good + "{\"file\":{\"a\":1},\"use\":\"training\"}\n" << 1;
        QTest::newRow("deeply nested") << good + QByteArray(100'000, '[') + "\n" << 1;
        QTest::newRow("a line of two MiB") << good + QByteArray(2 << 20, 'x') + "\n" << 1;
        QTest::newRow("bytes that are not UTF-8") << good + "{\"file\":\"\xff\xfe\",\"use\":\"training\"}\n" << 1;
    }
    void badLinesAreCountedAndTheOthersRead()
    {
        QFETCH(QByteArray, lines);
        QFETCH(int, missing);
        const DataManifest read = contract::readDataManifest(write("{\"v\":1,\"folder\":\"/data\"}\n" + lines));
        QCOMPARE(read.entries.size(), std::size_t {1});
        QCOMPARE(read.missing, missing);
        const DataEntry& entry = read.entries.front();
        QCOMPARE(entry.file, std::string("a.png"));
        QVERIFY(entry.width == 0 && entry.height == 0 && entry.bucketWidth == 0 && entry.bucketHeight == 0 && entry.frames == 1 && entry.repeats == 1
            && entry.tile == DataEntry::Tile {});
        QCOMPARE(entry.croppedPart(), 0.0);
    }

    void theFolderMayBeTheRunsOwn()
    {
        QCOMPARE(contract::readDataManifest(write("{\"v\":1,\"folder\":\".\"}\n")).folder, m_folder.path().toStdString());
    }

    void aListThatEndsEarlyMissesItsRest()
    {
        const DataManifest read = contract::readDataManifest(write("{\"v\":1,\"entries\":5}\n{\"file\":\"a.png\",\"use\":\"training\"}\n{\"file\":\"b"));
        QCOMPARE(read.entries.size(), std::size_t {1});
        QCOMPARE(read.missing, 4);
    }

    void whatIsNoListIsRefusedInASentence_data()
    {
        QTest::addColumn<QByteArray>("content");
        QTest::addColumn<QString>("part");
        QTest::newRow("empty") << QByteArray() << "is not a list of training data";
        QTest::newRow("an entry first") << QByteArray("{\"file\":\"a.png\"}\n") << "is not a list of training data";
        QTest::newRow("of a later version") << QByteArray("{\"v\":2}\n") << "a later version of Atelier";
    }
    void whatIsNoListIsRefusedInASentence()
    {
        QFETCH(QByteArray, content);
        QFETCH(QString, part);
        try {
            contract::readDataManifest(write(content));
            QFAIL("the list is read");
        } catch (const std::runtime_error& error) {
            const QString sentence = error.what();
            QVERIFY2(sentence.contains("data.jsonl") && sentence.contains(part), error.what());
        }
    }

    void linksAndPipesAreNotOpened()
    {
        const std::filesystem::path link = m_folder.filePath("link.jsonl").toStdString(), pipe = m_folder.filePath("pipe.jsonl").toStdString();
        std::filesystem::create_symlink(write("{\"v\":1}\n"), link);
        QCOMPARE(::mkfifo(pipe.c_str(), 0600), 0);
        QVERIFY_THROWS_EXCEPTION(std::runtime_error, contract::readDataManifest(link));
        QVERIFY_THROWS_EXCEPTION(std::runtime_error, contract::readDataManifest(pipe));
        QVERIFY_THROWS_EXCEPTION(std::runtime_error, contract::readDataManifest(m_folder.filePath("none").toStdString()));
    }

    void aBucketsShapeCropsAndSmallImagesAreEnlarged_data()
    {
        QTest::addColumn<QList<int>>("sizes");  // image, bucket
        QTest::addColumn<double>("cropped");
        QTest::addColumn<bool>("isEnlarged");
        QTest::newRow("the same shape") << QList<int> {1024, 768, 512, 384} << 0.0 << false;
        QTest::newRow("twice as wide") << QList<int> {1000, 500, 512, 512} << 0.5 << true;
        QTest::newRow("higher") << QList<int> {600, 800, 512, 512} << 0.25 << false;
        QTest::newRow("smaller") << QList<int> {256, 256, 512, 512} << 0.0 << true;
    }
    void aBucketsShapeCropsAndSmallImagesAreEnlarged()
    {
        QFETCH(QList<int>, sizes);
        const DataEntry entry {.file = "a.png", .caption = {}, .reason = {}, .width = sizes[0], .height = sizes[1], .bucketWidth = sizes[2],
            .bucketHeight = sizes[3], .mask = {}, .poster = {}};
        QTEST(entry.croppedPart(), "cropped");
        QTEST(entry.isEnlarged(), "isEnlarged");
    }
};

QTEST_APPLESS_MAIN(DataManifestTest)
#include "tst_data_manifest.moc"
