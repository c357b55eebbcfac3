// A worker without an engine: behaves like atelier-worker in environment, signals, files and exit codes.
//
// Misbehaves on request: FAKE_DO = exit, crash, hang, deaf, flood, silent, torn or diverge, in rank FAKE_RANK after
// step FAKE_STEP, and not before the file FAKE_AWAITS exists. FAKE_CODE is the exit code or signal, FAKE_STEP_MS the duration of a step.
// FAKE_ACTIVITY is journalled before each step. With FAKE_METRICS steps have as many values as those of an engine on the CPU.
#include "engine/contract/checkpoint/checkpoint_manifest.h"
#include "engine/contract/experiment/experiment.h"
#include "engine/contract/run/control.h"
#include "engine/contract/run/journal_writer.h"
#include "engine/contract/run/run_folder.h"
#include "tests/launcher/fakes/fake_peers.h"

#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <unistd.h>

namespace {

constexpr char kGo = 0, kCheckpoint = 1, kStop = 2, kLeave = 3;  // the largest of all ranks' requests wins
constexpr int kLostPeer = 3;

volatile std::sig_atomic_t g_wish = kGo;

void onSignal(int number)
{
    const int wish = number == SIGTERM ? kStop : number == SIGINT ? kLeave : kCheckpoint;
    if (wish > g_wish)
        g_wish = wish;
}

std::string setting(const char* name, const char* otherwise)
{
    const char* value = std::getenv(name);
    return value ? value : otherwise;
}

int fail(int rank, int code, const std::string& sentence)
{
    std::fprintf(stderr, "error: rank %d: %s\n", rank, sentence.c_str());
    return code;
}

class FakeWorker {
public:
    FakeWorker(const contract::RunFolder& folder, int attempt)
        : m_folder(folder)
        , m_attempt(attempt)
        , m_start(folder.readStart(attempt))
        , m_control(folder.control(), m_start.controlOffset)
    {
    }

    int run()
    {
        if (!m_peers.join())
            return fail(m_peers.rank(), kLostPeer, "the peers did not come");
        contract::JournalWriter journal(m_folder.journal(m_peers.rank()), header());
        phase(journal, "loads data");
        const auto experiment = contract::loadExperiment(m_folder.config(m_attempt)).experiment;
        const std::int64_t total = experiment.integer("run.total_steps");
        for (std::int64_t step = m_start.parentStep + 1; step <= total; ++step) {
            const auto agreed = m_peers.agree(wish());
            if (!agreed)
                return fail(m_peers.rank(), kLostPeer, "a peer closed its connection");
            if (*agreed == kLeave)
                return end(journal, "stopped", step);
            if (const std::string activity = setting("FAKE_ACTIVITY", ""); !activity.empty())
                journal.begin(contract::record::kActivity, step - 1).add("message", activity).commit();
            ::usleep(static_cast<useconds_t>(std::stoi(setting("FAKE_STEP_MS", "20")) * 1000));
            const bool isDiverged = setting("FAKE_DO", "") == "diverge" && step >= std::stoll(setting("FAKE_STEP", "3"));
            journal.begin(contract::record::kStep, step).add("loss", isDiverged ? std::nan("") : 1.0 / static_cast<double>(step));
            if (!setting("FAKE_METRICS", "").empty())
                addMetrics(journal, step);
            journal.commit();
            if (*agreed >= kCheckpoint)
                checkpoint(journal, step);
            if (*agreed == kStop)
                return end(journal, "stopped", step);
            misbehave(step);
        }
        checkpoint(journal, total);
        return end(journal, "finished", total);
    }

private:
    contract::JournalHeader header() const
    {
        return {.version = contract::kJournalVersion, .run = m_folder.id(), .attempt = m_attempt,
            .rank = m_peers.rank(), .host = {}, .startUnixMs = 0};
    }

    static void phase(contract::JournalWriter& journal, std::string_view what)
    {
        journal.begin(contract::record::kEvent, 0)
            .add("level", std::string_view("info"))
            .add("kind", std::string_view(contract::event::kPhase))
            .add("message", what);
        journal.commit();
    }

    void addMetrics(contract::JournalWriter& journal, std::int64_t step) const
    {
        namespace metric = contract::metric;
        const double some = static_cast<double>(step * 7919 % 1000) / 1000;
        if (m_peers.rank() == 0) {
            for (const char* const name : {metric::kGradNorm, metric::kLr, metric::kImagesPerSecond, metric::kTeraflops})
                journal.add(name, some);
            journal.add(metric::kSkippedSteps, std::int64_t {0});
        }
        for (const char* const name : {metric::kRankLoss, metric::kStepTime, metric::kDataTime, metric::kForwardTime, metric::kBackwardTime,
                 metric::kCommunicationTime, metric::kOptimizerTime})
            journal.add(name, 10 + some);
        for (const char* const name : {metric::kResident, metric::kMapped, metric::kAllocated, metric::kPeakAllocated})
            journal.add(name, static_cast<std::int64_t>(1e9 + 1e6 * some));
    }

    char wish()
    {
        char wish = static_cast<char>(g_wish);
        if (setting("FAKE_DO", "") == "deaf")
            wish = kGo;
        else if (m_peers.rank() == 0) {
            for (const contract::Command command : m_control.poll())
                wish = std::max(wish, command == contract::Command::Stop ? kStop : kCheckpoint);
        }
        g_wish = kGo;
        return wish;
    }

    void checkpoint(contract::JournalWriter& journal, std::int64_t step) const
    {
        if (m_peers.rank() != 0)
            return;
        const auto folder = m_folder.checkpoint(step);
        std::filesystem::create_directories(folder);
        std::ofstream(folder / "rank-0.safetensors") << "12345678";
        contract::CheckpointManifest manifest;
        manifest.run = m_folder.id();
        manifest.attempt = m_attempt;
        manifest.step = step;
        manifest.model = "dit";
        manifest.modelOptions = {{"model.width", "128"}};
        manifest.fileBytes = {{"rank-0.safetensors", 8}};
        manifest.tensors = {{"model/w", "F32", {2}, {{"rank-0.safetensors", 0, 0, 2}}}};
        contract::writeManifest(folder, manifest);
        journal.begin(contract::record::kCheckpoint, step)
            .add("path", "checkpoints/step-" + std::to_string(step))
            .add("bytes", std::int64_t {8});
        journal.commit();
    }

    int end(contract::JournalWriter& journal, std::string_view outcome, std::int64_t step) const
    {
        if (m_peers.rank() == 0 && setting("FAKE_DO", "") != "silent") {
            journal.begin(contract::record::kEnd, step).add("outcome", outcome);
            journal.commit();
        }
        return 0;
    }

    void misbehave(std::int64_t step) const
    {
        const std::string what = setting("FAKE_DO", "");
        if (what.empty() || m_peers.rank() != std::stoi(setting("FAKE_RANK", "0"))
            || step != std::stoll(setting("FAKE_STEP", "3")))
            return;
        const std::string awaited = setting("FAKE_AWAITS", "");
        while (!awaited.empty() && !std::filesystem::exists(awaited))
            ::usleep(1000);
        const int code = std::stoi(setting("FAKE_CODE", "1"));
        if (what == "exit")
            std::exit(fail(m_peers.rank(), code, "the fake was told to fail"));
        if (what == "crash") {
            std::signal(code, SIG_DFL);  // a sanitizer would turn it into an exit code
            std::raise(code);
        }
        if (what == "torn") {
            std::ofstream(m_folder.journal(m_peers.rank()), std::ios::app) << "{\"type\":\"step\",\"st";
            std::raise(SIGKILL);
        }
        if (what == "flood") {
            for (int i = 0; i < 200'000; ++i)
                std::fprintf(stderr, "2026-01-01 00:00:00.000 [info] [rank 0] [step 3] line %d\n", i);
        }
        if (what == "hang") {
            for (;;)
                ::pause();
        }
    }

    contract::RunFolder m_folder;
    int m_attempt;
    contract::AttemptStart m_start;
    contract::CommandReader m_control;
    fakes::FakePeers m_peers;
};

}  // namespace

int main(int argc, char** argv)
{
    if (argc < 5 || std::string_view(argv[1]) != "--run" || std::string_view(argv[3]) != "--attempt")
        return fail(0, 2, "usage: fake_worker --run FOLDER --attempt N");
    for (const int number : {SIGTERM, SIGINT, SIGUSR1})
        std::signal(number, onSignal);
    try {
        return FakeWorker(contract::RunFolder(argv[2]), std::atoi(argv[4])).run();
    } catch (const std::exception& error) {
        return fail(std::stoi(setting("RANK", "0")), 1, error.what());
    }
}
