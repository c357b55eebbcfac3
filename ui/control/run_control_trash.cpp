// What RunControl does with the trash.
#include "ui/base/background.h"
#include "ui/control/outcome.h"
#include "ui/control/run_control.h"

#include <QJsonDocument>
#include <QJsonValue>

#include <algorithm>
#include <string>
#include <vector>

namespace ui {

void RunControl::trash(const QStringList& folders)
{
    for (const QString& folder : folders) {
        const QString id = QString::fromStdString(runFolder(folder).id());
        if (m_mirror) {
            executeThere({"rm", "--yes", id.toStdString()}, [this, id](const QString& error) {
                if (error.isEmpty())
                    Q_EMIT trashed(id);
                else
                    Q_EMIT refused(id, error);
                Q_EMIT trashChangedThere();
            });
            continue;
        }
        const auto work = [home = m_home, folder] {
            return outcomeOf(QString::fromStdString(runFolder(folder).id()), [&] {
                launcher::moveToTrash(home, runFolder(folder));
                return runFolder(folder);
            });
        };
        inBackground(this, work, [this](const Outcome& outcome) {
            if (outcome.error.isEmpty())
                Q_EMIT trashed(outcome.runId);
            else
                Q_EMIT refused(outcome.runId, outcome.error);
        });
    }
}

void RunControl::restore(const std::vector<launcher::TrashItem>& items)
{
    Q_EMIT restoring();
    for (const launcher::TrashItem& item : items) {
        if (m_mirror) {
            restoreThere(item);
            continue;
        }
        const auto work = [home = m_home, item] {
            return outcomeOf(QString::fromStdString(item.runId()), [&] {
                launcher::restore(home, item);
                return contract::RunFolder(item.checkpointStep ? item.origin.parent_path().parent_path() : item.origin);
            });
        };
        inBackground(this, work, [this](const Outcome& outcome) {
            if (outcome.error.isEmpty())
                Q_EMIT restored(outcome.runId, outcome.folder);
            else
                Q_EMIT refused(outcome.runId, outcome.error);
        });
    }
}

void RunControl::restoreThere(const launcher::TrashItem& item)
{
    const QString id = QString::fromStdString(item.runId());
    executeThere({"trash", "restore", item.exactName()}, [this, id](const QString& error) {
        if (error.isEmpty())
            Q_EMIT restored(id, folderThere(id));
        else
            Q_EMIT refused(id, error);
        Q_EMIT trashChangedThere();
    });
}

/// @param begin the first that has not been deleted yet
void RunControl::eraseThere(const std::vector<launcher::TrashItem>& items, std::size_t begin, qint64 erasedBytes)
{
    constexpr std::size_t kMost = 400;  // names in one command
    const std::size_t end = std::min(items.size(), begin + kMost);
    std::vector<std::string> command = {"trash", "empty", "--yes", "--json"};
    for (std::size_t i = begin; i < end; ++i)
        command.push_back(items[i].exactName());
    m_mirror->execute(command, this, [this, items, begin, end, erasedBytes](const launcher::CommandReply& reply) {
        const qint64 bytes = erasedBytes + QJsonDocument::fromJson(QByteArray::fromStdString(reply.output))["bytes"].toInteger();
        Q_EMIT trashChangedThere();
        if (!reply.isAccepted)
            Q_EMIT refused(QString::fromStdString(items[begin].runId()), translatedSentence(reply.error));
        if (reply.isAccepted && end < items.size())
            eraseThere(items, end, bytes);
        else
            Q_EMIT erased(static_cast<int>(reply.isAccepted ? end : begin), bytes);
    });
}

void RunControl::erase(const std::vector<launcher::TrashItem>& items)
{
    if (m_mirror && !items.empty())
        return eraseThere(items, 0, 0);
    struct Erased {
        int items = 0;
        std::uint64_t bytes = 0;
        std::vector<Outcome> refused = {};
    };
    const auto work = [home = m_home, items] {
        Erased erased;
        const auto attempt = [&](const QString& runId, const auto& erase) {
            try {
                erase();
                return true;
            } catch (const std::exception& error) {
                erased.refused.push_back({runId, {}, translatedSentence(error.what())});
                return false;
            }
        };
        attempt({}, [&] { launcher::removeRemnants(home); });
        for (const launcher::TrashItem& item : items) {
            const std::uint64_t bytes = launcher::folderBytes(item.place);
            if (!attempt(QString::fromStdString(item.runId()), [&] { launcher::erase(home, item); }))
                continue;
            ++erased.items;
            erased.bytes += bytes;
        }
        return erased;
    };
    inBackground(this, work, [this](const Erased& erased) {
        for (const Outcome& outcome : erased.refused)
            Q_EMIT refused(outcome.runId, outcome.error);
        Q_EMIT this->erased(erased.items, static_cast<qint64>(erased.bytes));
    });
}

}  // namespace ui
