// Our engine beside PyTorch's FSDP2: the same model, weights, data and noise, two CPU ranks of one thread each, run alternately.
// Losses and gradient norms must agree at every step, or nothing is reported.
#include "tests/bench/engine_cases.h"
#include "tests/bench/engine_gate.h"
#include "tests/bench/figures.h"
#include "tests/bench/fsdp2_variants.h"
#include "tests/bench/ranks.h"

#include <QCoreApplication>
#include <QRegularExpression>

#include <cstdio>
#include <iostream>
#include <map>

namespace {

using Json = nlohmann::json;
using bench::EngineCase;
using bench::Fsdp2Variant;

constexpr int kRounds = 5;
constexpr int kSearchSteps = 8;

/// How our side runs: as users do, or as the peer has to, resharding after forward over Gloo.
enum class Mode { Default, ReshardOverGloo };

struct Figure {
    const char* name;
    const char* unit;
    const char* key;
};

Json ours(const EngineCase& what, Mode mode)
{
    const bool isPeerLike = mode == Mode::ReshardOverGloo;
    return bench::runRanks(QCoreApplication::applicationDirPath() + "/engine_bench_rank",
        what.arguments(what.steps) + QStringList {"--reshard", isPeerLike ? "true" : "false", "--exchange", isPeerLike ? "gloo" : "auto"});
}

/// Alternated runs, and a row for each of @p figures.
void contend(const EngineCase& what, Mode mode, const Fsdp2Variant& variant, const std::vector<Figure>& figures, Json& rows)
{
    std::vector<Json> mine, theirs;
    for (int round = 0; round < kRounds; ++round) {
        mine.push_back(ours(what, mode));
        theirs.push_back(bench::runFsdp2(variant, what.arguments(what.steps)));
        bench::requireEqualTraining(mine.back(), theirs.back(), what.name(), what.isBfloat16());
    }
    for (const Figure& figure : figures) {
        std::vector<double> our, peer;
        for (std::size_t round = 0; round < mine.size(); ++round) {
            our.push_back(mine[round].at(figure.key));
            peer.push_back(theirs[round].at(figure.key));
        }
        rows.push_back(bench::row("engine", what.name(), figure.name, figure.unit, our, bench::Better::Lower,
            {bench::quantile(peer, 0.5), variant.name}));
        const Json& row = rows.back();
        std::fprintf(stderr, "  %s %s: ours %.2f, peer %.2f %s (%s), ratio %.2f\n", what.name().c_str(), figure.name,
            row.at("ours").get<double>(), row.at("peer").get<double>(), figure.unit, variant.name.c_str(), row.at("ratio").get<double>());
    }
}

/// For each figure by itself, the peer's variant that was best at it in a short run of each.
void measure(const EngineCase& what, Json& rows)
{
    const bench::Fsdp2Search search(what.name(), what.arguments(kSearchSteps), /*withCompiled=*/true);
    std::map<const Fsdp2Variant*, std::vector<Figure>> contests;
    for (const Figure& figure : {Figure {"step", "ms", "median_ms"}, {"start", "s", "first_step_s"}, {"memory", "MiB", "peak_mib"}})
        contests[&search.best(figure.key)].push_back(figure);
    for (const auto& [variant, figures] : contests)
        contend(what, Mode::Default, *variant, figures, rows);
    contend(what, Mode::ReshardOverGloo, search.best("median_ms", /*onlyResharding=*/true), {{"step-reshard", "ms", "median_ms"}}, rows);
}

}  // namespace

int main(int argc, char** argv)
{
    const QCoreApplication application(argc, argv);
    const QStringList wanted = application.arguments().mid(1).filter(QRegularExpression("^[^-]"));
    try {
        Json rows = Json::array();
        for (const EngineCase& each : bench::kEngineCases) {
            if (wanted.isEmpty() && each.isSlowForPeer())
                std::fputs(bench::leftOutMessage(each.name()).c_str(), stderr);
            else if (wanted.isEmpty() || wanted.contains(QString::fromStdString(each.name())))
                measure(each, rows);
        }
        std::cout << Json {{"rows", rows}}.dump(1) << '\n';
        return 0;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "error: %s\n", error.what());
        return 1;
    }
}
