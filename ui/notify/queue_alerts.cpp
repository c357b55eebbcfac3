#include "ui/notify/queue_alerts.h"

#include <algorithm>
#include <functional>

namespace ui {

std::vector<storage::AlertRow> queueAlerts(const launcher::Queue& queue, const std::function<bool(const std::string& run)>& isThere)
{
    std::vector<storage::AlertRow> rows;
    for (const launcher::QueueAlert& alert : queue.alerts) {
        if (!isThere(alert.run) && std::ranges::find(queue.waiting, alert.run, &launcher::QueueEntry::run) == queue.waiting.end())
            continue;
        rows.push_back({.run = alert.run,
            .attempt = alert.attempt,
            .step = 0,
            .unixMs = alert.unixMs,
            .kind = alert.kind == launcher::QueueAlert::Kind::Held ? storage::AlertRow::Kind::QueueHeld : storage::AlertRow::Kind::NotStarted,
            .message = alert.message});
    }
    std::ranges::stable_sort(rows, std::greater(), &storage::AlertRow::unixMs);
    return rows;
}

}  // namespace ui
