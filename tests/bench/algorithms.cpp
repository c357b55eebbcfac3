// Rounds of Flow-GRPO beside the same written plainly with PyTorch's FSDP2: the same model, weights, prompts and noise, two CPU ranks
// of one thread each, run alternately. Rewards and gradient norms must agree in every round, or nothing is reported. Where the processor's
// peak is known, a row says how long the matrix products alone would take there, below which no program can get.
#include "tests/bench/engine_gate.h"
#include "tests/bench/figures.h"
#include "tests/bench/processor_peak.h"
#include "tests/bench/rounds_peer.h"

#include <QCoreApplication>
#include <QRegularExpression>

#include <cstdio>
#include <iostream>

namespace {

using Json = nlohmann::json;
using Case = bench::RoundsCase;

constexpr int kRounds = 3;  // alternated runs

const Case kCases[] = {
    {"digits-fp32", "tiny", "fp32", 6, 16, 16, 64},
    {"digits-bf16", "tiny", "bf16", 6, 16, 16, 64},
    {"dit-s-fp32", "small", "fp32", 3, 4, 8, 8},
    {"dit-s-bf16", "small", "bf16", 3, 4, 8, 8},
};

/// The ways to run the peer among which the best is looked for.
struct Variant {
    const char* name;
    QStringList options;
};
const std::vector<Variant>& variants()
{
    static const std::vector<Variant> all = {
        {"FSDP2", {}},
        {"FSDP2, no reshard, reduces once", {"--no-reshard", "--reduce-once"}},
        {"FSDP2, no reshard, reduces once, math attention", {"--no-reshard", "--reduce-once", "--math-attention"}},
        {"FSDP2, no reshard, reduces once, math attention, three timesteps a pass", {"--no-reshard", "--reduce-once", "--math-attention", "--fold", "3"}},
        {"FSDP2, no reshard, reduces once, math attention, compile", {"--no-reshard", "--reduce-once", "--math-attention", "--compile"}},
    };
    return all;
}

const Variant& bestVariant(const Case& what)
{
    constexpr int kSearched = 3;
    Case shorter = what;
    shorter.rounds = kSearched;
    const bench::RoundsPeer peer(shorter);
    const Variant* best = nullptr;
    double least = 0;
    for (const Variant& variant : variants()) {
        const double round = peer.run(variant.options).at("round_ms");
        std::fprintf(stderr, "  %s: %s: round %.0f ms\n", what.name.c_str(), variant.name, round);
        if (!best || round < least) {
            best = &variant;
            least = round;
        }
    }
    return *best;
}

void measure(const Case& what, Json& rows)
{
    const Variant& variant = bestVariant(what);
    const bench::RoundsPeer peer(what);
    std::vector<Json> mine, theirs;
    for (int run = 0; run < kRounds; ++run) {
        mine.push_back(bench::runRounds(what));
        theirs.push_back(peer.run(variant.options));
        bench::requireEqualRounds(mine.back(), theirs.back(), what.name, what.dtype == "bf16");
    }
    for (const char* figure : {"round_ms", "rollout_ms", "reward_ms", "update_ms", "peak_mib"}) {
        std::vector<double> our, their;
        for (std::size_t run = 0; run < mine.size(); ++run) {
            our.push_back(mine[run].at(figure));
            their.push_back(theirs[run].at(figure));
        }
        const bool isMemory = std::string(figure) == "peak_mib";
        rows.push_back(bench::row("algorithms", what.name, figure, isMemory ? "MiB" : "ms", our, bench::Better::Lower,
            {bench::quantile(their, 0.5), variant.name}));
        const Json& row = rows.back();
        std::fprintf(stderr, "  %s %s: ours %.2f, peer %.2f (%s), ratio %.2f\n", what.name.c_str(), figure, row.at("ours").get<double>(),
            row.at("peer").get<double>(), variant.name, row.at("ratio").get<double>());
    }
    if (const auto peak = bench::peakGflops(what.dtype == "bf16")) {
        const double atPeak = mine.front().at("gflop").get<double>() / *peak * 1e3;
        std::vector<double> our;
        for (const Json& run : mine)
            our.push_back(run.at("round_ms"));
        rows.push_back(bench::row("algorithms", what.name, "round_ms", "ms", our, bench::Better::Lower, {atPeak, "processor's peak"}));
        std::fprintf(stderr, "  %s: matrix products at the processor's peak of %.0f GF/s: %.0f ms\n", what.name.c_str(), *peak, atPeak);
    }
}

}  // namespace

int main(int argc, char** argv)
{
    const QCoreApplication application(argc, argv);
    const QStringList wanted = application.arguments().mid(1).filter(QRegularExpression("^[^-]"));
    try {
        Json rows = Json::array();
        for (const Case& each : kCases) {
            if (wanted.isEmpty() || wanted.contains(QString::fromStdString(each.name)))
                measure(each, rows);
        }
        std::cout << Json {{"rows", rows}}.dump(1) << '\n';
        return 0;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "error: %s\n", error.what());
        return 1;
    }
}
