// The tab Data of the real window: what the inspected run is trained on.
#include "engine/contract/run/data_manifest.h"
#include "tests/ui/support/ui_test_main.h"
#include "tests/ui/window/open_window.h"
#include "ui/data/data_details.h"
#include "ui/data/data_view.h"
#include "ui/gallery/image_view.h"

#include <QAction>
#include <QFile>
#include <QImage>
#include <QPushButton>
#include <QTabWidget>

using contract::DataEntry;
using ui_test::kTimeoutMs;
using ui_test::OpenWindow;
using Use = DataEntry::Use;

namespace {

constexpr char kRun[] = "hearts-20261121-101500-abcd";

}  // namespace

class DataWindowTest : public QObject {
    Q_OBJECT

    std::unique_ptr<ui_test::TestHome> m_home;
    std::unique_ptr<QTemporaryDir> m_data;
    std::unique_ptr<OpenWindow> m_window;

    contract::RunFolder writeRun(bool hasList = true)
    {
        const contract::RunFolder run = m_home->writeRun(kRun, 10, "finished");
        for (const auto& [name, colour] : std::initializer_list<std::pair<const char*, QRgb>> {
                 {"a.png", qRgb(200, 40, 40)}, {"a-masklabel.png", qRgb(0, 0, 0)}, {"b.png", qRgb(40, 40, 200)}}) {
            QImage image(32, 24, QImage::Format_RGB32);
            image.fill(colour);
            QTest::qVerify(image.save(m_data->filePath(name)), "the image is saved", "", __FILE__, __LINE__);
        }
        if (hasList)
            writeList(run, {});
        m_home->ingest();
        return run;
    }

    void writeList(const contract::RunFolder& run, const std::vector<DataEntry>& more)
    {
        contract::DataManifest list {.folder = m_data->path().toStdString(), .resolution = 512, .entries = {}};
        list.entries = {{.file = "a.png", .caption = "a red heart", .reason = {}, .width = 32, .height = 24, .bucketWidth = 576, .bucketHeight = 448,
                            .repeats = 10, .mask = "a-masklabel.png", .poster = {}},
            {.file = "b.png", .caption = {}, .use = Use::Validation, .reason = {}, .width = 32, .height = 24, .bucketWidth = 512, .bucketHeight = 512,
                .mask = {}, .poster = {}},
            {.file = "c.png", .caption = {}, .use = Use::LeftOut, .reason = "c.png: is not a PNG", .mask = {}, .poster = {}}};
        std::ranges::copy(more, std::back_inserter(list.entries));
        contract::writeDataManifest(run.root() / contract::kDataManifestFile, list);
    }

    ui::DataView& open()
    {
        m_window = std::make_unique<OpenWindow>(m_home->home());
        m_window->action("view.tab5")->trigger();
        if (!QTest::qWaitFor([&] { return m_window->entry(kRun) != nullptr; }, kTimeoutMs))
            qFatal("the run does not appear");
        m_window->bench().selection.setInspected(kRun);
        auto& view = *(*m_window)->findChild<ui::DataView*>();
        view.grid().setFocus();
        return view;
    }

    static QColor middleOf(ui::ImageView& image) { return image.grab().toImage().pixelColor(image.rect().center()); }

private Q_SLOTS:
    void init()
    {
        m_home = std::make_unique<ui_test::TestHome>();
        m_data = std::make_unique<QTemporaryDir>();
    }
    void cleanup()
    {
        m_window.reset();
        m_home.reset();
    }

    void imagesHaveTheirCaptionsBucketsAndMasks()
    {
        writeRun();
        ui::DataView& view = open();
        QVERIFY(view.isVisible());
        QTRY_COMPARE_WITH_TIMEOUT(view.grid().shownCount(), 3, kTimeoutMs);
        QCOMPARE(view.details().caption(), QString("a red heart"));
        QCOMPARE(view.details().facts(),
            QString("a.png\n32 × 24 pixels, trained at 576 × 448, enlarged, 4 % cropped away\ntrained on · 10 times in an epoch · mask a-masklabel.png"));
        QTRY_COMPARE_WITH_TIMEOUT(middleOf(view.details().image()), QColor(50, 10, 10), kTimeoutMs);  // the mask leaves everything out
        QTest::keyClick(&view.grid(), Qt::Key_M);
        QTRY_COMPARE_WITH_TIMEOUT(middleOf(view.details().image()), QColor(200, 40, 40), kTimeoutMs);
        QTest::keyClick(&view.grid(), Qt::Key_Right);
        QTRY_COMPARE_WITH_TIMEOUT(middleOf(view.details().image()), QColor(40, 40, 200), kTimeoutMs);
        QVERIFY(view.details().caption().isEmpty());
        QTest::keyClick(&view.grid(), Qt::Key_Right);
        QCOMPARE(view.details().facts(), QString("c.png\nLeft out: c.png: is not a PNG"));
    }

    void spaceShowsOneAtFullSizeAndTheArrowsGoOn()
    {
        writeRun();
        ui::DataView& view = open();
        QTRY_COMPARE_WITH_TIMEOUT(view.grid().shownCount(), 3, kTimeoutMs);
        QTest::keyClick(&view.grid(), Qt::Key_Space);
        QVERIFY(!view.grid().isVisible());
        QTest::keyClick(&view.details().image(), Qt::Key_Right);
        QTRY_COMPARE_WITH_TIMEOUT(middleOf(view.details().image()), QColor(40, 40, 200), kTimeoutMs);
        QTest::keyClick(&view.details().image(), Qt::Key_1);
        QCOMPARE(view.details().image().target().size(), QSizeF(32, 24));
        QTest::keyClick(&view.details().image(), Qt::Key_Escape);
        QVERIFY(view.grid().isVisible());
    }

    void aFilterThatLeavesNothingCanBeCleared_M14()
    {
        writeRun();
        ui::DataView& view = open();
        QTRY_COMPARE_WITH_TIMEOUT(view.grid().shownCount(), 3, kTimeoutMs);
        view.setFilter({.kind = ui::DataKind::LeftOut});
        QTRY_COMPARE(view.grid().shownCount(), 1);
        QTRY_COMPARE(view.summary(), QString("1 of 3 shown"));
        view.setFilter({.kind = ui::DataKind::LeftOut, .text = "heart"});
        QTRY_COMPARE(ui_test::emptySentence(view), QString("0 of 3 entries match."));
        ui_test::button(view, "Clear filter")->click();
        QTRY_COMPARE(view.grid().shownCount(), 3);
        QVERIFY(ui_test::emptySentence(view).isEmpty());
    }

    void aListThatIsWrittenLaterAppears()
    {
        const contract::RunFolder run = writeRun(false);
        ui::DataView& view = open();
        QTRY_VERIFY2_WITH_TIMEOUT(ui_test::emptySentence(view).contains("has listed no images"), qPrintable(ui_test::emptySentence(view)), kTimeoutMs);
        writeList(run, {});
        QFile journal(QString::fromStdString(run.journal(0).string()));
        QVERIFY(journal.open(QIODevice::Append));
        journal.write("{\"type\":\"event\",\"step\":10,\"t_ms\":99999,\"level\":\"info\",\"kind\":\"phase\",\"message\":\"trains\"}\n");
        journal.close();
        m_home->ingest();
        QTRY_COMPARE_WITH_TIMEOUT(view.grid().shownCount(), 3, kTimeoutMs);
    }

    void aDamagedListSaysSoAndCanBeReadAgain_M14()
    {
        const contract::RunFolder run = writeRun(false);
        const QString name = QString::fromStdString((run.root() / contract::kDataManifestFile).string());
        QFile file(name);
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write("nonsense\n") > 0);
        file.close();
        ui::DataView& view = open();
        QTRY_VERIFY2_WITH_TIMEOUT(ui_test::errorSentence(view).contains("is not a list of training data"), qPrintable(ui_test::errorSentence(view)), kTimeoutMs);
        writeList(run, {});
        QTRY_VERIFY(ui_test::button(view, "Retry"));
        ui_test::button(view, "Retry")->click();
        QTRY_COMPARE_WITH_TIMEOUT(view.grid().shownCount(), 3, kTimeoutMs);
        QVERIFY(ui_test::errorSentence(view).isEmpty());
    }

    /// A list in a run's folder may come from anywhere: what it names is opened only if it is an image.
    void aHostileListDoesNoHarm_M15()
    {
        const contract::RunFolder run = writeRun();
        writeList(run, {{.file = "../../../../../../etc/passwd", .caption = "<img src='/etc/passwd'>", .reason = {}, .mask = {}, .poster = "/etc/passwd"},
                           {.file = "/dev/zero.png", .caption = {}, .reason = {}, .mask = {}, .poster = "/dev/zero"}});
        ui::DataView& view = open();
        QTRY_COMPARE_WITH_TIMEOUT(view.grid().shownCount(), 5, kTimeoutMs);
        view.grid().setCurrentPlace(3);
        const auto errorOf = [&](const char* file) {
            const ui::LoadedImage* image = view.grid().cache().find(file);
            return image ? image->error : QString();
        };
        QTRY_VERIFY_WITH_TIMEOUT(errorOf("/etc/passwd").contains("is not an image"), kTimeoutMs);
        QTRY_VERIFY_WITH_TIMEOUT(errorOf("/dev/zero").contains("is missing"), kTimeoutMs);
        QCOMPARE(view.details().caption(), QString("<img src='/etc/passwd'>"));
    }
};

ATELIER_UI_TEST_MAIN(DataWindowTest)
#include "tst_data_window.moc"
