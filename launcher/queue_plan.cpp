#include "launcher/scheduler/queue_plan.h"

#include <algorithm>
#include <cstddef>

namespace launcher {
namespace {

using std::chrono::milliseconds;

/// The clock of the plan, and who runs then.
class Course {
public:
    explicit Course(const PlanInput& input)
        : m_atOnce(static_cast<std::size_t>(std::max(1, input.atOnce)))
        , m_idle(input.idleGpus)
    {
        for (const ActiveRun& run : input.active)
            m_running.push_back({run.duration, run.gpus});
    }

    milliseconds now() const { return m_now; }

    /// The GPUs that @p entry would get now; nullopt: it has to wait.
    std::optional<std::vector<std::string>> placeFor(const QueueEntry& entry) const
    {
        const auto isIdle = [&](const std::string& uuid) { return std::ranges::count(m_idle, uuid) > 0; };
        const auto wanted = static_cast<std::size_t>(std::max(0, entry.gpus));
        if (!entry.chosen.empty()) {
            const bool hasThem = std::ranges::all_of(entry.chosen, isIdle);
            return hasThem || entry.isUrgent ? std::optional(entry.chosen) : std::nullopt;
        }
        if (wanted > 0 && m_idle.size() >= wanted)
            return std::vector(m_idle.begin(), m_idle.begin() + static_cast<std::ptrdiff_t>(wanted));
        const auto places = std::ranges::count_if(m_running, [](const Running& each) { return each.gpus.empty(); });
        const bool mayStart = entry.isUrgent || (wanted == 0 && static_cast<std::size_t>(places) < m_atOnce);
        return mayStart ? std::optional(std::vector<std::string>()) : std::nullopt;
    }

    /// @return its end
    std::optional<milliseconds> start(const std::optional<milliseconds>& duration, const std::vector<std::string>& gpus)
    {
        std::erase_if(m_idle, [&](const std::string& uuid) { return std::ranges::count(gpus, uuid) > 0; });
        const auto end = duration ? std::optional(m_now + *duration) : std::nullopt;
        m_running.push_back({end, gpus});
        return end;
    }

    /// Goes on to the next end that is known. @return whether there is one
    bool advance()
    {
        const Running* next = nullptr;
        for (const Running& each : m_running) {
            if (each.end && (!next || *each.end < *next->end))
                next = &each;
        }
        if (!next)
            return false;
        m_now = std::max(m_now, *next->end);
        m_idle.insert(m_idle.end(), next->gpus.begin(), next->gpus.end());
        m_running.erase(m_running.begin() + (next - m_running.data()));
        return true;
    }

    /// Whether @p entry could start if all ended that run.
    bool couldEverStart(const QueueEntry& entry) const
    {
        std::vector<std::string> all = m_idle;
        for (const Running& each : m_running)
            all.insert(all.end(), each.gpus.begin(), each.gpus.end());
        const bool hasChosen = std::ranges::all_of(entry.chosen, [&](const std::string& uuid) { return std::ranges::count(all, uuid) > 0; });
        return entry.chosen.empty() ? all.size() >= static_cast<std::size_t>(std::max(0, entry.gpus)) : hasChosen;
    }

private:
    struct Running {
        std::optional<milliseconds> end;
        std::vector<std::string> gpus;
    };
    std::size_t m_atOnce;
    std::vector<std::string> m_idle;
    std::vector<Running> m_running;
    milliseconds m_now {0};
};

/// The places of the entries that start at all, in the order of their starts.
std::vector<std::size_t> orderOf(const std::vector<QueueEntry>& waiting)
{
    std::vector<std::size_t> order;
    for (const bool isUrgent : {true, false}) {
        for (std::size_t i = 0; i < waiting.size(); ++i) {
            if (!waiting[i].isHeld && waiting[i].isUrgent == isUrgent)
                order.push_back(i);
        }
    }
    return order;
}

}  // namespace

std::vector<PlanBar> planQueue(const PlanInput& input)
{
    std::vector<PlanBar> bars;
    for (const ActiveRun& run : input.active)
        bars.push_back({.run = run.run, .kind = PlanBar::Kind::Active, .start = -run.since, .end = run.duration, .basis = run.basis});
    const std::size_t first = bars.size();
    for (std::size_t i = 0; i < input.waiting.size(); ++i) {
        const QueueEntry& entry = input.waiting[i];
        const auto kind = entry.isHeld ? PlanBar::Kind::Held : PlanBar::Kind::Waiting;
        bars.push_back({.run = entry.run, .kind = kind, .isUrgent = entry.isUrgent, .isStartKnown = false, .basis = input.estimates[i].basis});
    }
    Course course(input);
    bool isKnown = true;
    for (const std::size_t i : orderOf(input.waiting)) {
        const QueueEntry& entry = input.waiting[i];
        PlanBar& bar = bars[first + i];
        auto gpus = isKnown ? course.placeFor(entry) : std::nullopt;
        while (isKnown && !gpus) {
            isKnown = course.advance();
            gpus = isKnown ? course.placeFor(entry) : std::nullopt;
        }
        bar.start = course.now();
        if (gpus) {
            bar.isStartKnown = true;
            bar.end = course.start(input.estimates[i].duration, *gpus);
        } else if (!course.couldEverStart(entry)) {
            bar.kind = PlanBar::Kind::NeverFits;
        }
    }
    return bars;
}

}  // namespace launcher
