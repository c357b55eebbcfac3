#include "launcher/queue/queue.h"

#include "engine/contract/experiment/slurm_rules.h"
#include "engine/contract/formats/file_content.h"
#include "engine/contract/formats/json_text.h"
#include "engine/contract/formats/new_folder.h"
#include "engine/contract/formats/output_file.h"
#include "engine/contract/formats/sentence.h"
#include "engine/contract/run/lock_byte.h"
#include "engine/contract/run/start_lock.h"
#include "engine/contract/run/supervisor_lock.h"
#include "launcher/machine/gpus.h"
#include "launcher/machine/nvml.h"
#include "launcher/queue/scheduler_lock.h"

#include <nlohmann/json.hpp>

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <stdexcept>
#include <system_error>
#include <utility>

namespace launcher {
namespace {

constexpr std::uint64_t kLongestQueue = 64 << 20;

std::filesystem::path queueFile(const DataHome& home) { return home.state / "queue.json"; }

nlohmann::json toJson(const QueueEntry& entry)
{
    return {{"run", entry.run}, {"attempt", entry.attempt}, {"gpus", entry.gpus}, {"held", entry.isHeld}, {"urgent", entry.isUrgent},
        {"problem", entry.problem}, {"chosen", entry.chosen}, {"given", entry.given}};
}

QueueEntry entryFrom(const nlohmann::json& json)
{
    return {.run = json.at("run").get<std::string>(),
        .attempt = json.at("attempt").get<int>(),
        .gpus = json.at("gpus").get<int>(),
        .isHeld = json.at("held").get<bool>(),
        .isUrgent = json.at("urgent").get<bool>(),
        .problem = json.at("problem").get<std::string>(),
        .chosen = json.value("chosen", std::vector<std::string>()),
        .given = json.at("given").get<std::vector<std::string>>()};
}

nlohmann::json toJson(const QueueAlert& alert)
{
    return {{"kind", alertWord(alert.kind)}, {"run", alert.run}, {"attempt", alert.attempt}, {"unix_ms", alert.unixMs}, {"message", alert.message}};
}

/// Those that this version knows; a queue of an earlier one has none.
std::vector<QueueAlert> alertsFrom(const nlohmann::json& queue)
{
    std::vector<QueueAlert> alerts;
    for (const auto& json : queue.value("alerts", nlohmann::json::array())) {
        if (const auto kind = alertKind(json.at("kind").get<std::string>()))
            alerts.push_back({.kind = *kind,
                .run = json.at("run").get<std::string>(),
                .attempt = json.at("attempt").get<int>(),
                .unixMs = json.at("unix_ms").get<std::int64_t>(),
                .message = json.at("message").get<std::string>()});
    }
    return alerts;
}

template <typename List>
nlohmann::json listJson(const List& entries)
{
    auto list = nlohmann::json::array();
    for (const auto& each : entries)
        list.push_back(toJson(each));
    return list;
}

std::vector<QueueEntry> listFrom(const nlohmann::json& json)
{
    std::vector<QueueEntry> entries;
    for (const auto& each : json)
        entries.push_back(entryFrom(each));
    return entries;
}

auto findRun(std::vector<QueueEntry>& entries, const std::string& run) { return std::ranges::find(entries, run, &QueueEntry::run); }

/// The queue as its file has it.
Queue storedQueue(const DataHome& home)
{
    const auto text = contract::fileContentIfAny(queueFile(home), kLongestQueue, contract::Links::Refuse);
    if (!text)
        return {};
    try {
        const auto json = contract::parsedJson(*text);
        return {.atOnce = std::max(1, json.at("at_once").get<int>()),
            .stopsOnError = json.at("stops_on_error").get<bool>(),
            .waiting = listFrom(json.at("waiting")),
            .started = listFrom(json.at("started")),
            .alerts = alertsFrom(json)};
    } catch (const nlohmann::json::exception&) {
        throw std::runtime_error("the queue in " + queueFile(home).string()
            + " cannot be parsed; move the file away: the runs in it stay prepared, and `atelier queue add RUN` queues them again");
    }
}

/// Holds the right to edit the queue.
class EditLock {
public:
    explicit EditLock(const DataHome& home)
    {
        contract::createFolder(home.state);
        if (const int cause = contract::awaitByte(queueLock(home), contract::LockByte::Editor, m_descriptor))
            throw std::runtime_error(contract::cannotBe("locked", queueLock(home), cause));
    }
    ~EditLock() { ::close(m_descriptor); }
    EditLock(const EditLock&) = delete;
    EditLock& operator=(const EditLock&) = delete;

private:
    int m_descriptor = -1;
};

}  // namespace

Queue readQueue(const DataHome& home)
{
    Queue queue = storedQueue(home);
    // Of what is held nobody else notices that it was started by hand: there may be no scheduler. One that has given it GPUs notes that itself.
    std::erase_if(queue.waiting, [&](const QueueEntry& entry) {
        return entry.isHeld && entry.given.empty() && contract::hasStarted(contract::RunFolder(home.runs() / entry.run), entry.attempt);
    });
    return queue;
}

void editQueue(const DataHome& home, const std::function<void(Queue&)>& change)
{
    const EditLock lock(home);
    const Queue before = readQueue(home);
    Queue queue = before;
    change(queue);
    if (queue == before)
        return;
    const nlohmann::json json = {{"v", 1}, {"at_once", queue.atOnce}, {"stops_on_error", queue.stopsOnError},
        {"waiting", listJson(queue.waiting)}, {"started", listJson(queue.started)}, {"alerts", listJson(queue.alerts)}};
    try {
        contract::writeFileAtomically(queueFile(home), contract::jsonText(json, 1) + "\n");
    } catch (const std::system_error& error) {
        throw std::runtime_error(contract::cannotBe("written", queueFile(home), error.code().value()));
    }
}

QueueEntry& entryOf(Queue& queue, const std::string& run)
{
    const auto entry = findRun(queue.waiting, run);
    if (entry == queue.waiting.end())
        throw std::runtime_error("run " + run + " does not wait in the queue; `atelier queue list` shows those that do");
    return *entry;
}

QueueEntry& waitingEntry(const DataHome& home, Queue& queue, const std::string& run)
{
    QueueEntry& entry = entryOf(queue, run);
    const contract::RunFolder folder(home.runs() / run);
    if (contract::isBeingStarted(folder) || contract::isLocked(folder))
        throw std::runtime_error("run " + run + " is being started; `atelier stop " + run + "` stops it");
    return entry;
}

void setGpus(QueueEntry& entry, int gpus)
{
    if (!entry.chosen.empty())
        throw std::runtime_error("run " + entry.run + " waits for the GPUs that its experiment names (launch.gpus)");
    entry.gpus = gpus;
}

void moveEntry(Queue& queue, const std::string& run, std::size_t place)
{
    const auto from = std::distance(queue.waiting.data(), &entryOf(queue, run));
    const auto to = static_cast<std::ptrdiff_t>(std::min(place, queue.waiting.size()));
    const auto begin = queue.waiting.begin();
    if (to > from)
        std::rotate(begin + from, begin + from + 1, begin + to);
    else
        std::rotate(begin + to, begin + from, begin + from + 1);
}

void moveEntries(Queue& queue, const std::vector<std::string>& runs, std::size_t place)
{
    std::vector<QueueEntry> moved;
    for (const std::string& run : runs) {
        moved.push_back(entryOf(queue, run));
        std::erase(queue.waiting, moved.back());
    }
    const auto to = static_cast<std::ptrdiff_t>(std::min(place, queue.waiting.size()));
    queue.waiting.insert(queue.waiting.begin() + to, moved.begin(), moved.end());
}

QueueEntry entryFor(const contract::RunFolder& folder, int attempt, const contract::Experiment& experiment)
{
    const bool isForSlurm = contract::isForSlurm(experiment);  // it waits there, not here
    const std::vector<std::string> host = hostGpus();
    const bool isForGpus = !isForSlurm && experiment.text("run.device") != "cpu" && !visibleGpus(host, std::getenv("CUDA_VISIBLE_DEVICES")).empty();
    return {.run = folder.id(),
        .attempt = attempt,
        .gpus = isForGpus ? static_cast<int>(experiment.integer("launch.ranks")) : 0,
        .isHeld = false,
        .isUrgent = isForSlurm,
        .problem = {},
        .chosen = chosenGpus(experiment, host)};
}

bool hasWork(const Queue& queue)
{
    return !queue.started.empty() || std::ranges::any_of(queue.waiting, [](const QueueEntry& entry) { return !entry.isHeld; });
}

void addAlert(Queue& queue, QueueAlert alert)
{
    constexpr std::size_t kMost = 100;
    queue.alerts.push_back(std::move(alert));
    if (queue.alerts.size() > kMost)
        queue.alerts.erase(queue.alerts.begin());
}

std::string_view alertWord(QueueAlert::Kind kind) { return kind == QueueAlert::Kind::Held ? "held" : "not started"; }

std::optional<QueueAlert::Kind> alertKind(std::string_view word)
{
    using enum QueueAlert::Kind;
    return word == alertWord(NotStarted) ? std::optional(NotStarted) : word == alertWord(Held) ? std::optional(Held) : std::nullopt;
}

std::string waitsFor(const DataHome& home, const Queue& queue, std::size_t place)
{
    const QueueEntry& entry = queue.waiting[place];
    if (!entry.problem.empty())
        return "you: it could not be started: " + entry.problem;
    if (entry.isHeld)
        return "you: it is held";
    if (!isSchedulerAlive(home))
        return "the scheduler, which does not run; `atelier queue start` starts it";
    if (entry.isUrgent)
        return "its start";
    const auto before = std::count_if(queue.waiting.begin(), queue.waiting.begin() + static_cast<std::ptrdiff_t>(place),
        [](const QueueEntry& other) { return !other.isHeld; });
    if (before > 0)
        return before == 1 ? "the run before it to start" : "the " + std::to_string(before) + " runs before it to start";
    if (!entry.chosen.empty())
        return entry.chosen.size() == 1 ? "its GPU to be free" : "its " + std::to_string(entry.chosen.size()) + " GPUs to be free";
    if (entry.gpus > 0)
        return std::to_string(entry.gpus) + (entry.gpus == 1 ? " free GPU" : " free GPUs");
    return queue.atOnce == 1 ? "the active run to end" : "one of " + std::to_string(queue.atOnce) + " active runs to end";
}

std::optional<std::string> queueReason(const contract::RunFolder& folder, int attempt)
{
    try {
        const DataHome home = DataHome::locate();
        const Queue queue = storedQueue(home);
        const auto entry = std::ranges::find(queue.waiting, folder.id(), &QueueEntry::run);
        std::error_code error;
        if (entry == queue.waiting.end() || entry->attempt != attempt
            || !std::filesystem::equivalent(home.runs() / folder.id(), folder.root(), error))
            return std::nullopt;
        return waitsFor(home, queue, static_cast<std::size_t>(entry - queue.waiting.begin()));
    } catch (const std::exception&) {
        return std::nullopt;
    }
}

}  // namespace launcher
