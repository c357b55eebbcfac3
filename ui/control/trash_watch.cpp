#include "ui/control/trash_watch.h"

#include "launcher/remote/protocol.h"
#include "ui/base/background.h"
#include "ui/language/outside_text.h"

#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include <algorithm>
#include <chrono>
#include <set>
#include <utility>

namespace ui {
namespace {

using namespace std::chrono_literals;

constexpr auto kIntervalThere = 5s;

QString text(const std::filesystem::path& path) { return QString::fromStdString(path.string()); }

struct TrashThere {
    std::vector<launcher::TrashItem> items = {};
    std::vector<std::uint64_t> bytes = {};
};

/// What `atelier trash list --json` has printed. Entries that name no run are left out.
TrashThere trashIn(const std::string& document)
{
    TrashThere trash;
    const QJsonArray rows = QJsonDocument::fromJson(QByteArray::fromStdString(document)).array();
    for (const QJsonValue& row : rows) {
        launcher::TrashItem item {.name = row["name"].toString().toStdString(), .checkpointStep = {}, .place = row["folder"].toString().toStdString(),
            .origin = row["origin"].toString().toStdString(), .unixMs = row["unix_ms"].toInteger()};
        if (row["checkpoint_step"].isDouble())
            item.checkpointStep = row["checkpoint_step"].toInteger();
        if (!launcher::isRunName(item.runId()) || (item.name == item.runId()) == item.checkpointStep.has_value())
            continue;
        trash.items.push_back(std::move(item));
        trash.bytes.push_back(static_cast<std::uint64_t>(std::max<qint64>(0, row["bytes"].toInteger())));
    }
    return trash;
}

}  // namespace

TrashWatch::TrashWatch(const launcher::DataHome& home, launcher::Mirror* mirror, QObject* parent)
    : QObject(parent)
    , m_home(home)
    , m_mirror(mirror)
{
    if (m_mirror) {
        m_timer.setInterval(kIntervalThere);
        connect(&m_timer, &QTimer::timeout, this, &TrashWatch::read);
        connect(m_mirror, &launcher::Mirror::linkChanged, this, [this](const launcher::RemoteLink& link) {
            if (link.isListed != std::exchange(m_wasListed, link.isListed) && link.isListed)
                read();
        });
        return;
    }
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
    if (m_mirror)
        return readThere();
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

void TrashWatch::readThere()
{
    m_mirror->execute({"trash", "list", "--json"}, this, [this](const launcher::CommandReply& reply) {
        m_isReading = false;
        TrashThere trash = reply.isAccepted ? trashIn(reply.output) : TrashThere {.items = m_items, .bytes = m_bytes};
        const QString problem = reply.isAccepted ? QString() : translatedSentence(reply.error);
        const bool isSame = m_problem == problem && m_bytes == trash.bytes
            && std::ranges::equal(trash.items, m_items, {}, &launcher::TrashItem::place, &launcher::TrashItem::place);
        m_items = std::move(trash.items);
        m_bytes = std::move(trash.bytes);
        m_problem = problem;
        if (!isSame)
            Q_EMIT changed();
        if (std::exchange(m_isOutdated, false))
            read();
    });
}

void TrashWatch::setShown(bool isShown)
{
    if (!m_mirror)
        return;
    isShown ? m_timer.start() : m_timer.stop();
    if (isShown)
        read();
}

}  // namespace ui
