// M12: samples in the real window: one run by prompt and step, and two runs side by side with their difference.
#include "engine/contract/run/annotations.h"
#include "engine/contract/run/journal_writer.h"
#include "tests/ui/support/ui_test_main.h"
#include "tests/ui/window/open_window.h"
#include "ui/gallery/frame_player.h"
#include "ui/gallery/gallery_view.h"

#include <QImage>
#include <QLabel>
#include <QTabWidget>

using ui_test::kTimeoutMs;
using ui_test::OpenWindow;

namespace {

constexpr char kEarlier[] = "first-20261121-101500-abcd";
constexpr char kLaterRun[] = "second-20261121-111500-efgh";

/// Writes pictures of one colour, whose green tells the step.
void addSamples(const contract::RunFolder& run, const std::vector<std::int64_t>& steps, int red, QSize size = {40, 30})
{
    contract::JournalHeader header;
    header.run = run.id();
    contract::JournalWriter journal(run.journal(0), header);
    for (const std::int64_t step : steps) {
        int number = 0;
        for (const char* prompt : {"a red heart", "a blue cube"}) {
            const std::string file = "samples/step-" + std::to_string(step) + "-" + std::to_string(++number) + ".png";
            QImage image(size, QImage::Format_RGB32);
            image.fill(qRgb(red, int(step), 60 * number));
            QVERIFY(image.save(QString::fromStdString((run.root() / file).string())));
            journal.begin(contract::record::kSample, step)
                .add("file", file)
                .add("prompt", prompt)
                .add("seed", std::int64_t {7})
                .add("guidance", 2.5)
                .add("weights", "ema")
                .commit();
        }
    }
}

}  // namespace

class WindowSamplesTest : public QObject {
    Q_OBJECT

    std::unique_ptr<ui_test::TestHome> m_home;
    std::unique_ptr<OpenWindow> m_window;

    ui::GalleryView& open(const QStringList& drawn)
    {
        m_home->ingest();
        m_window = std::make_unique<OpenWindow>(m_home->home());
        (*m_window)->tabs().setCurrentIndex(1);
        auto& view = *(*m_window)->findChild<ui::GalleryView*>();
        if (!QTest::qWaitFor([&] { return m_window->entry(kEarlier) != nullptr; }, kTimeoutMs))
            qFatal("the run does not appear");
        ui::Selection& selection = m_window->bench().selection;
        selection.setDrawn({kEarlier, kLaterRun}, false);
        selection.setInspected(kEarlier);
        selection.setDrawn(drawn, true);
        if (!QTest::qWaitFor([&] { return view.grid().currentFile().contains(kEarlier); }, kTimeoutMs))
            qFatal("the samples do not appear");
        view.grid().setFocus();
        return view;
    }

private Q_SLOTS:
    void init() { m_home = std::make_unique<ui_test::TestHome>(); }
    void cleanup()
    {
        m_window.reset();
        m_home.reset();
    }

    /// A picture that is not decoded yet is not the one before it.
    void m12_noPictureStandsAboveTheCaptionOfAnother()
    {
        addSamples(m_home->writeRun(kEarlier, 40, "finished"), {10, 20, 30}, 100);
        ui::GalleryView& view = open({kEarlier});
        QTRY_VERIFY_WITH_TIMEOUT(!view.image().target().isNull(), kTimeoutMs);
        QVERIFY(view.captionText().contains("step 30"));
        QTest::keyClick(&view.grid(), Qt::Key_Up);
        QVERIFY(view.captionText().contains("step 20"));
        QVERIFY(view.image().target().isNull());
        QTRY_VERIFY_WITH_TIMEOUT(!view.image().target().isNull(), kTimeoutMs);
        QVERIFY(view.captionText().contains("step 20"));
    }

    void aCellForEachPromptAndStep_M12()
    {
        addSamples(m_home->writeRun(kEarlier, 40, "finished"), {10, 20, 30}, 100);
        ui::GalleryView& view = open({kEarlier});
        QVERIFY(view.beside().isHidden());  // there is no other run
        QTest::keyClick(&view.grid(), Qt::Key_B);
        QVERIFY(!view.beside().isOn());
        QTest::keyClick(&view.grid(), Qt::Key_Right);
        QTest::keyClick(&view.grid(), Qt::Key_Up);
        const auto shown = [&] { return view.image().grab().toImage().pixelColor(view.image().rect().center()); };
        QTRY_COMPARE_WITH_TIMEOUT(shown(), QColor(100, 20, 120), kTimeoutMs);
        QTRY_VERIFY2(view.captionText().startsWith("a blue cube\nstep 20 · seed 7 · guidance 2.5 · averaged weights (EMA)\n40 × 30 pixels"),
            qPrintable(view.captionText()));
        QTest::keyClick(&view.grid(), Qt::Key_Space);
        QVERIFY(view.isFullSize() && !view.grid().isVisible());
        QTest::keyClick(&view.image(), Qt::Key_1);
        QTRY_VERIFY2(view.captionText().endsWith("shown at 100 %"), qPrintable(view.captionText()));
        QCOMPARE(view.image().target().size(), QSizeF(40, 30));
        QTest::keyClick(&view.image(), Qt::Key_Left);
        QTest::keyClick(&view.image(), Qt::Key_Down);
        QTRY_COMPARE_WITH_TIMEOUT(shown(), QColor(100, 30, 60), kTimeoutMs);
        QTest::keyClick(&view.image(), Qt::Key_Space);
        QVERIFY(view.grid().isVisible());
    }

    void aLongNameOfTheOtherRunLeavesTheDocksTheirRoom()
    {
        const std::string name(100, 'n');
        for (const char* id : {kEarlier, kLaterRun}) {
            const contract::RunFolder run = m_home->writeRun(id, 40, "finished");
            addSamples(run, {10}, 100);
            contract::Annotations named;
            named.name = name;
            contract::appendAnnotations(run.annotations(), {}, named);
        }
        ui::GalleryView& view = open({kEarlier, kLaterRun});
        QTRY_VERIFY(view.beside().isVisible() && view.beside().itemText(1).contains(QString::fromStdString(name)));
        QVERIFY2(view.minimumSizeHint().width() < 480, qPrintable(QString::number(view.minimumSizeHint().width())));
    }

    /// What the engine writes for a sample of a video model: frames side by side, of which texts in the file tell.
    void framesOfAVideoAreShownOneByOne_M12()
    {
        const contract::RunFolder run = m_home->writeRun(kEarlier, 40, "finished");
        addSamples(run, {10}, 100);
        QImage strip(4 * 20 + 5 * 2, 30 + 2 * 2, QImage::Format_RGB32);
        strip.fill(Qt::black);
        for (int frame = 0; frame < 4; ++frame)
            for (int y = 0; y < 30; ++y)
                for (int x = 0; x < 20; ++x)
                    strip.setPixel(2 + 22 * frame + x, 2 + y, qRgb(50 * (frame + 1), 0, 0));
        strip.setText("frames", "4");
        strip.setText("gap", "2");
        QVERIFY(strip.save(QString::fromStdString((run.root() / "samples/step-10-2.png").string())));
        ui::GalleryView& view = open({kEarlier});
        const auto middle = [&] { return view.image().grab().toImage().pixelColor(view.image().rect().center()); };
        QTRY_COMPARE_WITH_TIMEOUT(middle(), QColor(100, 10, 60), kTimeoutMs);
        QVERIFY(!view.player().isVisible());  // an image has nothing to play
        QTest::keyClick(&view.grid(), Qt::Key_Right);
        QTRY_VERIFY_WITH_TIMEOUT(view.player().isVisible(), kTimeoutMs);
        QVERIFY2(view.captionText().contains("90 × 34 pixels"), qPrintable(view.captionText()));  // all frames at first
        QTest::keyClick(&view.grid(), Qt::Key_Period);
        QCOMPARE(middle(), QColor(50, 0, 0));
        QVERIFY2(view.captionText().contains("20 × 30 pixels"), qPrintable(view.captionText()));
        QTest::keyClick(&view.grid(), Qt::Key_Return);
        QTest::keyClick(&view.image(), Qt::Key_Period);
        QTest::keyClick(&view.image(), Qt::Key_Period);
        QCOMPARE(middle(), QColor(150, 0, 0));
        QTest::keyClick(&view.image(), Qt::Key_1);
        QCOMPARE(view.image().target().size(), QSizeF(20, 30));
        QTest::keyClick(&view.image(), Qt::Key_Comma);
        QCOMPARE(middle(), QColor(100, 0, 0));
        QTest::keyClick(&view.image(), Qt::Key_P);
        QTRY_COMPARE(middle(), QColor(200, 0, 0));
        QTRY_COMPARE(middle(), QColor(50, 0, 0));  // and from the beginning
        QTest::keyClick(&view.image(), Qt::Key_P);
        QVERIFY(!view.player().isPlaying());
        QTest::keyClick(&view.image(), Qt::Key_Left);
        QTRY_COMPARE_WITH_TIMEOUT(middle(), QColor(100, 10, 60), kTimeoutMs);
        QVERIFY(!view.player().isVisible());
    }

    void twoRunsStandSideBySideWithTheirDifference_M12()
    {
        addSamples(m_home->writeRun(kEarlier, 40, "finished"), {10, 20, 30}, 100);
        addSamples(m_home->writeRun(kLaterRun, 40, "finished"), {12, 27}, 110);
        ui::GalleryView& view = open({kLaterRun});
        QVERIFY(view.beside().isVisible());
        QTest::keyClick(&view.grid(), Qt::Key_B);
        QCOMPARE(view.beside().run(), QString(kLaterRun));
        QTest::keyClick(&view.grid(), Qt::Key_Right);
        // Step 30 of the first run, 27 of the second: red differs by 10, green by 3.
        QTRY_VERIFY_WITH_TIMEOUT(view.pair().difference() && view.pair().difference()->largest == 10, kTimeoutMs);
        QCOMPARE(view.pair().difference()->mean, 13.0 / 3);
        QCOMPARE(view.pair().difference()->pixels.pixelColor(3, 3), QColor(40, 12, 0));
        const auto middleOf = [](ui::ImageView& image) { return image.grab().toImage().pixelColor(image.rect().center()); };
        QTRY_COMPARE(middleOf(view.pair().left()), QColor(100, 30, 120));
        QTRY_COMPARE(middleOf(view.pair().right()), QColor(110, 27, 120));
        QTRY_COMPARE(middleOf(view.pair().differenceView()), QColor(40, 12, 0));
        QTRY_VERIFY2(view.captionText().contains("Beside it: step 27 ·") && view.captionText().contains("Mean difference 4.33 of 255, largest 10; 100.0 %"),
            qPrintable(view.captionText()));
        QStringList titles;
        for (const QLabel* label : view.pair().findChildren<QLabel*>())
            titles << label->text();
        QCOMPARE(titles, (QStringList {"first, step 30", "second, step 27", "Difference"}));
        view.pair().setGain(16);
        QTRY_COMPARE(middleOf(view.pair().differenceView()), QColor(160, 48, 0));
        // The keys work at full size too, and the other run follows.
        QTest::keyClick(&view.grid(), Qt::Key_Space);
        QTest::keyClick(&view.pair().left(), Qt::Key_Up);
        QTest::keyClick(&view.pair().left(), Qt::Key_Up);
        QTRY_COMPARE(middleOf(view.pair().right()), QColor(110, 12, 120));
        QTest::keyClick(&view.pair().left(), Qt::Key_Escape);
        QTest::keyClick(&view.grid(), Qt::Key_B);
        QVERIFY(!view.beside().isOn() && view.image().isVisible());
    }

    void imagesOfOtherSizesHaveNoDifference_M12()
    {
        addSamples(m_home->writeRun(kEarlier, 40, "finished"), {10}, 100);
        addSamples(m_home->writeRun(kLaterRun, 40, "finished"), {10}, 100, {20, 15});
        ui::GalleryView& view = open({kEarlier, kLaterRun});
        view.beside().setOn(true);
        QTRY_VERIFY2_WITH_TIMEOUT(view.captionText().endsWith("No difference: the images have 40 × 30 and 20 × 15 pixels."),
            qPrintable(view.captionText()), kTimeoutMs);
        QVERIFY(!view.pair().difference());
    }

    void theRunBesideFollowsTheSelection_M12()
    {
        addSamples(m_home->writeRun(kEarlier, 40, "finished"), {10}, 100);
        addSamples(m_home->writeRun(kLaterRun, 40, "finished"), {10}, 110);
        ui::GalleryView& view = open({kEarlier, kLaterRun});
        view.beside().setOn(true);
        QTRY_VERIFY_WITH_TIMEOUT(view.pair().difference(), kTimeoutMs);
        // Inspecting the run beside makes the two change places.
        m_window->bench().selection.setInspected(kLaterRun);
        QCOMPARE(view.beside().run(), QString(kEarlier));
        m_window->bench().selection.setInspected(kEarlier);
        QCOMPARE(view.beside().run(), QString(kLaterRun));
        m_window->bench().selection.setDrawn(kLaterRun, false);
        QVERIFY(!view.beside().isOn() && view.beside().isHidden());
        QTRY_VERIFY(view.image().isVisible());
    }
};

ATELIER_UI_TEST_MAIN(WindowSamplesTest)
#include "tst_window_samples.moc"
