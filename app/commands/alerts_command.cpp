// atelier alerts
#include "app/cli/catalogue.h"
#include "app/cli/cli11.h"
#include "app/cli/command.h"
#include "app/cli/format.h"
#include "app/cli/output.h"
#include "launcher/queue/queue.h"
#include "ui/base/settings.h"
#include "ui/desktop.h"
#include "ui/notify/queue_alerts.h"
#include "ui/notify/read_alerts.h"
#include "ui/runs/past_alert.h"

#include <QCoreApplication>
#include <QDateTime>

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace app {
namespace {

struct AlertsRequest {
    std::size_t limit = 50;
    bool isOnlyUnread = false;
    bool isRead = false;
    bool isJson = false;
};

std::string_view wordOf(storage::AlertRow::Kind kind)
{
    using enum storage::AlertRow::Kind;
    switch (kind) {
    case Finished:
        return "finished";
    case Failed:
        return "failed";
    case NoEnd:
        return "interrupted";
    case Restarting:
        return "restarting";
    case Stalled:
        return "stalled";
    case Rule:
        return "rule";
    case DiskLow:
        return "disk low";
    case NotSaved:
        return "not saved";
    case NotStarted:
        return "not started";
    case QueueHeld:
        return "queue held";
    }
    return "";
}

/// The runs that alerts are of; each is looked at once.
class AlertedRuns {
public:
    explicit AlertedRuns(const storage::Store& store)
    {
        for (storage::RunRow& run : store.runs()) {
            std::string id = run.id;
            m_rows.emplace(std::move(id), std::move(run));
        }
    }

    bool isKnown(const std::string& id) const { return m_rows.contains(id); }
    /// Of a run that is not known, its id stands for its name.
    const storage::RunRow& row(const std::string& id)
    {
        storage::RunRow& row = m_rows[id];
        if (row.id.empty())
            row.id = row.name = id;
        return row;
    }
    const launcher::RunStatus& status(const std::string& id)
    {
        const auto [found, isNew] = m_states.try_emplace(id);
        if (isNew)
            found->second = launcher::inspectRun(contract::RunFolder(row(id).folder));
        return found->second;
    }

private:
    std::map<std::string, storage::RunRow> m_rows;
    std::map<std::string, launcher::RunStatus> m_states;
};

/// The alerts of all runs and of the queue, newest first. @param limit of those that are in the store
std::vector<storage::AlertRow> allAlerts(const launcher::DataHome& home, const storage::Store& store, const AlertedRuns& runs, int limit)
{
    std::vector<storage::AlertRow> all = store.alerts({}, limit), ofQueue;
    try {
        ofQueue = ui::queueAlerts(launcher::readQueue(home), [&](const std::string& run) { return runs.isKnown(run); });
    } catch (const std::runtime_error& error) {
        printWarning(error.what());
    }
    const auto middle = all.insert(all.end(), ofQueue.begin(), ofQueue.end());
    std::ranges::inplace_merge(all, middle, std::greater(), &storage::AlertRow::unixMs);
    return all;
}

/// What has happened, newest first. @param runs of @p store
std::vector<storage::AlertRow> pastAlerts(const launcher::DataHome& home, const storage::Store& store, AlertedRuns& runs, int limit)
{
    std::vector<storage::AlertRow> past;
    for (storage::AlertRow& alert : allAlerts(home, store, runs, limit)) {
        if (ui::hasHappened(alert, runs.status(alert.run)))
            past.push_back(std::move(alert));
    }
    return past;
}

/// By the window if one is open, which keeps what was read; else in its place.
void markRead(const launcher::DataHome& home)
{
    int argumentCount = 1;
    char name[] = "atelier";
    char* arguments[] = {name, nullptr};
    QCoreApplication application(argumentCount, arguments);
    if (ui::readAlertsInWindow(home))
        return;
    const storage::Store store = openCatalogue(home);
    AlertedRuns runs(store);
    const std::vector<storage::AlertRow> past = pastAlerts(home, store, runs, ui::ReadAlerts::kMostAlerts);
    ui::Settings settings(home);
    ui::ReadAlerts read(settings);
    if (!read.hasBegun())
        read.begin(QDateTime::currentMSecsSinceEpoch());
    const bool isFull = past.size() >= ui::ReadAlerts::kMostAlerts;
    read.addAll(past, isFull ? std::optional<qint64>(past.back().unixMs) : std::nullopt);
    read.keep(settings);
}

ExitCode alerts(const AlertsRequest& request)
{
    const launcher::DataHome home = existingHome();
    if (request.isRead) {
        markRead(home);
        printText("All alerts count as read.\n");
        return kSuccess;
    }
    const storage::Store store = openCatalogue(home);
    const ui::Settings settings(home);
    const ui::ReadAlerts read(settings);
    AlertedRuns runs(store);
    Json list = Json::array();
    using enum Table::Align;
    Table table({{"TIME"}, {"RUN"}, {"ALERT"}, {"STEP", Right}, {"DETAILS"}});
    for (const storage::AlertRow& alert : allAlerts(home, store, runs, std::numeric_limits<int>::max())) {
        if (list.size() == request.limit)
            break;
        const bool isUnread = read.isUnread(alert);
        if (request.isOnlyUnread && !isUnread)
            continue;
        const launcher::RunStatus& status = runs.status(alert.run);
        if (!ui::hasHappened(alert, status))
            continue;
        const storage::RunRow& run = runs.row(alert.run);
        const std::string word(wordOf(alert.kind)), details = ui::causeOf(alert, status);
        list.push_back({{"unix_ms", alert.unixMs}, {"run", alert.run}, {"name", run.name}, {"attempt", alert.attempt}, {"alert", word},
            {"step", alert.step > 0 ? Json(alert.step) : Json(nullptr)}, {"details", details}, {"unread", isUnread}});
        table.addRow({formatTime(alert.unixMs), run.name, isUnread ? word + ", unread" : word, alert.step > 0 ? formatCount(alert.step) : "", details});
    }
    if (request.isJson)
        printJson(list);
    else if (table.isEmpty() && request.isOnlyUnread)
        printText("Nothing is unread.\n");
    else
        printText(table.isEmpty() ? "Nothing has happened yet: no run has ended, failed or hung, and no rule has fired.\n" : table.text());
    return kSuccess;
}

}  // namespace

void addAlertsCommand(CLI::App& app, Action& action)
{
    const auto request = std::make_shared<AlertsRequest>();
    CLI::App* command = app.add_subcommand("alerts", "List what has happened in all runs, newest first: ends, failures, stalls, rules that fired, a full disk, checkpoints that were not written, what the queue could not start");
    command->add_option("-n,--limit", request->limit, "Maximum number of alerts")->check(CLI::Range(1, 1'000'000))->capture_default_str();
    CLI::Option* const unread = command->add_flag("--unread", request->isOnlyUnread, "Only those that have not been read");
    CLI::Option* const json = command->add_flag("--json", request->isJson, "Print one JSON document");
    command->add_flag("--read", request->isRead, "Count all as read, as Mark all as read in the window does")->excludes(unread)->excludes(json);
    command->footer("All are unread until the first --read or the first window; what was before counts as read from then on.");
    command->callback([request, &action] { action = [request] { return alerts(*request); }; });
}

}  // namespace app
