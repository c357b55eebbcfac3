// How long a run stands still when a rank is killed: from kill -9 of one of two ranks to the first step of the restarted run, beside
// the start of the same run, from the start of its supervisor to its first step.
#include "engine/contract/formats/text.h"
#include "engine/contract/run/journal_parser.h"
#include "engine/contract/run/supervisor_lock.h"
#include "launcher/base/file_end.h"
#include "launcher/runs/launch.h"
#include "launcher/state/run_state.h"
#include "launcher/supervisor/control_client.h"
#include "tests/bench/figures.h"
#include "tests/paths.h"

#include <QCoreApplication>
#include <QTemporaryDir>

#include <csignal>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <map>
#include <stdexcept>
#include <thread>

namespace {

using Json = nlohmann::json;

constexpr int kRounds = 5;

/// A DiT on the handwritten digits, 8 × 8 pixels.
struct Case {
    const char* name;
    int patch, width, depth, heads, batch;
};
constexpr Case kCases[] = {{"restart-tiny-bf16", 2, 128, 6, 4, 32}, {"restart-small-bf16", 1, 384, 12, 6, 8}};

contract::Experiment experimentOf(const Case& what)
{
    contract::Experiment experiment;
    for (const auto& [key, value] : std::map<const char*, std::string> {{"run.name", "bench"}, {"run.total_steps", "1000000"}, {"run.threads", "1"},
             {"launch.ranks", "2"}, {"launch.restarts", "3"}, {"data.path", ATELIER_SOURCE_DIR "/resources/digits.csv.gz"},
             {"model.patch", std::to_string(what.patch)}, {"model.width", std::to_string(what.width)},
             {"model.depth", std::to_string(what.depth)}, {"model.heads", std::to_string(what.heads)},
             {"batch.micro", std::to_string(what.batch)}, {"engine.compute_dtype", "bf16"}, {"ema.decay", "0"}, {"sample.every", "0"},
             {"validation.every", "0"}, {"checkpoint.every", "0"}}) {
        if (const auto problem = experiment.setText(key, value))
            throw std::runtime_error(problem->message);
    }
    return experiment;
}

/// When the first step of @p attempt was over on rank 0; 0: not yet.
double firstStepUnixMs(const contract::RunFolder& folder, int attempt)
{
    contract::JournalParser parser;
    double startUnixMs = 0;
    bool isIn = false;
    std::ifstream file(folder.journal(0));
    for (std::string line; std::getline(file, line);) {
        const contract::JournalLine& record = parser.parse(line);
        if (record.kind == contract::JournalLine::Kind::Header) {
            startUnixMs = static_cast<double>(record.header.startUnixMs);
            isIn = record.header.attempt == attempt;
        } else if (isIn && record.type == contract::record::kStep) {
            return startUnixMs + record.tMs;
        }
    }
    return 0;
}

double awaitFirstStep(const contract::RunFolder& folder, int attempt)
{
    const double began = static_cast<double>(launcher::nowUnixMs());
    for (;;) {
        if (const double ms = firstStepUnixMs(folder, attempt); ms > 0)
            return ms;
        if (static_cast<double>(launcher::nowUnixMs()) - began > 120e3)
            throw std::runtime_error("attempt " + std::to_string(attempt) + " of " + folder.root().string() + " does not train");
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
}

/// The child of the run's supervisor that is @p rank.
pid_t rankOf(const contract::RunFolder& folder, int rank)
{
    const std::string supervisor = std::to_string(contract::lockOwner(folder)->processId);
    std::ifstream children("/proc/" + supervisor + "/task/" + supervisor + "/children");
    for (std::string child; children >> child;) {
        std::ifstream environment("/proc/" + child + "/environ", std::ios::binary);
        for (std::string entry; std::getline(environment, entry, '\0');) {
            if (entry == "RANK=" + std::to_string(rank))
                return static_cast<pid_t>(std::stol(child));
        }
    }
    throw std::runtime_error("rank " + std::to_string(rank) + " of " + folder.root().string() + " does not run");
}

struct Times {
    double start = 0, restart = 0;  ///< seconds
};

Times measureOnce(const launcher::DataHome& home, const Case& what)
{
    const contract::RunFolder folder = launcher::createRun(home, experimentOf(what)).folder;
    const double begun = static_cast<double>(launcher::nowUnixMs());
    launcher::startSupervisor(folder);
    Times times;
    times.start = (awaitFirstStep(folder, 1) - begun) / 1e3;
    launcher::sendCommand(home, folder, launcher::ControlCommand::Checkpoint);
    while (folder.checkpointSteps().empty())
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    const double killed = static_cast<double>(launcher::nowUnixMs());
    ::kill(rankOf(folder, 1), SIGKILL);
    times.restart = (awaitFirstStep(folder, 2) - killed) / 1e3;
    launcher::sendCommand(home, folder, launcher::ControlCommand::Kill);
    contract::waitForSupervisor(folder);
    return times;
}

void measure(const launcher::DataHome& home, const Case& what, Json& rows)
{
    std::vector<double> starts, restarts;
    for (int round = 0; round < kRounds; ++round) {
        const Times times = measureOnce(home, what);
        starts.push_back(times.start);
        restarts.push_back(times.restart);
        std::fprintf(stderr, "  %s: start %.2f s, killed to training %.2f s\n", what.name, times.start, times.restart);
    }
    rows.push_back(bench::row("launch", what.name, "kill-to-step", "s", restarts, bench::Better::Lower, {bench::quantile(starts, 0.5), "start"}));
}

}  // namespace

int main(int argc, char** argv)
{
    QCoreApplication application(argc, argv);
    const QTemporaryDir folder;
    qputenv("ATELIER_HOME", folder.path().toLocal8Bit());
    const std::string programs = (QCoreApplication::applicationDirPath() + "/../bin/").toStdString();
    qputenv("ATELIER_PROGRAM", (programs + "atelier").c_str());
    qputenv("ATELIER_WORKER", (programs + "atelier-worker").c_str());
    try {
        const launcher::DataHome home = launcher::DataHome::locate();
        home.create();
        Json rows = Json::array();
        for (const Case& each : kCases)
            measure(home, each, rows);
        std::cout << Json({{"rows", rows}}).dump(1) << '\n';
        return 0;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "bench_launch_restart: %s\n", error.what());
        return 1;
    }
}
