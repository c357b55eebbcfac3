// The list of training data in memory: filters, buckets, texts, masks, and a grid of 100,000 entries.
#include "ui/data/data_details.h"
#include "ui/data/data_grid.h"

#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <ctime>

using namespace ui;
using contract::DataEntry;
using Use = DataEntry::Use;

namespace {

DataEntry entry(const std::string& file, const std::string& caption, Use use = Use::Training, int bucket = 512)
{
    return {.file = file, .caption = caption, .use = use, .reason = use == Use::LeftOut ? file + ": is damaged" : "", .width = 1000, .height = 1000,
        .bucketWidth = use == Use::LeftOut ? 0 : bucket, .bucketHeight = use == Use::LeftOut ? 0 : 512, .mask = {}, .poster = {}};
}

std::vector<DataEntry> someEntries()
{
    std::vector<DataEntry> entries = {entry("a.png", "a red heart"), entry("b.png", "a BLUE cube", Use::Validation, 640), entry("c.png", ""),
        entry("d.png", "", Use::LeftOut), entry("e.png", "yellow", Use::Prior)};
    entries[0].mask = "a-masklabel.png";
    entries[2].width = 300;
    return entries;
}

}  // namespace

class DataListTest : public QObject {
    Q_OBJECT
    QTemporaryDir m_folder;

    std::shared_ptr<const DataList> load(std::vector<DataEntry> entries) const
    {
        contract::writeDataManifest(m_folder.filePath("data.jsonl").toStdString(),
            {.folder = m_folder.path().toStdString(), .resolution = 512, .entries = std::move(entries)});
        return loadDataList(m_folder.path());
    }

private Q_SLOTS:
    void aFilterLeavesWhatItSays_data()
    {
        QTest::addColumn<int>("kind");
        QTest::addColumn<QSize>("bucket");
        QTest::addColumn<QString>("text");
        QTest::addColumn<QList<int>>("left");
        const auto row = [](const char* name, DataKind kind, QSize bucket, const char* text, const QList<int>& left) {
            QTest::newRow(name) << int(kind) << bucket << QString(text) << left;
        };
        row("everything", DataKind::All, {}, "", {0, 1, 2, 3, 4});
        row("trained on", DataKind::Training, {}, "", {0, 2});
        row("held out", DataKind::Validation, {}, "", {1});
        row("regularisation", DataKind::Prior, {}, "", {4});
        row("left out", DataKind::LeftOut, {}, "", {3});
        row("without a caption", DataKind::WithoutCaption, {}, "", {2});
        row("with a mask", DataKind::Masked, {}, "", {0});
        row("enlarged", DataKind::Enlarged, {}, "", {2});
        row("a bucket", DataKind::All, {640, 512}, "", {1});
        row("in a caption, in any case", DataKind::All, {}, "blue", {1});
        row("in a name", DataKind::All, {}, "c.png", {2});
        row("in a reason", DataKind::All, {}, "damaged", {3});
        row("all of them", DataKind::Training, {512, 512}, "heart", {0});
        row("nothing", DataKind::Prior, {640, 512}, "", {});
    }
    void aFilterLeavesWhatItSays()
    {
        QFETCH(int, kind);
        QFETCH(QSize, bucket);
        QFETCH(QString, text);
        QFETCH(QList<int>, left);
        const auto list = load(someEntries());
        const auto found = filtered(*list, {DataKind(kind), bucket, text});
        QCOMPARE(QList<int>(found.begin(), found.end()), left);
        if (!bucket.isValid() && text.isEmpty())
            QCOMPARE(list->count(DataKind(kind)), left.size());
    }

    void bucketsAreCounted()
    {
        const auto list = load(someEntries());
        QCOMPARE(list->buckets.size(), std::size_t {2});
        QCOMPARE(list->buckets[0].size, QSize(512, 512));
        QCOMPARE(list->buckets[0].entries, 3);
        QCOMPARE(list->buckets[1].entries, 1);
    }

    void aFolderWithoutAListHasNoStamp()
    {
        const QTemporaryDir empty;
        const auto list = loadDataList(empty.path());
        QVERIFY(list->stamp == FileStamp {} && list->error.isEmpty());
    }

    void whatIsOutsideOfTheMaskIsDimmed()
    {
        QImage image(4, 2, QImage::Format_RGB32), mask(2, 1, QImage::Format_Grayscale8);
        image.fill(qRgb(200, 100, 40));
        mask.fill(0);
        mask.setPixelColor(1, 0, Qt::white);
        const QImage dimmed = dimmedOutside(image, mask);
        QCOMPARE(dimmed.pixel(3, 1), qRgb(200, 100, 40));
        QCOMPARE(dimmed.pixel(0, 0), qRgb(50, 25, 10));
        QVERIFY(dimmedOutside(image, {}).isNull());
        image = image.convertToFormat(QImage::Format_ARGB32);
        image.setPixel(0, 0, qRgba(200, 100, 40, 0));
        QCOMPARE(dimmedOutside(image, alphaMask(image)).pixel(0, 0), qRgb(64, 64, 64));  // on white, as it is trained on
        QCOMPARE(dimmedOutside(image, alphaMask(image)).pixel(1, 0), qRgb(200, 100, 40));
    }

    void theArrowsGoOverTheEndOfARow()
    {
        DataGrid grid;
        grid.resize(460, 400);  // three in a row
        std::vector<int> all = {0, 1, 2, 3, 4};
        grid.setEntries(load(someEntries()), all);
        grid.show();
        for (const auto& [key, file] : std::initializer_list<std::pair<Qt::Key, const char*>> {{Qt::Key_Right, "b.png"}, {Qt::Key_Right, "c.png"},
                 {Qt::Key_Right, "d.png"}, {Qt::Key_Left, "c.png"}, {Qt::Key_Down, "e.png"}, {Qt::Key_Home, "a.png"}, {Qt::Key_End, "e.png"},
                 {Qt::Key_Right, "e.png"}, {Qt::Key_Up, "b.png"}}) {
            QTest::keyClick(&grid, key);
            QCOMPARE(grid.currentEntry()->file, std::string(file));
        }
        grid.setCurrentPlace(3);
        grid.resize(800, 400);  // five in a row
        QCOMPARE(grid.currentEntry()->file, std::string("d.png"));
        QTest::keyClick(&grid, Qt::Key_Home);
        QTest::keyClick(&grid, Qt::Key_Right);
        grid.setEntries(grid.list(), {0, 1});
        QCOMPARE(grid.currentEntry()->file, std::string("b.png"));
        grid.setEntries(grid.list(), {4});
        QCOMPARE(grid.currentEntry()->file, std::string("e.png"));
        QTest::mouseClick(grid.viewport(), Qt::LeftButton, {}, {400, 60});  // where there is none
        QCOMPARE(grid.currentEntry()->file, std::string("e.png"));
        grid.setEntries(grid.list(), {});
        QVERIFY(!grid.currentEntry());
    }

    void aLinkToAnImageIsShown()
    {
        QImage image(9, 9, QImage::Format_RGB32);
        image.fill(Qt::green);
        QVERIFY(image.save(m_folder.filePath("target.png")) && QFile::link(m_folder.filePath("target.png"), m_folder.filePath("a.png")));
        DataGrid grid;
        grid.setEntries(load({entry("a.png", "")}), {0});
        const QString file = pictureFile(grid.list()->manifest, *grid.currentEntry());
        QTRY_VERIFY(grid.cache().find(file) && grid.cache().find(file)->pixels.size() == QSize(9, 9));
    }

    void aHundredThousandEntriesScrollWithoutDelay()
    {
        std::vector<DataEntry> entries;
        const std::string caption = "a photo of something that takes a caption of a usual length, with some more words for good measure";
        for (int i = 0; i < 100'000; ++i)
            entries.push_back(entry("folder/" + std::to_string(i) + ".png", caption + std::to_string(i)));
        std::vector<int> all(entries.size());
        std::generate(all.begin(), all.end(), [i = 0]() mutable { return i++; });
        const auto list = load(std::move(entries));
        DataGrid grid;
        grid.resize(1000, 700);
        grid.show();
        QVERIFY(QTest::qWaitForWindowExposed(&grid));
        // The thread's own time, which does not depend on what else the machine does.
        const auto milliseconds = [](const auto& act) {
            const auto now = [] {
                timespec time {};
                ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
                return double(time.tv_sec) * 1e3 + double(time.tv_nsec) / 1e6;
            };
            const double start = now();
            act();
            return now() - start;
        };
        double worst = milliseconds([&] { grid.setEntries(list, all); });
        for (int place = 0; place < 100'000; place += 1'009)
            worst = std::max(worst, milliseconds([&] {
                grid.setCurrentPlace(place);
                grid.viewport()->repaint();
            }));
        qInfo("worst frame %.1f ms", worst);
        QVERIFY(worst <= 50);
        QVERIFY(grid.cache().waiting() <= 100);
    }
};

QTEST_MAIN(DataListTest)
#include "tst_data_list.moc"
