// Our engine beside PyTorch's FSDP2: the same model, weights, data and noise, two CPU ranks of one thread each,
// run alternately. Losses must agree step by step, or nothing is reported.
#include "tests/bench/figures.h"
#include "tests/bench/ranks.h"

#include <QCoreApplication>
#include <QRegularExpression>

#include <cmath>
#include <cstdio>
#include <iostream>
#include <memory>
#include <optional>

namespace {

using Json = nlohmann::json;

constexpr int kRounds = 5;

struct Case {
    QString size, dtype;
    int steps;
    std::string name() const { return (size + "-" + dtype).toStdString(); }
};

/// A way to run the peer.
struct Variant {
    std::string name;
    QStringList options;
    bool hasThresholds = false;  ///< malloc keeps what was freed
};

const std::vector<Variant> kVariants = {
    {"FSDP2", {}},
    {"FSDP2, math attention", {"--math-attention"}},
    {"FSDP2, no reshard", {"--no-reshard"}},
    {"FSDP2, math attention, no reshard", {"--math-attention", "--no-reshard"}},
    {"FSDP2, math attention, no reshard, malloc thresholds", {"--math-attention", "--no-reshard"}, true},
    {"FSDP2, math attention, malloc thresholds", {"--math-attention"}, true},
    {"FSDP2, math attention, no reshard, compile", {"--math-attention", "--no-reshard", "--compile"}},
    {"FSDP2, math attention, compile", {"--math-attention", "--compile"}},
};

class Contest {
public:
    explicit Contest(const Case& what)
        : m_case(what)
    {
    }

    Json ours(bool reshards, bool isGloo) const
    {
        return bench::runRanks(QCoreApplication::applicationDirPath() + "/engine_bench_rank",
            arguments({"--reshard", reshards ? "true" : "false", "--exchange", isGloo ? "gloo" : "auto"}));
    }
    Json peer(const Variant& variant, int steps = 0) const
    {
        QStringList all = {ATELIER_SOURCE_DIR "/tests/peers/fsdp2_dit.py"};
        all += arguments(variant.options, steps);
        return bench::runRanks(bench::peerPython(), all, variant.hasThresholds);
    }

    /// The variants with the shortest step by a short run each: of all, and of those that do not compile first.
    std::pair<const Variant*, const Variant*> bestPeers(bool reshards) const
    {
        const Variant* best = nullptr;
        const Variant* bestUncompiled = nullptr;
        double shortest = 0, shortestUncompiled = 0;
        for (const Variant& variant : kVariants) {
            if (reshards == variant.options.contains("--no-reshard"))
                continue;
            const double step = peer(variant, 8).at("median_ms");
            std::fprintf(stderr, "  %s: %s %.1f ms\n", m_case.name().c_str(), variant.name.c_str(), step);
            const auto take = [&](const Variant*& place, double& least) {
                if (!place || step < least) {
                    place = &variant;
                    least = step;
                }
            };
            take(best, shortest);
            if (!variant.options.contains("--compile"))
                take(bestUncompiled, shortestUncompiled);
        }
        return {best, bestUncompiled};
    }

private:
    QStringList arguments(const QStringList& more, int steps = 0) const
    {
        return QStringList {"--size", m_case.size, "--dtype", m_case.dtype, "--steps",
                   QString::number(steps > 0 ? steps : m_case.steps)}
        + more;
    }
    Case m_case;
};

void requireEqualLosses(const Json& ours, const Json& peer, const Case& what)
{
    const double tolerance = what.dtype == "bf16" ? 1e-3 : 2e-5;
    const auto mine = ours.at("losses").get<std::vector<double>>();
    const auto theirs = peer.at("losses").get<std::vector<double>>();
    for (std::size_t i = 0; i < std::min(mine.size(), theirs.size()); ++i) {
        if (!(std::abs(mine[i] - theirs[i]) <= tolerance * theirs[i]))
            throw std::runtime_error(what.name() + ": at step " + std::to_string(i + 1) + " our loss is "
                + std::to_string(mine[i]) + ", the peer's " + std::to_string(theirs[i]));
    }
}

struct Figure {
    const char* name;
    const char* unit;
    const char* key;
};

/// Alternated runs, and a row for each of @p figures.
void contend(const Contest& contest, const Case& what, bool reshards, const Variant& variant,
    const std::vector<Figure>& figures, Json& rows)
{
    std::vector<Json> ours, theirs;
    for (int round = 0; round < kRounds; ++round) {
        ours.push_back(contest.ours(reshards, reshards));
        theirs.push_back(contest.peer(variant));
        requireEqualLosses(ours.back(), theirs.back(), what);
    }
    for (const Figure& figure : figures) {
        std::vector<double> mine, other;
        for (int round = 0; round < kRounds; ++round) {
            mine.push_back(ours[static_cast<std::size_t>(round)].at(figure.key));
            other.push_back(theirs[static_cast<std::size_t>(round)].at(figure.key));
        }
        rows.push_back(bench::row("engine", what.name(), figure.name, figure.unit, mine, bench::Better::Lower,
            {bench::quantile(other, 0.5), variant.name}));
        const Json& row = rows.back();
        std::fprintf(stderr, "  %s %s: ours %.2f, peer %.2f %s, ratio %.2f\n", what.name().c_str(), figure.name,
            row.at("ours").get<double>(), row.at("peer").get<double>(), figure.unit, row.at("ratio").get<double>());
    }
}

/// What compiles is the peer's best at the step alone: it takes half a minute to the first one.
void measure(const Case& what, Json& rows)
{
    const Contest contest(what);
    const Figure start {"start", "s", "first_step_s"}, memory {"memory", "MiB", "peak_rss_mib"};
    const auto [best, uncompiled] = contest.bestPeers(false);
    if (best == uncompiled) {
        contend(contest, what, false, *best, {{"step", "ms", "median_ms"}, start, memory}, rows);
    } else {
        contend(contest, what, false, *best, {{"step", "ms", "median_ms"}}, rows);
        contend(contest, what, false, *uncompiled, {start, memory}, rows);
    }
    contend(contest, what, true, *contest.bestPeers(true).first, {{"step-reshard", "ms", "median_ms"}}, rows);
}

}  // namespace

int main(int argc, char** argv)
{
    const QCoreApplication application(argc, argv);
    const std::vector<Case> cases = {{"tiny", "bf16", 30}, {"small", "bf16", 12}, {"base", "bf16", 6}, {"tiny", "fp32", 30}, {"small", "fp32", 8}};
    const QStringList wanted = application.arguments().mid(1).filter(QRegularExpression("^[^-]"));
    try {
        Json rows = Json::array();
        for (const Case& each : cases) {
            if (!wanted.isEmpty() && !wanted.contains(QString::fromStdString(each.name())))
                continue;
            measure(each, rows);
        }
        std::cout << Json {{"rows", rows}}.dump(1) << '\n';
        return 0;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "error: %s\n", error.what());
        return 1;
    }
}
