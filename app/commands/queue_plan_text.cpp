#include "app/commands/queue_plan_text.h"

#include "app/cli/format.h"
#include "app/cli/output.h"
#include "launcher/queue/queue.h"
#include "launcher/scheduler/queue_outlook.h"
#include "launcher/scheduler/queue_plan.h"
#include "launcher/state/active_runs.h"

#include <algorithm>
#include <chrono>
#include <string>
#include <string_view>

namespace app {
namespace {

std::string_view kindName(launcher::PlanBar::Kind kind)
{
    using Kind = launcher::PlanBar::Kind;
    return kind == Kind::Active ? "active" : kind == Kind::Waiting ? "waiting" : kind == Kind::Held ? "held" : "never_fits";
}

/// "in 2 h 05 min", "12 min ago"
std::string fromNow(std::chrono::milliseconds time)
{
    return time.count() < 0 ? formatDuration(-time) + " ago" : time.count() == 0 ? "now" : "in " + formatDuration(time);
}

std::string startText(const launcher::PlanBar& bar)
{
    using Kind = launcher::PlanBar::Kind;
    if (bar.kind == Kind::Held)
        return "held";
    if (bar.kind == Kind::NeverFits)
        return "when others free its GPUs";
    return bar.isStartKnown ? fromNow(bar.start) : bar.start.count() > 0 ? "unknown, not before " + formatDuration(bar.start) : "unknown";
}

/// A bar of @p width characters for the time until @p span: "=" runs, "?" may go on for ever.
std::string drawn(const launcher::PlanBar& bar, std::chrono::milliseconds span, std::size_t width)
{
    const auto column = [&](std::chrono::milliseconds time) {
        return static_cast<std::size_t>(std::clamp<double>(static_cast<double>(width) * static_cast<double>(time.count()) / static_cast<double>(span.count()), 0, static_cast<double>(width)));
    };
    if (bar.kind == launcher::PlanBar::Kind::Held || bar.kind == launcher::PlanBar::Kind::NeverFits)
        return {};
    std::string text(column(bar.start), ' ');
    if (!bar.end)
        return text + std::string(std::max<std::size_t>(width - text.size(), 1), '?');
    return text + std::string(std::max<std::size_t>(column(*bar.end) - text.size(), 1), '=');
}

}  // namespace

ExitCode showQueuePlan(const launcher::DataHome& home, bool isJson)
{
    const auto bars = launcher::planQueue(launcher::outlook(home, launcher::readQueue(home), launcher::activeRuns(home)));
    if (isJson) {
        Json list = Json::array();
        const auto seconds = [](std::chrono::milliseconds time) { return static_cast<double>(time.count()) / 1000; };
        for (const launcher::PlanBar& bar : bars)
            list.push_back({{"run", bar.run}, {"kind", kindName(bar.kind)}, {"urgent", bar.isUrgent}, {"start_seconds", seconds(bar.start)},
                {"start_known", bar.isStartKnown}, {"end_seconds", bar.end ? Json(seconds(*bar.end)) : Json(nullptr)}, {"basis", bar.basis}});
        printJson(list);
        return kSuccess;
    }
    constexpr std::size_t kWidth = 40;
    std::chrono::milliseconds span {1};
    for (const launcher::PlanBar& bar : bars)
        span = std::max({span, bar.start + bar.start / 4, bar.end.value_or(span)});
    Table table({{"RUN"}, {"STARTS"}, {"ENDS"}, {"NOW"}, {"DURATION"}});
    for (const launcher::PlanBar& bar : bars)
        table.addRow({bar.run, startText(bar), bar.end ? fromNow(*bar.end) : "unknown", drawn(bar, span, kWidth), bar.basis});
    printText(table.isEmpty() ? "No run is active, and none waits in the queue.\n" : table.text());
    return kSuccess;
}

}  // namespace app
