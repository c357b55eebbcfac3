#include "ui/control/trash_watch.h"

#include "ui/base/background.h"

#include <QFileInfo>

#include <algorithm>
#include <set>
#include <utility>

namespace ui {
namespace {

QString text(const std::filesystem::path& path) { return QString::fromStdString(path.string()); }

}  // namespace

TrashWatch::TrashWatch(const launcher::DataHome& home, QObject* parent)
    : QObject(parent)
    , m_home(home)
{
    connect(&m_watcher, &QFileSystemWatcher::directoryChanged, this, &TrashWatch::read);
    watch({});
    read();
}

/// Watches the trash, with the folders that hold checkpoints, or, until there is one, the folder in which it will appear.
/// @return whether a folder is watched that was not before
bool TrashWatch::watch(const std::vector<launcher::TrashItem>& items)
{
    const bool hasTrash = QFileInfo::exists(text(m_home.trash()));
    std::set<QString> wanted = {text(hasTrash ? m_home.trash() : m_home.data)};
    for (const launcher::TrashItem& item : items) {
        if (item.checkpointStep)
            wanted.insert({text(item.place.parent_path()), text(item.place.parent_path().parent_path())});
    }
    for (const QString& folder : m_watcher.directories()) {
        if (wanted.erase(folder) == 0)
            m_watcher.removePath(folder);
    }
    bool isAnyNew = false;
    for (const QString& folder : wanted)
        isAnyNew = m_watcher.addPath(folder) || isAnyNew;
    return isAnyNew;
}

void TrashWatch::read()
{
    if (m_isReading) {
        m_isOutdated = true;
        return;
    }
    m_isReading = true;
    inBackground(this, [home = m_home] { return launcher::trashItems(home); }, [this](std::vector<launcher::TrashItem> items) {
        m_isReading = false;
        // A folder that was not watched yet may have changed after it was read.
        const bool isNew = watch(items);
        if (std::exchange(m_isOutdated, false) || isNew)
            read();
        if (std::ranges::equal(items, m_items, {}, &launcher::TrashItem::place, &launcher::TrashItem::place))
            return;
        m_items = std::move(items);
        Q_EMIT changed();
    });
}

}  // namespace ui
