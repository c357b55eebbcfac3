// A plot on a screen of another scale is drawn again.
#include "tests/ui/plot/panel_fixture.h"

#include <QApplication>
#include <QFile>
#include <QScreen>
#include <QTemporaryDir>
#include <QWindow>

class PlotScreensTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void m07_aPlotIsDrawnAgainOnAScreenOfAnotherScale()
    {
        const auto screens = QGuiApplication::screens();
        QCOMPARE(screens.size(), 2);
        const double before = screens[0]->devicePixelRatio(), after = screens[1]->devicePixelRatio();
        QVERIFY(before != after);
        tests::PanelFixture fixture;
        fixture.panel.windowHandle()->setScreen(screens[0]);
        QVERIFY(QTest::qWaitForWindowExposed(&fixture.panel));
        fixture.canvas().refresh();
        QCOMPARE(fixture.canvas().bufferDevicePixelRatio(), before);
        fixture.panel.windowHandle()->setScreen(screens[1]);
        QTRY_COMPARE(fixture.canvas().devicePixelRatioF(), after);
        fixture.canvas().repaint();
        QTRY_COMPARE(fixture.canvas().bufferDevicePixelRatio(), after);
    }
};

int main(int argc, char** argv)
{
    const QTemporaryDir folder;
    QFile config(folder.filePath("screens.json"));
    if (!config.open(QIODevice::WriteOnly))
        return 1;
    config.write(R"({"screens":[{"name":"plain","x":0,"y":0,"width":800,"height":800,"logicalDpi":96,"logicalBaseDpi":96,"dpr":1},)"
                 R"({"name":"fine","x":800,"y":0,"width":800,"height":800,"logicalDpi":96,"logicalBaseDpi":96,"dpr":2}]})");
    config.close();
    qputenv("QT_QPA_PLATFORM", ("offscreen:configfile=" + config.fileName()).toLocal8Bit());
    QApplication application(argc, argv);
    PlotScreensTest test;
    return QTest::qExec(&test, argc, argv);
}
#include "tst_plot_screens.moc"
