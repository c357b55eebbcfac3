// Our checkpoints beside torch.distributed.checkpoint: a model of 90 million weights with both moments, 1.1 GB on two CPU
// ranks, run alternately on the same disk. Loads are from the page cache, as right after a save.
#include "tests/bench/figures.h"
#include "tests/bench/ranks.h"
#include "tests/paths.h"

#include <QCoreApplication>
#include <QTemporaryDir>

#include <cmath>
#include <cstdio>
#include <iostream>

namespace {

using Json = nlohmann::json;

constexpr int kRounds = 3;

/// On the disk of the build folder: /tmp may be memory.
Json run(const QString& program, const QStringList& script)
{
    const QTemporaryDir folder(QCoreApplication::applicationDirPath() + "/checkpoint-bench-XXXXXX");
    return bench::runRanks(program, script + QStringList {"--folder", folder.path()});
}

struct Figure {
    const char* name;
    const char* key;
    const char* peer;
};

constexpr Figure kFigures[] = {{"pause", "pause_s", "async_save"}, {"durable", "save_s", "save"}, {"load", "load_s", "load"}};

}  // namespace

int main(int argc, char** argv)
{
    const QCoreApplication application(argc, argv);
    try {
        std::vector<Json> ours, theirs;
        for (int round = 0; round < kRounds; ++round) {
            ours.push_back(run(QCoreApplication::applicationDirPath() + "/checkpoint_bench_rank", {}));
            theirs.push_back(run(bench::peerPython(), {ATELIER_SOURCE_DIR "/tests/peers/dcp_checkpoint.py"}));
            const double bytes = ours.back().at("bytes"), peerBytes = theirs.back().at("bytes");
            if (!(std::abs(bytes - peerBytes) < 0.02 * peerBytes))
                throw std::runtime_error("our checkpoint has " + std::to_string(bytes) + " bytes, the peer's "
                    + std::to_string(peerBytes));
        }
        Json rows = Json::array();
        for (const Figure& figure : kFigures) {
            std::vector<double> mine, other;
            for (const Json& each : ours)
                mine.push_back(each.at(figure.key));
            for (const Json& each : theirs)
                other.push_back(each.at(figure.key));
            rows.push_back(bench::row("checkpoint", "1.1-GB", figure.name, "s", mine, bench::Better::Lower,
                {bench::quantile(other, 0.5), figure.peer}));
            std::fprintf(stderr, "  %s: ours %.3f s, %s %.3f s\n", figure.name, bench::quantile(mine, 0.5), figure.peer,
                bench::quantile(other, 0.5));
        }
        std::cout << Json {{"rows", rows}}.dump(1) << '\n';
        return 0;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "error: %s\n", error.what());
        return 1;
    }
}
