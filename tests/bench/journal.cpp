// What it costs a rank to journal one step: all 20 fields that rank 0 of a GPU run in float16 writes, by the engine's own
// RunJournal, to a file on the disk of temporary files.
#include "engine/worker/run_journal.h"
#include "tests/bench/figures.h"

#include <stdlib.h>

#include <chrono>
#include <cmath>
#include <filesystem>
#include <iostream>
#include <random>

namespace fs = std::filesystem;

namespace {

struct Step {
    engine::StepReport report;
    engine::MemoryReading memory;
    engine::Throughput throughput;
};

/// Numbers with as many digits as real ones have.
std::vector<Step> makeSteps(std::size_t count)
{
    std::mt19937_64 random(1);
    std::normal_distribution<double> normal;
    const auto measured = [&] { return std::abs(static_cast<double>(static_cast<float>(normal(random)))); };
    const auto bytes = [&] { return static_cast<std::int64_t>(1e9 + 1e8 * normal(random)); };
    std::vector<Step> steps(count);
    for (auto& [report, memory, throughput] : steps) {
        report.loss = measured();
        report.rankLoss = measured();
        report.gradNorm = measured();
        report.lr = 1e-3 * measured();
        report.lossScale = 65536;
        report.samples = 128;
        report.times = {measured(), measured(), measured(), measured(), measured(), measured()};
        memory = {bytes(), bytes(), bytes(), bytes(), bytes()};
        throughput = {measured(), measured()};
    }
    return steps;
}

/// Nanoseconds of a step, once for each of some runs.
std::vector<double> measure(const contract::RunFolder& folder)
{
    constexpr int kRepeats = 5;
    constexpr std::int64_t kSteps = 50'000;
    const std::vector<Step> steps = makeSteps(1000);
    fs::create_directories(folder.journals());
    engine::RunJournal journal(folder, 1, 0);
    journal.setHasGpu(true);
    std::vector<double> nanoseconds;
    for (int i = 0; i < kRepeats; ++i) {
        const auto start = std::chrono::steady_clock::now();
        for (std::int64_t step = 1; step <= kSteps; ++step) {
            const Step& each = steps[static_cast<std::size_t>(step) % steps.size()];
            journal.setStep(i * kSteps + step);
            journal.step(each.report, step, each.memory, each.throughput);
        }
        const std::chrono::duration<double, std::nano> time = std::chrono::steady_clock::now() - start;
        nanoseconds.push_back(time.count() / static_cast<double>(kSteps));
    }
    return nanoseconds;
}

}  // namespace

int main()
{
    constexpr double kStepNanoseconds = 20e6;
    std::string place = (fs::temp_directory_path() / "atelier-bench-XXXXXX").string();
    if (!::mkdtemp(place.data())) {
        std::cerr << "error: " << place << " cannot be made\n";
        return 1;
    }
    const std::vector<double> times = measure(contract::RunFolder(fs::path(place) / "run"));
    fs::remove_all(place);
    std::vector<double> percents;
    for (const double time : times)
        percents.push_back(100 * time / kStepNanoseconds);
    const nlohmann::json rows {
        bench::row("workbench", "journal-step", "time", "ns", times, bench::Better::Lower, {}),
        bench::row("workbench", "journal-step", "of 20 ms", "%", percents, bench::Better::Lower, {1, "limit"})};
    std::cout << nlohmann::json {{"rows", rows}}.dump() << '\n';
}
