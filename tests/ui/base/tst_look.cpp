#include "tests/ui/support/ui_test_main.h"
#include "ui/base/appearance.h"
#include "ui/base/icons.h"
#include "ui/base/line_look.h"
#include "ui/base/look.h"

#include <QHeaderView>
#include <QImage>
#include <QPainter>
#include <QScrollBar>
#include <QSemaphore>
#include <QStandardItemModel>
#include <QTableView>
#include <QThreadPool>

#include <algorithm>
#include <atomic>
#include <cmath>

using launcher::RunState;

class LookTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void E11_linesAndWordsKeepTheirContrast_data()
    {
        QTest::addColumn<int>("appearance");
        QTest::newRow("light") << int(ui::Appearance::Light);
        QTest::newRow("dark") << int(ui::Appearance::Dark);
    }

    void E11_linesAndWordsKeepTheirContrast()
    {
        QFETCH(int, appearance);
        ui::applyAppearance(ui::Appearance(appearance));
        const QPalette palette = QApplication::palette();
        const QColor base = palette.color(QPalette::Base);
        for (int look = 0; look < ui::kLookCount; ++look)
            QVERIFY2(ui::contrast(ui::lineColour(look, palette), base) >= 3.0, qPrintable(QString::number(look)));
        for (const QPalette::ColorRole behind : {QPalette::Base, QPalette::AlternateBase, QPalette::Window}) {
            for (int state = 0; state <= int(RunState::CutOff); ++state)
                QVERIFY(ui::contrast(ui::stateColour(RunState(state), palette), palette.color(behind)) >= 4.5);
            QVERIFY(ui::contrast(ui::fadedText(palette), palette.color(behind)) >= 4.5);
        }
        QVERIFY(ui::contrast(palette.color(QPalette::Text), base) >= 7.0);
        QVERIFY(ui::contrast(palette.color(QPalette::WindowText), palette.color(QPalette::Window)) >= 7.0);
        QVERIFY(ui::contrast(palette.color(QPalette::HighlightedText), palette.color(QPalette::Highlight)) >= 4.5);
        QVERIFY(ui::contrast(palette.color(QPalette::Link), base) >= 4.5);
    }

    void E11_iconsInSelectedRowsKeepTheirContrast_data() { E11_linesAndWordsKeepTheirContrast_data(); }
    void E11_iconsInSelectedRowsKeepTheirContrast()
    {
        QFETCH(int, appearance);
        ui::applyAppearance(ui::Appearance(appearance));
        const QPalette palette = QApplication::palette();
        for (const RunState state : {RunState::Finished, RunState::Failed, RunState::Stalled}) {
            const QIcon icon = ui::icon(QStringLiteral("ok"), ui::stateColour(state, palette));
            const QImage image = icon.pixmap(QSize(64, 64), 1.0, QIcon::Selected).toImage();
            double best = 0;
            for (int y = 0; y < image.height(); ++y) {
                for (int x = 0; x < image.width(); ++x) {
                    if (const QColor colour = image.pixelColor(x, y); colour.alpha() == 255)
                        best = std::max(best, ui::contrast(colour, palette.color(QPalette::Highlight)));
                }
            }
            QVERIFY2(best >= 3.0, qPrintable(ui::stateWord(state)));
        }
    }

    /// Nobody waits for the threads of Qt's pool, which have to wait themselves on a busy machine; see [Note: scroll bars and busy machines].
    void m17_scrollBarsArePaintedWithoutOtherThreads_data()
    {
        QTest::addColumn<Qt::Orientation>("orientation");
        QTest::newRow("upright") << Qt::Vertical;
        QTest::newRow("level") << Qt::Horizontal;
    }
    void m17_scrollBarsArePaintedWithoutOtherThreads()
    {
        QFETCH(Qt::Orientation, orientation);
        ui::applyAppearance(ui::Appearance::Light);
        QScrollBar bar(orientation);
        bar.setRange(0, 100);
        bar.setPageStep(200);
        bar.resize(orientation == Qt::Vertical ? QSize(bar.sizeHint().width(), 900) : QSize(900, bar.sizeHint().height()));
        QThreadPool& pool = *QThreadPool::globalInstance();
        QSemaphore end;
        std::atomic<bool> isLate = false;
        for (int thread = 0; thread < pool.maxThreadCount(); ++thread)
            pool.start([&] {
                if (!end.tryAcquire(1, 10'000))
                    isLate = true;
            });
        const QImage image = bar.grab().toImage();
        end.release(pool.maxThreadCount());
        pool.waitForDone();
        QVERIFY(!isLate);
        QVERIFY(ui::contrast(image.pixelColor(image.rect().center()), bar.palette().color(QPalette::Window)) >= 3.0);
    }

    /// Right of the last letter there is an ellipsis, whose dots are low, and not the upright half of a letter.
    void aHeadingWithoutRoomEndsInAnEllipsis()
    {
        ui::applyAppearance(ui::Appearance::Light);
        QStandardItemModel model(1, 2);
        model.setHorizontalHeaderLabels({QString(60, QLatin1Char('l')), QStringLiteral("short")});
        QTableView table;
        table.setModel(&model);
        table.setColumnWidth(0, 80);
        table.resize(300, 100);
        QHeaderView& header = *table.horizontalHeader();
        const QImage image = header.grab(QRect(0, 0, 80, header.sizeHint().height())).toImage();
        const int margin = header.style()->pixelMetric(QStyle::PM_HeaderMargin, nullptr, &header);
        const auto isInk = [&](int x, int y) { return ui::contrast(image.pixelColor(x, y), header.palette().color(QPalette::Button)) > 2; };
        const auto inkAt = [&](int x) {
            int count = 0;
            for (int y = margin; y < image.height() - margin; ++y)
                count += isInk(x, y) ? 1 : 0;
            return count;
        };
        int last = image.width() - margin - 1;
        while (last > 0 && inkAt(last) == 0)
            --last;
        QVERIFY(last > image.width() / 2);
        QVERIFY2(inkAt(last) <= 2, qPrintable(QString::number(inkAt(last))));
    }

    void M7_looksDifferByColourThenByDashThenByMarker()
    {
        const QPalette palette = QApplication::palette();
        for (int a = 0; a < ui::kLookCount; ++a) {
            QCOMPARE(ui::lineMarker(a) == contract::LineMarker::None, a < 28);
            for (int b = 0; b < a; ++b)
                QVERIFY(ui::lineColour(a, palette) != ui::lineColour(b, palette) || ui::lineStyle(a) != ui::lineStyle(b)
                    || ui::lineMarker(a) != ui::lineMarker(b));
        }
    }

    void M7_aChosenColourKeepsItsHueAndCanBeSeen_data()
    {
        QTest::addColumn<int>("appearance");
        QTest::addColumn<QColor>("chosen");
        for (const int appearance : {int(ui::Appearance::Light), int(ui::Appearance::Dark)}) {
            for (const char* name : {"#ffffff", "#000000", "#ffff80", "#000060", "#d55e00", "#00ff00"})
                QTest::addRow("M7 %s %s", name, appearance == int(ui::Appearance::Light) ? "light" : "dark") << appearance << QColor(name);
        }
    }
    void M7_aChosenColourKeepsItsHueAndCanBeSeen()
    {
        QFETCH(int, appearance);
        QFETCH(QColor, chosen);
        ui::applyAppearance(ui::Appearance(appearance));
        const QPalette palette = QApplication::palette();
        const QColor base = palette.color(QPalette::Base);
        const QColor shown = ui::lineColour(ui::Look(3, {.colour = chosen.rgb() & 0xffffff}), palette);
        QVERIFY(ui::contrast(shown, base) >= 3.0);
        QVERIFY(std::abs(shown.hslHue() - chosen.hslHue()) <= 2);
        if (ui::contrast(chosen, base) >= 3.0)
            QCOMPARE(shown.rgb(), chosen.rgb());
    }

    void M7_eachPartOfALookIsChosenForItself()
    {
        const QPalette palette = QApplication::palette();
        const ui::Look look(30, {.marker = contract::LineMarker::Diamond});
        QCOMPARE(ui::lineMarker(look), contract::LineMarker::Diamond);
        QCOMPARE(ui::lineColour(look, palette), ui::lineColour(30, palette));
        QCOMPARE(ui::lineStyle(ui::Look(30, {.dash = contract::LineDash::Dot})), Qt::DotLine);
        QCOMPARE(ui::lineMarker(ui::Look(30, {.dash = contract::LineDash::Dot})), ui::lineMarker(30));
    }

    /// Colour is never the only difference between two states.
    void everyStateHasAShapeAndAWordOfItsOwn()
    {
        QList<QImage> glyphs;
        QSet<QString> words;
        for (int state = 0; state <= int(RunState::CutOff); ++state) {
            QImage glyph(32, 32, QImage::Format_ARGB32);
            glyph.fill(Qt::white);
            QPainter painter(&glyph);
            ui::drawStateGlyph(painter, QRectF(2, 2, 28, 28), RunState(state), Qt::black);
            painter.end();
            QVERIFY(!glyphs.contains(glyph));
            glyphs.append(glyph);
            words.insert(ui::stateWord(RunState(state)));
        }
        QCOMPARE(words.size(), glyphs.size());
    }

    void contrastIsWcags()
    {
        QCOMPARE(ui::contrast(Qt::white, Qt::black), 21.0);
        QCOMPARE(ui::contrast(Qt::white, Qt::white), 1.0);
        QVERIFY(qAbs(ui::contrast(QColor(0x77, 0x77, 0x77), Qt::white) - 4.48) < 0.01);
    }
};

ATELIER_UI_TEST_MAIN(LookTest)
#include "tst_look.moc"
