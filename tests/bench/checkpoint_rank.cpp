// One rank of saves and loads, to run beside tests/peers/dcp_checkpoint.py: the same weights and moments in bytes.
// Started like the peer, with torchrun's environment; rank 0 prints one line of JSON: median seconds of each figure.
#include "engine/checkpoint/checkpoint_loader.h"
#include "engine/checkpoint/checkpoint_writer.h"
#include "engine/comm/rendezvous.h"
#include "engine/contract/formats/text.h"
#include "engine/models/dit/dit.h"
#include "engine/optim/optimizer.h"
#include "tests/bench/figures.h"

#include <ATen/Parallel.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <map>
#include <stdexcept>

namespace {

namespace fs = std::filesystem;

template <typename Action>
double secondsOf(engine::Group& group, Action action)
{
    group.barrier("before measuring");
    const auto start = std::chrono::steady_clock::now();
    action();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

int main(int argc, char** argv)
{
    std::map<std::string, std::string> options = {{"folder", ""}, {"width", "640"}, {"depth", "12"}, {"rounds", "3"}};
    for (int i = 1; i + 1 < argc; i += 2)
        options[std::string(argv[i]).substr(2)] = argv[i + 1];
    const auto number = [&](const char* name) { return contract::parseInteger(options[name]).value(); };
    at::set_num_threads(1);

    const engine::RankIdentity identity = engine::rankFromEnvironment();
    const auto mesh = engine::joinRanks(identity, {.world = identity.worldSize, .shard = identity.worldSize}, nullptr,
        {engine::Exchange::Automatic, std::chrono::seconds(60)});
    engine::Group& group = mesh->world();
    const std::int64_t width = number("width");
    const engine::Dit model({32, 3, 10, 4, width, number("depth"), width / 64, {}});
    engine::BufferPool pool(group, c10::Device(c10::DeviceType::CPU));
    engine::UnitSequence units(model.units(), group, pool, {.keepsAverage = false}, {}, 0);
    const auto optimizer = engine::makeOptimizer(contract::Experiment(), units, group);

    const contract::RunFolder run(options["folder"]);
    engine::CheckpointWriter writer(run, units, *mesh, engine::Contents::All, {.keep = 1000});
    std::vector<double> pauses, saves, loads;
    std::uint64_t bytes = 0;
    for (std::int64_t round = 0; round <= number("rounds"); ++round) {  // the first warms up
        contract::CheckpointManifest manifest;
        manifest.step = round;
        double pause = 0;
        const double save = secondsOf(group, [&] {
            pause = secondsOf(group, [&] { writer.save(manifest); });
            for (const engine::SaveResult& result : writer.finish()) {
                bytes = result.bytes;
                if (!result.problem.empty())
                    throw std::runtime_error(result.problem);
            }
            group.barrier("after the save");
        });
        const double load = secondsOf(group, [&] {
            engine::loadCheckpoint(run.checkpoint(round), units, *mesh, {}, {});
            group.barrier("after the load");
        });
        if (identity.rank == 0)
            fs::remove_all(run.checkpoint(round));
        if (round == 0)
            continue;
        pauses.push_back(pause);
        saves.push_back(save);
        loads.push_back(load);
    }
    if (identity.rank == 0) {
        const nlohmann::json line = {{"program", "atelier"}, {"bytes", bytes}, {"pause_s", bench::quantile(pauses, 0.5)},
            {"save_s", bench::quantile(saves, 0.5)}, {"load_s", bench::quantile(loads, 0.5)}};
        std::printf("%s\n", line.dump().c_str());
    }
    group.barrier("at the end");
    return 0;
}
