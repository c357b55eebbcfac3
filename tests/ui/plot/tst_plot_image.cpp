// E7: plots as PNG, SVG and PDF, and on the clipboard.
#include "ui/plot/canvas/plot_panel.h"
#include "ui/plot/plot_image.h"

#include "tests/ui/plot/panel_fixture.h"
#include "ui/base/appearance.h"

#include <QFile>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QXmlStreamReader>

using namespace ui;
using tests::PanelFixture;

namespace {

/// Pixels of an image whose colour is within rounding of @p colour.
int pixelsOf(const QImage& image, const QColor& colour)
{
    int count = 0;
    for (int y = 0; y < image.height(); ++y)
        for (int x = 0; x < image.width(); ++x) {
            const QColor pixel = image.pixelColor(x, y);
            count += std::abs(pixel.red() - colour.red()) + std::abs(pixel.green() - colour.green()) + std::abs(pixel.blue() - colour.blue()) < 12;
        }
    return count;
}

QString written(const PlotImage& image, const QString& file)
{
    QObject context;
    QString error = QStringLiteral("not answered");
    bool isAnswered = false;
    writeImage(image, file, &context, [&](const QString& problem) {
        error = problem;
        isAnswered = true;
    });
    return QTest::qWaitFor([&] { return isAnswered; }, 20'000) ? error : QStringLiteral("not answered");
}

QByteArray contentOf(const QString& file)
{
    QFile opened(file);
    return opened.open(QIODevice::ReadOnly) ? opened.readAll() : QByteArray();
}

}  // namespace

class PlotImageTest : public QObject {
    Q_OBJECT
    QTemporaryDir m_folder;

private Q_SLOTS:
    void cleanup() { applyAppearance(Appearance::Light); }

    void e07_aPictureHasEveryLineOnLightPaperInDarkWindowsToo()
    {
        applyAppearance(Appearance::Dark);
        PanelFixture fixture;
        const QColor shown = fixture.canvas().palette().color(QPalette::Base);
        const QImage image = paintedImage({{&fixture.panel}, 1}, 2);
        QCOMPARE(image.pixelColor(1, 1), QColor(Qt::white));
        for (const DrawnLine& line : fixture.canvas().lines())
            QVERIFY2(pixelsOf(image, drawnPen(line, lightPalette()).color()) > 1000, qPrintable(line.name));
        // The window keeps its own colours and sharpness.
        QCOMPARE(fixture.canvas().palette().color(QPalette::Base), shown);
        QTRY_COMPARE(fixture.canvas().grab().toImage().pixelColor(2, 2), shown);
        QCOMPARE(fixture.canvas().bufferDevicePixelRatio(), fixture.panel.devicePixelRatioF());
    }

    void E4_theLegendNamesGroupsButNotTheEdgesOfTheirBands()
    {
        auto lines = tests::twoLines();
        lines.resize(1);
        lines[0].name = QString(60, QLatin1Char('n'));
        PanelFixture alone(lines);
        for (const LinePart part : {LinePart::Low, LinePart::High}) {
            const auto edge = std::make_shared<LineData>(*lines.front().data);
            edge->key.part = part;
            lines.push_back(lines.front());
            lines.back().data = edge;
        }
        PanelFixture withBand(lines);
        QCOMPARE(paintedImage({{&withBand.panel}, 1}, 1).size(), paintedImage({{&alone.panel}, 1}, 1).size());
    }

    void e07_hiddenPlotsAreInThePicture()
    {
        PanelFixture fixture;
        fixture.panel.hide();
        fixture.viewState.setX({0, 500});
        const QImage image = paintedImage({{&fixture.panel}, 1}, 2);
        const int hidden = pixelsOf(image, drawnPen(fixture.canvas().lines().front(), lightPalette()).color());
        fixture.panel.show();
        QCOMPARE(hidden, pixelsOf(paintedImage({{&fixture.panel}, 1}, 2), drawnPen(fixture.canvas().lines().front(), lightPalette()).color()));
        QVERIFY(hidden > 1000);
    }

    void e07_drawingsAreMadeOfLinesAndNames()
    {
        PanelFixture fixture;
        fixture.viewState.setSmoothing({Smoothing::Kind::RunningMean, 5});
        const QString file = m_folder.filePath("loss.svg");
        QCOMPARE(written({{&fixture.panel}, 1}, file), QString());
        QXmlStreamReader xml(contentOf(file));
        QStringList texts;
        int lines = 0, pictures = 0;
        while (!xml.atEnd()) {
            xml.readNext();
            lines += xml.isStartElement() && xml.name() == QLatin1String("polyline");
            pictures += xml.isStartElement() && xml.name() == QLatin1String("image");
            if (xml.isCharacters())
                texts << xml.text().toString().trimmed();
        }
        QVERIFY2(!xml.hasError(), qPrintable(xml.errorString()));
        QVERIFY2(lines >= 2, qPrintable(QString::number(lines)));
        QCOMPARE(pictures, 0);
        const QString all = texts.join(' ');
        for (const char* text : {"Loss", "first", "second", "x: Step", "smoothing: Running mean, 5 steps"})
            QVERIFY2(all.contains(text), qPrintable(all));
    }

    void e07_documentsHaveOnePageOfThePlotsSize()
    {
        PanelFixture fixture;
        const QString file = m_folder.filePath("loss.pdf");
        QCOMPARE(written({{&fixture.panel}, 1}, file), QString());
        const QByteArray content = contentOf(file);
        QVERIFY(content.startsWith("%PDF-") && content.contains("/Count 1"));
        const QSizeF points = QSizeF(paintedImage({{&fixture.panel}, 1}, 1).size()) * 72 / 96;
        const auto box = QByteArray("[0 0 ") + QByteArray::number(qRound(points.width()));
        QVERIFY2(content.contains("/MediaBox " + box), content.mid(content.indexOf("/MediaBox"), 60));
    }

    void e07_allPlotsMakeOnePage()
    {
        PanelFixture one, two, three;
        const QSize single = paintedImage({{&one.panel}, 1}, 1).size();
        const QSize page = paintedImage({{&one.panel, &two.panel, &three.panel}, 2}, 1).size();
        QCOMPARE(page.width(), 2 * single.width() - 10);
        QCOMPARE(page.height(), 2 * single.height() - 10);
    }

    void e07_aLongLegendTakesMoreRows()
    {
        auto lines = tests::twoLines();
        PanelFixture few(lines);
        for (int more = 0; more < 12; ++more) {
            lines.push_back(lines[more % 2]);
            lines.back().name = QStringLiteral("a run with a long name, number %1").arg(more);
        }
        PanelFixture many(lines);
        QVERIFY(paintedImage({{&many.panel}, 1}, 1).height() > paintedImage({{&few.panel}, 1}, 1).height() + 20);
    }

    void e07_whatCannotBeWrittenIsSaid()
    {
        PanelFixture fixture;
        for (const char* name : {"x.png", "x.svg"}) {
            const QString file = m_folder.filePath("nowhere/") + name;
            const QString error = written({{&fixture.panel}, 1}, file);
            QVERIFY2(error.startsWith(file + " cannot be written: "), qPrintable(error));
        }
        const QString file = m_folder.filePath("loss.png");
        QCOMPARE(written({{&fixture.panel}, 1}, file), QString());
        QCOMPARE(QImage(file).size(), paintedImage({{&fixture.panel}, 1}, 2).size());
    }

    void e07_keysOfAFocusedPlot()
    {
        PanelFixture fixture;
        QSignalSpy saved(&fixture.panel, &PlotPanel::saveImageRequested), copied(&fixture.panel, &PlotPanel::copyImageRequested);
        fixture.press(Qt::Key_S, Qt::ControlModifier);
        QCOMPARE(saved.count(), 1);
        QCOMPARE(fixture.viewState.smoothing().kind, Smoothing::Kind::Off);
        fixture.press(Qt::Key_C, Qt::ControlModifier | Qt::ShiftModifier);
        QCOMPARE(copied.count(), 1);
    }
};

QTEST_MAIN(PlotImageTest)
#include "tst_plot_image.moc"
