// Makes the images of the window: atelier_screenshots OUTDIR [--scale 2]
//
// The main window is shown as it is on the data home ($ATELIER_HOME, or the user's); what needs a home of its own (runs to
// compare, the queue, empty, damaged, many runs) gets one.
#include "tests/ui/screenshots/pages.h"
#include "ui/base/icons.h"
#include "ui/base/watchdog.h"
#include "ui/language/language.h"

#include <QDir>

#include <cstdio>

int main(int argc, char** argv)
{
    const QStringList arguments(argv + 1, argv + argc);
    const qsizetype option = arguments.indexOf(QStringLiteral("--scale"));
    const int scale = option < 0 ? 1 : arguments.value(option + 1).toInt();
    if (arguments.isEmpty() || scale < 1) {
        std::fprintf(stderr, "usage: atelier_screenshots OUTDIR [--scale N]\n");
        return 2;
    }
    if (scale > 1)
        qputenv("QT_SCALE_FACTOR", QByteArray::number(scale));
    ui::WatchedApplication application(argc, argv);
    ui::speakLanguage({});
    QApplication::setWindowIcon(ui::applicationIcon());
    QDir().mkpath(arguments.front());
    screenshots::Album album(arguments.front(), scale);
    const auto home = launcher::DataHome::locate();
    home.create();
    screenshots::showHome(home, album);
    screenshots::showSmall(album);
    for (const ui::Appearance appearance : {ui::Appearance::Light, ui::Appearance::Dark}) {
        album.setAppearance(appearance);
        screenshots::showTable(album);
        screenshots::showLines(album);
        screenshots::showQueue(album);
        screenshots::showFailure(album);
        screenshots::showManual(album);
        screenshots::showLongNamesAndTrash(album);
        screenshots::showDialogs(album);
        screenshots::showRemote(album);
    }
    if (scale == 1)
        screenshots::showStates(album);
    return 0;
}
