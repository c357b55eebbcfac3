// A transformer's folder of 2.1 GB in bfloat16 into float32 shards on two CPU ranks, beside diffusers' from_pretrained() and
// FSDP2's fully_shard() on the same folder. Files are in the page cache, as a second start finds them. Time is from the
// moment that both processes have all their code; the peak is VmHWM of the larger rank, with all that the process is.
#include "tests/bench/figures.h"
#include "tests/bench/processes.h"
#include "tests/bench/ranks.h"
#include "tests/paths.h"

#include <QCoreApplication>
#include <QProcess>
#include <QTemporaryDir>

#include <cmath>
#include <cstdio>
#include <iostream>
#include <stdexcept>

namespace {

using Json = nlohmann::json;

constexpr int kRounds = 3;

Json rowOf(const char* figure, const char* key, const char* unit, double scale, const std::vector<Json>& ours, const std::vector<Json>& theirs)
{
    std::vector<double> mine, other;
    for (const Json& each : ours)
        mine.push_back(each.at(key).get<double>() * scale);
    for (const Json& each : theirs)
        other.push_back(each.at(key).get<double>() * scale);
    std::fprintf(stderr, "  %s: ours %.3f %s, diffusers %.3f %s\n", figure, bench::quantile(mine, 0.5), unit, bench::quantile(other, 0.5), unit);
    return bench::row("loading", "sd3-2.1-GB", figure, unit, mine, bench::Better::Lower, {bench::quantile(other, 0.5), "diffusers"});
}

}  // namespace

int main(int argc, char** argv)
{
    const QCoreApplication application(argc, argv);
    try {
        const QString rank = QCoreApplication::applicationDirPath() + "/loading_bench_rank";
        const QTemporaryDir folder(QCoreApplication::applicationDirPath() + "/loading-bench-XXXXXX");
        const QString python = bench::diffusersPython();
        if (QProcess::execute(rank, {"--task", "make", "--folder", folder.path()}) != 0)
            throw std::runtime_error("the folder to load could not be made");
        std::vector<Json> ours, theirs;
        for (int round = 0; round < kRounds; ++round) {
            ours.push_back(bench::runRanks(rank, {"--folder", folder.path()}));
            theirs.push_back(bench::runRanks(python, {ATELIER_SOURCE_DIR "/tests/peers/load_folder.py", "--folder", folder.path()}));
            const double squares = ours.back().at("squares"), peerSquares = theirs.back().at("squares");
            if (!(std::abs(squares - peerSquares) < 1e-6 * peerSquares))
                throw std::runtime_error("the two have not loaded the same weights");
        }
        const Json rows = {rowOf("ready", "seconds", "s", 1, ours, theirs), rowOf("peak", "peak", "MB", 1e-6, ours, theirs)};
        std::cout << Json {{"rows", rows}}.dump(1) << '\n';
        return 0;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "error: %s\n", error.what());
        return 1;
    }
}
