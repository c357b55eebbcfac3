#include "ui/notify/late_notices.h"

#include "ui/base/background.h"

#include <string>

namespace ui {
namespace {

using launcher::RunState;

/// Whether the end of a run is worth a notice: whoever has stopped it knows.
bool isNews(const launcher::RunStatus& status)
{
    const bool isByRule = status.state == RunState::Stopped && status.cause.starts_with("stopped by the rule ");
    return status.state == RunState::Finished || status.state == RunState::Failed || status.state == RunState::Interrupted || isByRule;
}

}  // namespace

LateNotices::LateNotices(const RunsModel& runs, launcher::DataHome home, QObject* parent)
    : QObject(parent)
    , m_runs(runs)
    , m_home(std::move(home))
{
    connect(&runs, &RunsModel::entryChanged, this, &LateNotices::look);
}

void LateNotices::look(const QString& id)
{
    const RunEntry* const entry = m_runs.entry(id);
    if (!entry || !entry->status || entry->status->isSupervised || !isNews(*entry->status))
        return;
    const launcher::RunStatus& status = *entry->status;
    if (m_seen.contains({id, status.attempt}))
        return;
    m_seen.insert({id, status.attempt});
    const auto addressIfUnreported = [home = m_home, folder = entry->row.folder, attempt = status.attempt] {
        const std::string url = launcher::webhook(home);
        return url.empty() || contract::takeUnreported(contract::RunFolder(folder), attempt) ? url : std::string();
    };
    const auto send = [this, notice = contract::Notice {.run = entry->row.id,
                                 .name = entry->row.name,
                                 .state = std::string(launcher::stateName(status.state)),
                                 .cause = status.cause,
                                 .step = status.step}](const std::string& url) {
        if (!url.empty())
            m_sender.send(url, notice, [](const std::string&) {});
    };
    inBackground(this, addressIfUnreported, send);
}

}  // namespace ui
