#include "engine/data/image_folder.h"

#include <QImage>
#include <QTemporaryDir>
#include <QtTest>

#include <filesystem>
#include <fstream>
#include <stdexcept>

namespace fs = std::filesystem;

class ImageFolderTest : public QObject {
    Q_OBJECT

    std::unique_ptr<QTemporaryDir> m_scratch;

    fs::path folder() const { return m_scratch->path().toStdString(); }

    void write(const QByteArray& name, const std::string& content) const
    {
        fs::create_directories((folder() / name.toStdString()).parent_path());
        std::ofstream(folder() / name.toStdString(), std::ios::binary) << content;
    }

    void paint(const QByteArray& name, int width = 6, int height = 4) const
    {
        fs::create_directories((folder() / name.toStdString()).parent_path());
        QImage bitmap(width, height, QImage::Format_RGB888);
        bitmap.fill(Qt::red);
        QVERIFY(bitmap.save(QString::fromStdString((folder() / name.toStdString()).string()), "PNG"));
    }

    QStringList captions(const engine::ImageFolder& found) const
    {
        QStringList lines;
        for (const auto& image : found.images)
            lines += QString::fromStdString(fs::relative(image.file, folder()).string() + "=" + image.caption);
        return lines;
    }

private Q_SLOTS:
    void init() { m_scratch = std::make_unique<QTemporaryDir>(); }

    void captionsLieBesideImages()
    {
        paint("b.png");
        write("b.txt", "  a red thing\n");
        paint("a.JPG");  // what is in it counts
        paint("sub/c.webp");
        write("sub/c.txt", "another");
        write("notes.md", "no image");
        const auto found = engine::scanImageFolder(folder());
        QCOMPARE(captions(found), QStringList({"a.JPG=", "b.png=a red thing", "sub/c.webp=another"}));
        QCOMPARE(found.withoutCaption, std::int64_t {1});
        QCOMPARE(found.broken.size(), std::size_t {0});
        QVERIFY(found.images[0].size.width == 6 && found.images[0].size.height == 4);
    }

    void captionsLieInMetadata()
    {
        paint("a.png");
        paint("sub/b.png");
        paint("c.png");
        write("c.txt", "its own file");
        write("metadata.jsonl", R"({"file_name": "a.png", "text": " first "})"
                                "\n\n"
                                R"({"file_name": "sub/b.png", "caption": "second"})"
                                "\r\n"
                                R"({"file_name": "c.png", "text": "not used"})");
        const auto found = engine::scanImageFolder(folder());
        QCOMPARE(captions(found), QStringList({"a.png=first", "c.png=its own file", "sub/b.png=second"}));
        QCOMPARE(found.broken.size(), std::size_t {0});
    }

    void aFileThatIsNoMetadataCostsLittle_defect_31()
    {
        paint("a.png");
        write("metadata.jsonl", QByteArray("file_name,text\n").repeated(100'000).toStdString());
        const auto found = engine::scanImageFolder(folder());
        QCOMPARE(found.images.size(), std::size_t {1});
        QCOMPARE(found.broken.size(), std::size_t {1001});
        QVERIFY2(found.broken.back().reason.ends_with("metadata.jsonl: 99000 more lines are malformed"), found.broken.back().reason.c_str());
    }

    void brokenThingsAreListedAndLeftOut_data()
    {
        QTest::addColumn<QByteArray>("name");
        QTest::addColumn<QByteArray>("content");
        QTest::addColumn<QByteArray>("reason");
        QTest::newRow("no image") << QByteArray("bad.png") << QByteArray("hello") << QByteArray("bad.png: is not a PNG");
        QTest::newRow("empty") << QByteArray("bad.jpg") << QByteArray() << QByteArray("bad.jpg: is empty");
        QTest::newRow("long caption") << QByteArray("good.txt") << QByteArray(70000, 'x') << QByteArray("good.txt: has 70000 bytes");
        QTest::newRow("defect-33: NUL in a caption") << QByteArray("good.txt") << QByteArray("a\0b", 3) << QByteArray("good.txt: has a NUL character");
        QTest::newRow("a caption in Latin-1") << QByteArray("good.txt") << QByteArray("ein gr\xfcner Hund") << QByteArray("good.txt: is not UTF-8 text");
        QTest::newRow("an image of another format") << QByteArray("b.TIFF") << QByteArray("II*") << QByteArray("b.TIFF: is of a format that is not read; save it as PNG");
        QTest::newRow("defect-33: NUL in the metadata") << QByteArray("metadata.jsonl")
                                                       << QByteArray(R"({"file_name": "good.png", "text": "a\u0000b"})")
                                                       << QByteArray("metadata.jsonl, line 1: has a NUL character");
        QTest::newRow("broken line") << QByteArray("metadata.jsonl") << QByteArray("{\n") << QByteArray("metadata.jsonl, line 1: is not a JSON object");
        QTest::newRow("caption that is too long") << QByteArray("metadata.jsonl")
                                                  << "{\"file_name\": \"a.png\", \"text\": \"" + QByteArray(65537, 'x') + "\"}"
                                                  << QByteArray("metadata.jsonl, line 1: the caption has more than 65536 bytes");
        QTest::newRow("defect-31: a line without end") << QByteArray("metadata.jsonl") << QByteArray(2 << 20, '[')
                                                       << QByteArray("metadata.jsonl, line 1: is not a JSON object with a file_name, of at most 1048576 bytes");
        QTest::newRow("line without a name") << QByteArray("metadata.jsonl") << QByteArray("\n[3]\n") << QByteArray("metadata.jsonl, line 2: is not a JSON object");
        QTest::newRow("image that is missing") << QByteArray("metadata.jsonl") << QByteArray(R"({"file_name": "x.png"})")
                                                 << QByteArray("metadata.jsonl: names \"x.png\", which does not exist");
        QTest::newRow("image outside") << QByteArray("metadata.jsonl") << QByteArray(R"({"file_name": "../../etc/passwd", "text": "x"})")
                                         << QByteArray("etc/passwd\", which does not exist");
    }
    void brokenThingsAreListedAndLeftOut()
    {
        QFETCH(QByteArray, name);
        QFETCH(QByteArray, content);
        QFETCH(QByteArray, reason);
        paint("fine.png");
        paint("good.png");
        write(name, content.toStdString());
        const auto found = engine::scanImageFolder(folder());
        QVERIFY(found.images.size() == (name == "good.txt" ? 1U : 2U));
        QCOMPARE(found.broken.size(), std::size_t {1});
        QVERIFY2(QByteArray::fromStdString(found.broken[0].reason).contains(reason), found.broken[0].reason.c_str());
    }

    void anImageOfAnotherFormatIsListedOnce()
    {
        paint("a.png");
        write("b.bmp", "BM");
        write("metadata.jsonl", R"({"file_name": "b.bmp", "text": "a cat"})");
        const auto found = engine::scanImageFolder(folder());
        QCOMPARE(found.broken.size(), std::size_t {1});
        QVERIFY2(found.broken[0].reason.ends_with("b.bmp: is of a format that is not read; save it as PNG, JPEG or WebP"), found.broken[0].reason.c_str());
    }

    void aByteOrderMarkIsNoPartOfACaption()
    {
        paint("a.png");
        write("a.txt", "\xef\xbb\xbf a dog\r\n");
        paint("b.png");
        write("metadata.jsonl", "\xef\xbb\xbf{\"file_name\": \"b.png\", \"text\": \"a cat\"}\n");
        const auto found = engine::scanImageFolder(folder());
        QCOMPARE(found.images.size(), std::size_t {2});
        QCOMPARE(found.images[0].caption, std::string("a dog"));
        QCOMPARE(found.images[1].caption, std::string("a cat"));
    }

    void linksThatLeadNowhereAreListed_data()
    {
        QTest::addColumn<QByteArray>("name");
        QTest::newRow("fuzz: caption") << QByteArray("good.txt");
        QTest::newRow("fuzz: image") << QByteArray("good.png");
        QTest::newRow("fuzz: mask") << QByteArray("good-masklabel.png");
    }
    void linksThatLeadNowhereAreListed()
    {
        QFETCH(QByteArray, name);
        paint("fine.png");
        paint("good.png");
        fs::remove(folder() / name.toStdString());
        fs::create_symlink(name.toStdString(), folder() / name.toStdString());
        const auto found = engine::scanImageFolder(folder());
        QCOMPARE(found.images.size(), std::size_t {1});
        QCOMPARE(found.broken.size(), std::size_t {1});
        QVERIFY2(QByteArray::fromStdString(found.broken[0].reason).startsWith((folder() / name.toStdString()).c_str()), found.broken[0].reason.c_str());
    }

    void masksBelongToTheirImages()
    {
        paint("a.png");
        paint("a-masklabel.png");
        paint("b.png");
        paint("b-masklabel.png", 5, 4);
        paint("c.png");
        const auto found = engine::scanImageFolder(folder());
        QCOMPARE(found.images.size(), std::size_t {2});
        QCOMPARE(found.images[0].mask, folder() / "a-masklabel.png");
        QVERIFY(found.images[1].mask.empty());
        QCOMPARE(found.broken.size(), std::size_t {1});
        QVERIFY(found.broken[0].reason.find("differs in size from its image") != std::string::npos);
    }

    void foldersMaySayHowOftenTheyAreSeen_data()
    {
        QTest::addColumn<QByteArray>("name");
        QTest::addColumn<bool>("isAsked");
        QTest::addColumn<int>("repeats");
        QTest::addColumn<QString>("caption");
        QTest::newRow("as Kohya's") << QByteArray("10_a dog") << true << 10 << "a dog";
        QTest::newRow("not asked for") << QByteArray("10_a dog") << false << 1 << "";
        QTest::newRow("no number") << QByteArray("dogs") << true << 1 << "";
        QTest::newRow("no name") << QByteArray("10_") << true << 1 << "";
        QTest::newRow("none at all") << QByteArray("0_dog") << true << 1 << "";
        QTest::newRow("too often") << QByteArray("99999999999999999999_dog") << true << 1 << "";
        QTest::newRow("more often than anybody wants") << QByteArray("10001_dog") << true << 1 << "";
        QTest::newRow("a number that is no count") << QByteArray("101dogs") << true << 1 << "";
        QTest::newRow("negative") << QByteArray("-3_dog") << true << 1 << "";
    }
    void foldersMaySayHowOftenTheyAreSeen()
    {
        QFETCH(QByteArray, name);
        QFETCH(bool, isAsked);
        QFETCH(int, repeats);
        QFETCH(QString, caption);
        paint(name + "/a.png");
        paint(name + "/b.png");
        write(name + "/b.txt", "its own");
        const auto found = engine::scanImageFolder(folder(), isAsked);
        QCOMPARE(found.images[0].repeats, std::int64_t {repeats});
        QCOMPARE(QString::fromStdString(found.images[0].caption), caption);
        QCOMPARE(found.images[1].caption, std::string("its own"));
    }

    void tensorsTakeTheirImagesPlace()
    {
        paint("a.png");
        write("a.txt", "a thing");
        write("a.safetensors", "looked at later");
        paint("b.png");
        const auto found = engine::scanImageFolder(folder());
        QCOMPARE(found.images.size(), std::size_t {1});
        QCOMPARE(found.precomputed.size(), std::size_t {1});
        QCOMPARE(found.precomputed[0].caption, std::string("a thing"));
    }

    void foldersWithoutImagesAreRefused()
    {
        QVERIFY_THROWS_EXCEPTION(std::runtime_error, engine::scanImageFolder(folder()));
        QVERIFY_THROWS_EXCEPTION(std::runtime_error, engine::scanImageFolder(folder() / "none"));
        write("bad.png", "x");
        try {
            engine::scanImageFolder(folder());
            QFAIL("all are broken");
        } catch (const std::runtime_error& error) {
            QVERIFY2(QByteArray(error.what()).contains("no image that can be read") && QByteArray(error.what()).contains("bad.png"), error.what());
        }
    }
};

QTEST_GUILESS_MAIN(ImageFolderTest)
#include "tst_image_folder.moc"
