// The most host memory of a rank while 2.1 GB are loaded on two ranks, against the limit: the process before, and 1.2
// times what the rank keeps of that and its largest unit. Once they are the weights alone; and once, of a smaller model,
// all that training keeps of it: weights, average and two moments.
//
// The figure is VmHWM, the kernel's highest resident size: memory of its own, files mapped into it and shared memory.
// Checkpoints are read by pread(): the page cache is nobody's resident memory.
#include "tests/bench/figures.h"
#include "tests/bench/ranks.h"

#include <QCoreApplication>
#include <QTemporaryDir>

#include <cstdio>
#include <iostream>

namespace {

using Json = nlohmann::json;

struct Case {
    const char* name;
    const char* states;
    const char* depth;
};

constexpr Case kCases[] = {{"2.1-GB-weights", "weights", "28"}, {"2.1-GB-training", "training", "7"}};

Json run(const QString& folder, const char* task, const Case& of)
{
    return bench::runRanks(QCoreApplication::applicationDirPath() + "/load_peak_bench_rank",
        {"--folder", folder, "--task", task, "--states", of.states, "--depth", of.depth});
}

}  // namespace

int main(int argc, char** argv)
{
    const QCoreApplication application(argc, argv);
    try {
        Json rows = Json::array();
        for (const Case& each : kCases) {
            const QTemporaryDir folder(QCoreApplication::applicationDirPath() + "/load-bench-XXXXXX");
            const Json saved = run(folder.path(), "save", each);
            const Json loaded = run(folder.path(), "load", each);
            if (loaded.at("squares") != saved.at("squares"))
                throw std::runtime_error("what was loaded is not what was saved");
            const double resting = loaded.at("resting"), shard = loaded.at("shard"), unit = loaded.at("unit");
            const double limit = resting + 1.2 * (shard + unit);
            std::fprintf(stderr, "  %s: peak %.0f MB; resting %.0f, shard %.0f, unit %.0f, limit %.0f MB\n", each.name,
                loaded.at("peak").get<double>() / 1e6, resting / 1e6, shard / 1e6, unit / 1e6, limit / 1e6);
            rows.push_back(bench::row("checkpoint", each.name, "load-peak", "MB",
                {loaded.at("peak").get<double>() / 1e6}, bench::Better::Lower, {limit / 1e6, "limit"}));
        }
        std::cout << Json {{"rows", rows}}.dump(1) << '\n';
        return 0;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "error: %s\n", error.what());
        return 1;
    }
}
