// The emoji of Debian's colour font as captioned images.
#include "engine/contract/formats/file_content.h"
#include "engine/emoji/emoji_font.h"
#include "engine/emoji/emoji_images.h"
#include "engine/emoji/emoji_names.h"
#include "tests/app/atelier_program.h"
#include "tests/app/rank_process.h"
#include "tests/support/file_size_limit.h"
#include "tests/support/whole_test.h"

#include <QDir>
#include <QImage>
#include <QTemporaryDir>
#include <QtTest>

#include <random>

using tests::AtelierProgram;
using tests::Outcome;
using tests::contentOf;

namespace {

constexpr const char* kFont = "/usr/share/fonts/truetype/noto/NotoColorEmoji.ttf";

}  // namespace

class EmojiTest : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    AtelierProgram m_atelier;

    QString path(const QString& name) const { return m_folder.filePath("emoji/" + name); }

private Q_SLOTS:
    void everyEmojiIsWritten()
    {
        const Outcome outcome = m_atelier.run({"data", "emoji", "--to", path({})});
        QVERIFY2(outcome.exitCode == 0, outcome.report());
        const QStringList images = QDir(path({})).entryList({"*.png"});
        const QStringList captions = QDir(path({})).entryList({"*.txt"});
        QVERIFY2(images.size() >= 3600, outcome.report());
        QCOMPARE(captions.size(), images.size());
        QVERIFY2(outcome.output.contains(QByteArray::number(images.size()) + " images"), outcome.report());
        QSet<QByteArray> different;
        for (const QString& image : images) {
            const QByteArray bytes = contentOf(path(image));
            const QImage bitmap = QImage::fromData(bytes, "PNG");
            QVERIFY2(bitmap.size() == QSize(136, 128) && bitmap.hasAlphaChannel(), qPrintable(image));
            different.insert(bytes);
        }
        QVERIFY(different.size() > images.size() * 9 / 10);
        const Outcome again = m_atelier.run({"data", "emoji", "--to", path({})});  // defect 44
        QVERIFY2(again.exitCode == 1 && again.errors.contains("exists and is not empty; choose a new folder, or use --overwrite"), again.report());
    }

    void captionsAreTheirNames_data()
    {
        QTest::addColumn<QString>("image");
        QTest::addColumn<QByteArray>("caption");
        QTest::newRow("one character") << "1f600" << QByteArray("grinning face\n");
        QTest::newRow("joined") << "1f468-200d-1f680" << QByteArray("man astronaut\n");
        QTest::newRow("tone of skin") << "1f44d-1f3fd" << QByteArray("thumbs up: medium skin tone\n");
        QTest::newRow("flag") << "1f1eb-1f1f7" << QByteArray("flag: France\n");
        QTest::newRow("key") << "0023-fe0f-20e3" << QByteArray("keycap: #\n");
    }
    void captionsAreTheirNames()
    {
        QFETCH(QString, image);
        QFETCH(QByteArray, caption);
        QCOMPARE(contentOf(path(image + ".txt")), caption);
        QVERIFY(QFile::exists(path(image + ".png")));
    }

    void partsOfASequenceHaveImagesOfTheirOwn()
    {
        const QByteArray man = contentOf(path("1f468.png"));
        QVERIFY(!man.isEmpty() && man != contentOf(path("1f468-200d-1f680.png")));
        const QImage france(path("1f1eb-1f1f7.png"));  // blue, white, red
        const QColor left = france.pixelColor(25, 64);
        const QColor right = france.pixelColor(110, 64);
        QVERIFY(left.blue() > left.red() && right.red() > right.blue());
    }

    void whatIsMissingIsNamed_data()
    {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<QByteArray>("expectedError");
        QTest::newRow("font") << QStringList({"--font", "/no/font.ttf"}) << QByteArray("/no/font.ttf is missing; install Debian's package fonts-noto-color-emoji");
        QTest::newRow("names") << QStringList({"--names", "/no/list.txt"}) << QByteArray("/no/list.txt is missing; install Debian's package unicode-data");
        QTest::newRow("no font") << QStringList({"--font", "/etc/passwd"}) << QByteArray("/etc/passwd: ");
        QTest::newRow("font without images") << QStringList({"--font", "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf"})
                                               << QByteArray("DejaVuSans.ttf: has no table CBLC");
    }
    void whatIsMissingIsNamed()
    {
        QFETCH(QStringList, arguments);
        QFETCH(QByteArray, expectedError);
        const Outcome outcome = m_atelier.run(QStringList({"data", "emoji", "--to", path("none")}) + arguments);
        QCOMPARE(outcome.exitCode, 1);
        QVERIFY2(outcome.errors.contains(expectedError), outcome.report());
    }

    void aFullDiskLeavesNothing_defect_16()
    {
        const QTemporaryDir cache;
        {
            const tests::FileSizeLimit full(3000);  // smaller than many of the images
            QVERIFY_THROWS_EXCEPTION(std::runtime_error, engine::makeEmojiImages({}, cache.filePath("emoji").toStdString()));
        }
        QCOMPARE(QDir(cache.path()).entryList(QDir::AllEntries | QDir::NoDotAndDotDot), QStringList());
        engine::makeEmojiImages({}, cache.filePath("emoji").toStdString());
        QCOMPARE(QDir(cache.path()).entryList(QDir::AllEntries | QDir::NoDotAndDotDot), QStringList("emoji"));
    }

    void listsAreReadLineByLine()
    {
        const auto emoji = engine::parseEmojiNames("# group: a\n\n"
                                                "1F600 ; fully-qualified # \xF0\x9F\x98\x80 E1.0 grinning face\n"
                                                "263A ; unqualified # \xE2\x98\xBA E0.6 smiling face\n"
                                                "0023 FE0F 20E3 ; fully-qualified # #\xEF\xB8\x8F\xE2\x83\xA3 E0.6 keycap: #");
        QCOMPARE(emoji.size(), std::size_t {2});
        QVERIFY(emoji[0].sequence == U"\U0001F600" && emoji[0].name == "grinning face");
        QVERIFY(emoji[1].sequence == U"#\uFE0F\u20E3" && emoji[1].name == "keycap: #");
        QVERIFY_THROWS_EXCEPTION(std::runtime_error, engine::parseEmojiNames("xyz ; fully-qualified # a E1.0 name\n"));
        QVERIFY_THROWS_EXCEPTION(std::runtime_error, engine::parseEmojiNames("1F600 ; fully-qualified # a\n"));
    }

    void sequencesWithoutAImageHaveNone()
    {
        const engine::EmojiFont font(contract::fileContent(kFont, std::uint64_t {1} << 28));
        QVERIFY(font.png(U"\U0001F600").has_value());
        QVERIFY(!font.png(U"\U0001F600\U0001F680").has_value());
        QVERIFY(!font.png(U"x").has_value());
        QVERIFY(!font.png(U"").has_value());
    }

    void damagedFontsNeverCrash_data() { tests::onlyInTheWholeTest(); }
    void damagedFontsNeverCrash()
    {
        const std::string whole = contract::fileContent(kFont, std::uint64_t {1} << 28);
        const std::size_t tables = whole.size() - 70000;  // CBLC and GSUB follow the images
        std::mt19937 random(5);
        int opened = 0;
        for (int round = 0; round < 60; ++round) {
            std::string damaged = whole;
            for (int change = 0; change < 4; ++change)
                damaged[(round % 2 == 0 ? random() % 15000 : tables + random() % 70000)] = static_cast<char>(random());
            try {
                const engine::EmojiFont font(damaged);
                ++opened;
                font.png(U"\U0001F468\u200D\U0001F680");
                font.png(U"\U0001F600");
            } catch (const std::runtime_error&) {
            }
        }
        QVERIFY(opened > 10);
        QVERIFY_THROWS_EXCEPTION(std::runtime_error, engine::EmojiFont(std::string()));
    }
};

QTEST_GUILESS_MAIN(EmojiTest)
#include "tst_emoji.moc"
