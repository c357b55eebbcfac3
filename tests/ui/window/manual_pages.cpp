#include "tests/ui/window/manual_pages.h"

#include "launcher/base/data_home.h"
#include "ui/manual/manual_window.h"

#include <QAction>
#include <QApplication>
#include <QFile>
#include <QHash>
#include <QMainWindow>
#include <QMenu>
#include <QMenuBar>
#include <QRegularExpression>

namespace ui_test {
namespace {

QString withoutKey(QString text) { return text.remove('&'); }

}  // namespace

QDir manualFolder(const QString& language)
{
    const auto manual = launcher::resourcesFolder() / "manual";
    return QString::fromStdString((language == QLatin1String("en") ? manual : manual / language.toStdString()).string());
}

QString pageText(const QDir& folder, const QString& page)
{
    QFile file(folder.filePath(page));
    return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
}

NamedEntries entriesNamed(const QDir& folder, const QMainWindow& window)
{
    QHash<QString, QStringList> menus;
    for (const QAction* menu : window.menuBar()->actions()) {
        for (const QAction* entry : menu->menu()->actions())
            menus[withoutKey(menu->text())] << withoutKey(entry->text());
    }
    NamedEntries named;
    const QRegularExpression path("\\*([^*]+)\\* › \\*([^*]+)\\*");
    for (const QString& page : folder.entryList({"*.md"})) {
        for (const QRegularExpressionMatch& match : path.globalMatch(pageText(folder, page))) {
            const auto menu = menus.constFind(match.captured(1));
            if (menu == menus.constEnd())
                continue;
            if (menu->contains(match.captured(2).simplified()))
                ++named.found;
            else
                named.missing << page + ": " + match.captured(0);
        }
    }
    return named;
}

ui::ManualWindow* openedManual()
{
    for (QWidget* window : QApplication::topLevelWidgets()) {
        if (auto* manual = qobject_cast<ui::ManualWindow*>(window); manual && manual->isVisible())
            return manual;
    }
    return nullptr;
}

}  // namespace ui_test
