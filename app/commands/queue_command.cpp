// atelier queue [list|add|move|edit|hold|release|remove|start|set]
#include "app/cli/catalogue.h"
#include "app/cli/cli11.h"
#include "app/cli/command.h"
#include "app/cli/experiment_options.h"
#include "app/cli/find_run.h"
#include "app/cli/format.h"
#include "app/cli/output.h"
#include "app/cli/queue_runs.h"
#include "app/commands/queue_plan_text.h"
#include "engine/contract/attempt/attempt.h"
#include "engine/contract/run/supervisor_lock.h"
#include "launcher/home/presets.h"
#include "launcher/home/ready_experiments.h"
#include "launcher/queue/queue.h"
#include "launcher/queue/scheduler_lock.h"
#include "launcher/runs/launch.h"
#include "launcher/scheduler/dequeue.h"
#include "launcher/scheduler/edit_queued.h"
#include "launcher/scheduler/start_scheduler.h"
#include "launcher/state/run_state.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <memory>

namespace app {
namespace {

namespace fs = std::filesystem;

struct QueueRequest {
    std::vector<std::string> names;  ///< runs or, for add, also files
    std::string run;   ///< of edit
    std::string file;  ///< of edit: the experiment that replaces the run's; empty: only the changes
    ExperimentChanges changes;
    std::optional<int> gpus;
    std::optional<std::size_t> place;  ///< from 1
    std::optional<int> atOnce;
    std::optional<std::string> onError;
    bool isPlan = false;
    bool isJson = false;
};

Json entryJson(const launcher::QueueEntry& entry, const std::string& state, const std::string& waitsFor)
{
    return {{"run", entry.run}, {"attempt", entry.attempt}, {"state", state}, {"waits_for", waitsFor}, {"gpus", entry.gpus},
        {"held", entry.isHeld}, {"problem", entry.problem}, {"given_gpus", entry.given}};
}

ExitCode list(const QueueRequest& request)
{
    const launcher::DataHome home = existingHome();
    const launcher::Queue queue = launcher::readQueue(home);
    Table table({{"PLACE", Table::Align::Right}, {"RUN"}, {"STATE"}, {"WAITS FOR"}});
    Json waiting = Json::array(), started = Json::array();
    for (const launcher::QueueEntry& entry : queue.started) {
        const std::string state(stateName(launcher::inspectRun(contract::RunFolder(home.runs() / entry.run)).state));
        table.addRow({"", entry.run, state, ""});
        started.push_back(entryJson(entry, state, ""));
    }
    for (std::size_t i = 0; i < queue.waiting.size(); ++i) {
        const launcher::QueueEntry& entry = queue.waiting[i];
        const std::string reason = launcher::waitsFor(home, queue, i);
        table.addRow({std::to_string(i + 1), entry.run, entry.isHeld ? "held" : "queued", printable(reason)});
        waiting.push_back(entryJson(entry, entry.isHeld ? "held" : "queued", reason));
    }
    Json alerts = Json::array();
    for (const launcher::QueueAlert& alert : queue.alerts)
        alerts.push_back({{"alert", launcher::alertWord(alert.kind)}, {"run", alert.run}, {"attempt", alert.attempt}, {"unix_ms", alert.unixMs},
            {"details", alert.message}});
    if (request.isJson)
        printJson({{"at_once", queue.atOnce}, {"on_error", queue.stopsOnError ? "hold" : "continue"},
            {"scheduler_process", launcher::schedulerProcess(home)}, {"started", started}, {"waiting", waiting},
            {"alerts", alerts}});
    else
        printText(table.isEmpty() ? "The queue is empty: `atelier queue add FILE` or `atelier run --queue FILE` adds to it.\n"
                                  : table.text());
    return kSuccess;
}

bool isExperiment(const std::string& name)
{
    std::error_code error;
    const auto ready = launcher::readyExperiments();
    return name == kStandardInput || name.ends_with(".toml") || (fs::exists(name, error) && !fs::is_directory(name, error))
        || std::ranges::find(ready, name, &launcher::ReadyExperiment::name) != ready.end()
        || launcher::isPreset(launcher::DataHome::locate(), name);
}

/// A prepared attempt of a run: the one that has not been started, else one that resumes it.
launcher::PreparedRun prepareAgain(const launcher::DataHome& home, const contract::RunFolder& folder, const ExperimentChanges& changes)
{
    const auto experiment = lastExperiment(folder, changes);
    checkPreflight(home, experiment);
    launcher::PreparedRun run = launcher::prepareForQueue(home, folder, {}, experiment);
    if (!run.notice.empty())
        printWarning(run.notice);
    return run;
}

ExitCode add(const QueueRequest& request)
{
    const launcher::DataHome home = launcher::DataHome::locate();
    home.create();
    const launcher::Queue queue = launcher::readQueue(home);
    // All are read before the first is prepared, so that a mistake in one prepares none.
    std::vector<PlannedRun> planned;
    std::vector<contract::RunFolder> resumed;
    for (const std::string& name : request.names) {
        if (isExperiment(name)) {
            auto sweep = planRuns(home, experimentFile(name), request.changes);
            requireReady(sweep);
            std::ranges::move(sweep, std::back_inserter(planned));
            continue;
        }
        const contract::RunFolder folder = findNewestRun(home, name);
        if (std::ranges::count(queue.waiting, folder.id(), &launcher::QueueEntry::run) > 0)
            throw Failure("run " + folder.id() + " waits in the queue already; `atelier queue move` changes its place");
        if (std::ranges::count(resumed, folder.id(), &contract::RunFolder::id) == 0)
            resumed.push_back(folder);
    }
    std::vector<launcher::PreparedRun> runs = createRuns(home, planned);
    for (const contract::RunFolder& folder : resumed)
        runs.push_back(prepareAgain(home, folder, request.changes));
    return queueRuns(home, std::move(runs), request.gpus, request.isJson);
}

/// The id of the run that @p name means: the only one in the queue whose id begins so, else that of any run. @throws Failure
std::string idOf(const launcher::DataHome& home, const launcher::Queue& queue, const std::string& name)
{
    std::vector<std::string> matches;
    for (const launcher::QueueEntry& entry : queue.waiting) {
        if (entry.run.starts_with(name))
            matches.push_back(entry.run);
    }
    return matches.size() == 1 ? matches.front() : findRun(home, name).id();
}

/// The ids of the entries that the command line names, each once. @throws Failure when one is not in the queue.
std::vector<std::string> entriesNamed(const launcher::DataHome& home, const QueueRequest& request)
{
    launcher::Queue queue = launcher::readQueue(home);
    std::vector<std::string> ids;
    for (const std::string& name : request.names) {
        const std::string id = idOf(home, queue, name);
        launcher::entryOf(queue, id);
        if (std::ranges::count(ids, id) == 0)
            ids.push_back(id);
    }
    return ids;
}

using QueueChange = std::function<void(launcher::Queue& queue, const std::vector<std::string>& ids)>;

/// @param what what has become of a run, to follow its id
ExitCode editAll(const QueueRequest& request, const QueueChange& change, const std::function<std::string(launcher::Queue&, const std::string& id)>& what)
{
    const launcher::DataHome home = existingHome();
    const std::vector<std::string> ids = entriesNamed(home, request);
    std::string text;
    launcher::editQueue(home, [&](launcher::Queue& queue) {
        for (const std::string& id : ids)
            launcher::waitingEntry(home, queue, id);
        change(queue, ids);
        for (const std::string& id : ids)
            text += "Run " + id + " " + what(queue, id) + ".\n";
    });
    launcher::ensureScheduler(home);
    if (request.isJson)
        return list(request);
    printText(text);
    return kSuccess;
}

ExitCode edit(const QueueRequest& request, const std::function<void(launcher::QueueEntry&)>& change, const std::string& what)
{
    return editAll(request,
        [&](launcher::Queue& queue, const std::vector<std::string>& ids) {
            for (const std::string& id : ids)
                change(launcher::entryOf(queue, id));
        },
        [&](launcher::Queue&, const std::string&) { return what; });
}

ExitCode remove(const QueueRequest& request)
{
    const launcher::DataHome home = existingHome();
    for (const std::string& id : entriesNamed(home, request)) {
        launcher::dequeue(home, id);
        const bool isPrepared = launcher::inspectRun(contract::RunFolder(home.runs() / id)).state == launcher::RunState::Prepared;
        if (!request.isJson)
            printText("Run " + id + " was taken out of the queue"
                + (isPrepared ? "; it stays prepared, and `atelier rm " + id + "` removes it.\n" : ".\n"));
    }
    return request.isJson ? list(request) : kSuccess;
}

ExitCode start(const QueueRequest& request)
{
    if (!request.names.empty()) {
        return edit(request,
            [](launcher::QueueEntry& entry) {
                entry.isUrgent = true;
                entry.isHeld = false;
                entry.problem.clear();
            },
            "is started now, whatever is free");
    }
    const launcher::DataHome home = existingHome();
    launcher::editQueue(home, [&](launcher::Queue& queue) {
        queue.atOnce = request.atOnce.value_or(queue.atOnce);
        if (request.onError)
            queue.stopsOnError = *request.onError == "hold";
    });
    launcher::ensureScheduler(home);
    return list(request);
}

ExitCode set(const QueueRequest& request)
{
    const int gpus = request.gpus.value_or(0);
    return edit(request, [gpus](launcher::QueueEntry& entry) { launcher::setGpus(entry, gpus); },
        gpus == 0 ? "waits for no GPU" : gpus == 1 ? "waits for 1 free GPU" : "waits for " + std::to_string(gpus) + " free GPUs");
}

/// Changes the experiment of a run that waits.
ExitCode editExperiment(const QueueRequest& request)
{
    if (request.file.empty() && request.changes.settings.empty() && request.changes.name.empty())
        throw Failure("nothing to change: give --set KEY=VALUE, --name NAME, or the FILE of another experiment");
    const launcher::DataHome home = existingHome();
    const std::string id = idOf(home, launcher::readQueue(home), request.run);
    const contract::RunFolder folder(home.runs() / id);
    const contract::Experiment before = lastExperiment(folder, {});
    const contract::Experiment after
        = request.file.empty() ? lastExperiment(folder, request.changes) : readExperiment(experimentFile(request.file), request.changes);
    checkPreflight(home, after);
    launcher::editQueued(home, id, before, after);
    showInDatabase(home, {folder});
    launcher::ensureScheduler(home);
    if (request.isJson)
        return list(request);
    std::string changes;
    for (const contract::Option* option : contract::differingOptions(before, after))
        changes += "  " + std::string(option->key) + ": " + printable(contract::toText(before.value(option->key))) + " → "
            + printable(contract::toText(after.value(option->key))) + "\n";
    printText(changes.empty() ? "Run " + id + " has this experiment already.\n" : "Run " + id + " was changed in the queue:\n" + changes);
    return kSuccess;
}

CLI::App* addPart(CLI::App& queue, const std::shared_ptr<QueueRequest>& request, Action& action, const char* name, const char* help,
    ExitCode (*execute)(const QueueRequest&))
{
    CLI::App* command = queue.add_subcommand(name, help);
    command->add_flag("--json", request->isJson, "Print one JSON document");
    command->callback([request, execute, &action] { action = [request, execute] { return execute(*request); }; });
    return command;
}

CLI::Option* addRuns(CLI::App* command, const std::shared_ptr<QueueRequest>& request)
{
    return command->add_option("RUN", request->names, "Run in the queue: its id, the start of its id, or its name");
}

ExitCode hold(const QueueRequest& request)
{
    return edit(request, [](launcher::QueueEntry& entry) { entry.isHeld = true; }, "is held");
}

ExitCode release(const QueueRequest& request)
{
    return edit(request,
        [](launcher::QueueEntry& entry) {
            entry.isHeld = false;
            entry.problem.clear();
        },
        "waits for its turn");
}

ExitCode move(const QueueRequest& request)
{
    return editAll(request,
        [&](launcher::Queue& queue, const std::vector<std::string>& ids) { launcher::moveEntries(queue, ids, request.place.value_or(1) - 1); },
        [](launcher::Queue& queue, const std::string& id) {
            return "is at place " + std::to_string(&launcher::entryOf(queue, id) - queue.waiting.data() + 1);
        });
}

}  // namespace

void addQueueCommand(CLI::App& app, Action& action)
{
    const auto request = std::make_shared<QueueRequest>();
    CLI::App* queue = app.add_subcommand("queue", "Runs that start one after the other; without a command, lists them");
    queue->add_flag("--json", request->isJson, "Print one JSON document");
    queue->add_flag("--plan", request->isPlan, "Show when the runs will start and end, as far as that is known");
    queue->callback([queue, request, &action] {
        if (queue->get_subcommands().empty())
            action = [request] { return request->isPlan ? showQueuePlan(existingHome(), request->isJson) : list(*request); };
    });
    addPart(*queue, request, action, "list", "List the queue", list);

    CLI::App* adding = addPart(*queue, request, action, "add", "Add experiments or runs at the end; an experiment is fixed as it is now", add);
    adding->add_option("WHAT", request->names,
              "Experiment files, ready experiments, prepared runs, or runs to be resumed; runs come last")
        ->required();
    adding->add_option("--name", request->changes.name, "Name of the runs; the same as --set run.name=");
    adding->add_option("--gpus", request->gpus, "Wait for so many free GPUs; default: one for each rank, where there are GPUs")
        ->check(CLI::Range(0, 1024));
    addExperimentOptions(*adding, request->changes, SetValues::Listed);

    CLI::App* moving = addPart(*queue, request, action, "move", "Change the order", move);
    addRuns(moving, request)->required();
    moving->add_option("--to", request->place, "New place; default 1, the first")->type_name("PLACE")->check(CLI::Range(1, 1'000'000));
    CLI::App* editing = addPart(*queue, request, action, "edit", "Change the experiment of a run that waits; it keeps its place", editExperiment);
    editing->add_option("RUN", request->run, "Run in the queue: its id, the start of its id, or its name")->required();
    editing->add_option("FILE", request->file, "Experiment that replaces the run's: a file (TOML), a ready experiment or a preset; without it, only what is set changes");
    editing->add_option("--name", request->changes.name, "Name of the run; the same as --set run.name=");
    addExperimentOptions(*editing, request->changes);

    CLI::App* setting = addPart(*queue, request, action, "set", "Change what runs in the queue wait for", set);
    addRuns(setting, request)->required();
    setting->add_option("--gpus", request->gpus, "Wait for so many free GPUs; 0: as a run without GPUs")->check(CLI::Range(0, 1024))->required();
    addRuns(addPart(*queue, request, action, "hold", "Keep runs in the queue from starting", hold), request)->required();
    addRuns(addPart(*queue, request, action, "release", "Let held runs start when their turn has come", release), request)->required();
    addRuns(addPart(*queue, request, action, "remove", "Take runs out of the queue", remove), request)->required();

    CLI::App* starting
        = addPart(*queue, request, action, "start", "Start runs now, whatever is free; without RUN, let the queue go on", start);
    CLI::Option* runs = addRuns(starting, request);
    starting->add_option("--at-once", request->atOnce, "How many runs without GPUs may be active at a time")
        ->check(CLI::Range(1, 1024))
        ->excludes(runs);
    starting->add_option("--on-error", request->onError, "When a run fails: continue with the next, or hold all")
        ->check(CLI::IsMember({"continue", "hold"}))
        ->excludes(runs);
    queue->footer("A scheduler beside the supervisors starts the runs; it outlives the window and a login. On machines without GPUs\n"
                  "one run is active at a time (`atelier queue start --at-once N`).");
}

}  // namespace app
