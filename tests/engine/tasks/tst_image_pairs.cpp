// Pairs of images that people prefer and reject, found by their names.
#include "engine/comm/errors.h"
#include "engine/tasks/image_pairs.h"

#include <QtTest>

using engine::PreparedImage;

namespace {

std::vector<PreparedImage> imagesOf(std::initializer_list<const char*> files)
{
    std::vector<PreparedImage> images;
    for (const char* file : files) {
        PreparedImage& image = images.emplace_back();
        image.file = std::filesystem::path("/data/pairs") / file;
        image.caption = std::string("caption of ") + file;
    }
    return images;
}

}  // namespace

class ImagePairsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void imagesOfTheSameNameArePairs_A076()
    {
        const auto result = engine::imagePairs(
            imagesOf({"chosen/a.png", "chosen/sub/b.jpg", "chosen/lonely.png", "other/c.png", "rejected/a.webp", "rejected/sub/b.jpg", "rejected/b.jpg"}),
            "/data/pairs/");
        QCOMPARE(result.pairs.size(), std::size_t {2});
        QCOMPARE(result.pairs[0].chosen.caption, std::string("caption of chosen/a.png"));
        QCOMPARE(result.pairs[0].rejected.caption, std::string("caption of rejected/a.webp"));
        QCOMPARE(result.pairs[1].chosen.caption, std::string("caption of chosen/sub/b.jpg"));
        QCOMPARE(result.pairs[1].rejected.caption, std::string("caption of rejected/sub/b.jpg"));
        QCOMPARE(result.unmatched, (std::vector<std::string> {"chosen/lonely.png", "rejected/b.jpg"}));
    }

    void aFolderWithoutPairsIsRefused_data()
    {
        QTest::addColumn<QStringList>("files");
        QTest::newRow("nothing") << QStringList {};
        QTest::newRow("no folders") << QStringList {"a.png", "b.png"};
        QTest::newRow("other names") << QStringList {"chosen/a.png", "rejected/b.png"};
        QTest::newRow("elsewhere") << QStringList {"sub/chosen/a.png", "sub/rejected/a.png"};
    }
    void aFolderWithoutPairsIsRefused()
    {
        QFETCH(QStringList, files);
        std::vector<PreparedImage> images;
        for (const QString& file : files)
            images.emplace_back().file = "/data/pairs/" + file.toStdString();
        try {
            engine::imagePairs(images, "/data/pairs");
            QFAIL("not refused");
        } catch (const engine::EngineError& error) {
            QCOMPARE(error.what(),
                "data.folder = \"/data/pairs\": dpo.source = \"offline\" needs the folders chosen and rejected in it, with images of the same names; "
                "there is no such pair");
        }
    }
};

QTEST_GUILESS_MAIN(ImagePairsTest)
#include "tst_image_pairs.moc"
