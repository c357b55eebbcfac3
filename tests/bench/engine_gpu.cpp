// Our engine beside PyTorch's FSDP2 on one GPU: the same model, weights, data and noise, run alternately in bfloat16. Losses and gradient norms of a
// few steps in float32 must agree, or nothing is reported. Without a GPU there are no rows.
#include "tests/bench/engine_gate.h"
#include "tests/bench/figures.h"
#include "tests/bench/gpu_cases.h"
#include "tests/bench/ranks.h"
#include "tests/paths.h"

#include <QCoreApplication>

#include <cstdio>
#include <iostream>
#include <map>

namespace {

using Json = nlohmann::json;

constexpr int kRounds = 3, kSteps = 30, kCompared = 10, kWarmup = 8;

struct Variant {
    std::string name;
    QStringList options;
};

const std::vector<Variant> kVariants = {{"FSDP2", {}}, {"FSDP2, compile", {"--compile"}}, {"FSDP2, CUDA graphs", {"--compile", "--graphs"}}};

QStringList arguments(const QString& size, const QString& dtype, int steps)
{
    return {"--size", size, "--dtype", dtype, "--device", "cuda", "--steps", QString::number(steps), "--warmup", QString::number(kWarmup), "--lr", "1e-5"};
}

Json ours(const QString& size, const QString& dtype = "bf16", int steps = kSteps)
{
    return bench::runRanks(
        QCoreApplication::applicationDirPath() + "/engine_bench_rank", arguments(size, dtype, steps) + QStringList {"--reshard", "false"}, false, 1);
}

Json theirs(const QString& size, const Variant& variant, const QString& dtype = "bf16", int steps = kSteps)
{
    return bench::runRanks(bench::peerPython(),
        QStringList {ATELIER_SOURCE_DIR "/tests/peers/fsdp2_dit.py"} + arguments(size, dtype, steps) + QStringList {"--no-reshard"} + variant.options, false,
        1);
}

void measure(const QString& size, Json& rows)
{
    bench::requireEqualTraining(ours(size, "fp32", kCompared), theirs(size, kVariants.front(), "fp32", kCompared), size.toStdString(), false);
    // Each figure against the variant that was best at it.
    std::vector<Json> searched;
    for (const Variant& variant : kVariants)
        searched.push_back(theirs(size, variant));
    const std::pair<const char*, std::pair<const char*, const char*>> figures[]
        = {{"step", {"ms", "median_ms"}}, {"start", {"s", "first_step_s"}}, {"memory", {"MiB", "gpu_peak_mib"}}};
    std::map<std::size_t, std::vector<std::size_t>> contests;
    for (std::size_t figure = 0; figure < std::size(figures); ++figure) {
        std::size_t best = 0;
        for (std::size_t i = 1; i < searched.size(); ++i) {
            const char* const key = figures[figure].second.second;
            if (searched[i].at(key).get<double>() < searched[best].at(key).get<double>())
                best = i;
        }
        contests[best].push_back(figure);
    }
    for (const auto& [variant, wanted] : contests) {
        std::vector<Json> mine, peer;
        for (int round = 0; round < kRounds; ++round) {
            mine.push_back(ours(size));
            peer.push_back(theirs(size, kVariants[variant]));
        }
        for (const std::size_t figure : wanted) {
            const auto& [name, facts] = figures[figure];
            std::vector<double> our, their;
            for (int round = 0; round < kRounds; ++round) {
                our.push_back(mine[static_cast<std::size_t>(round)].at(facts.second));
                their.push_back(peer[static_cast<std::size_t>(round)].at(facts.second));
            }
            rows.push_back(bench::row("engine", "gpu-" + size.toStdString() + "-bf16", name, facts.first, our, bench::Better::Lower,
                {bench::quantile(their, 0.5), kVariants[variant].name}));
            std::fprintf(stderr, "  %s\n", rows.back().dump().c_str());
        }
    }
}

}  // namespace

int main(int argc, char** argv)
{
    const QCoreApplication application(argc, argv);
    Json rows = Json::array();
    QStringList sizes = application.arguments().mid(1);
    sizes.removeAll("--json");
    if (sizes.isEmpty())
        sizes = {"tiny", "small", "base", "xl2"};
    try {
        for (const QString& size : sizes) {
            if (bench::hasGpu())
                measure(size, rows);
        }
        std::cout << Json {{"rows", rows}}.dump(1) << '\n';
        return 0;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "error: %s\n", error.what());
        return 1;
    }
}
