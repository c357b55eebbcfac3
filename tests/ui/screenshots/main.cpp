// Makes the images of the window: atelier_screenshots OUTDIR [--scale 2] [--only GROUP,GROUP…]
//
// The main window is shown as it is on the data home ($ATELIER_HOME, or the user's); what needs a home of its own (runs to
// compare, the queue, empty, damaged, many runs) gets one. Exits with 1, and names them as tests name what fails, if there are texts
// that are cut off or have too little contrast (page_check.h).
#include "tests/ui/screenshots/pages.h"
#include "ui/base/icons.h"
#include "ui/base/watchdog.h"
#include "ui/language/language.h"

#include <QDir>

#include <algorithm>
#include <cstdio>

namespace {

using screenshots::Album;

struct Group {
    const char* name;
    void (*show)(Album& album);
};

void showHome(Album& album)
{
    const auto home = launcher::DataHome::locate();
    home.create();
    screenshots::showHome(home, album);
}

constexpr Group kGroups[] = {{"home", showHome}, {"small", screenshots::showSmall}, {"table", screenshots::showTable}, {"lines", screenshots::showLines},
    {"queue", screenshots::showQueue}, {"failure", screenshots::showFailure}, {"manual", screenshots::showManual},
    {"long-names", screenshots::showLongNamesAndTrash}, {"dialogs", screenshots::showDialogs}, {"remote", screenshots::showRemote},
    {"view-states", screenshots::showViewStates}, {"questions", screenshots::showQuestions}, {"pictures", screenshots::showPictures},
    {"states", screenshots::showStates}, {"machine", screenshots::showMachine}};  // the last one: its GPUs stay

QString valueOf(const QStringList& arguments, const char* option)
{
    const qsizetype place = arguments.indexOf(QLatin1String(option));
    return place < 0 ? QString() : arguments.value(place + 1, QStringLiteral("?"));
}

}  // namespace

int main(int argc, char** argv)
{
    const QStringList arguments(argv + 1, argv + argc);
    const QString scaleText = valueOf(arguments, "--scale");
    const int scale = scaleText.isEmpty() ? 1 : scaleText.toInt();
    const QStringList only = valueOf(arguments, "--only").split(QLatin1Char(','), Qt::SkipEmptyParts);
    const auto isKnown = [](const QString& name) {
        return std::ranges::any_of(kGroups, [&](const Group& group) { return name == QLatin1String(group.name); });
    };
    if (arguments.isEmpty() || arguments.front().startsWith(QLatin1Char('-')) || scale < 1 || !std::ranges::all_of(only, isKnown)) {
        std::fprintf(stderr, "usage: atelier_screenshots OUTDIR [--scale N] [--only GROUP,GROUP…]\ngroups:");
        for (const Group& group : kGroups)
            std::fprintf(stderr, " %s", group.name);
        std::fprintf(stderr, "\n");
        return 2;
    }
    if (scale > 1)
        qputenv("QT_SCALE_FACTOR", QByteArray::number(scale));
    const QByteArray home = qgetenv("ATELIER_HOME");  // empty is as if it were not set
    ui::WatchedApplication application(argc, argv);
    ui::speakLanguage({});
    QApplication::setWindowIcon(ui::applicationIcon());
    QDir().mkpath(arguments.front());
    Album album(arguments.front(), scale);
    for (const Group& group : kGroups) {
        if (!only.isEmpty() && !only.contains(QLatin1String(group.name)))
            continue;
        for (const ui::Appearance appearance : {ui::Appearance::Light, ui::Appearance::Dark}) {
            qputenv("ATELIER_HOME", home);  // groups with a home of their own have changed it
            album.setAppearance(appearance);
            group.show(album);
        }
        std::printf("%s: %d images so far\n", group.name, album.kept());
        std::fflush(stdout);  // which groups came before a failure is worth knowing
    }
    if (album.unreadableTexts() == 0)
        return 0;
    std::fprintf(stderr, "%d texts cannot be read; the lines above name the page and the text of each.\n", album.unreadableTexts());
    return 1;
}
