// One rank that makes a large checkpoint, or loads one and tells how much memory that took. Started as torchrun starts
// ranks; rank 0 prints one line of JSON.
#include "engine/checkpoint/checkpoint_loader.h"
#include "engine/checkpoint/checkpoint_writer.h"
#include "engine/comm/rendezvous.h"
#include "engine/contract/formats/text.h"
#include "engine/models/dit/dit.h"
#include "engine/optim/optimizer.h"
#include "engine/shard/squares.h"

#include <ATen/Parallel.h>
#include <ATen/ops/zeros.h>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cstdio>
#include <fstream>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

/// A line of /proc/self/status: "VmHWM", "RssAnon" …
double statusBytes(const std::string& name)
{
    std::ifstream file("/proc/self/status");
    for (std::string line; std::getline(file, line);) {
        if (line.starts_with(name + ":"))
            return std::stod(line.substr(name.size() + 1)) * 1024;
    }
    throw std::runtime_error("/proc/self/status has no " + name);
}

/// VmHWM begins again at what is resident now.
void forgetPeak()
{
    std::ofstream file("/proc/self/clear_refs");
    file << "5" << std::flush;
    if (!file)
        throw std::runtime_error("/proc/self/clear_refs cannot be written");
}

/// The values of each rank, on all of them.
std::vector<std::array<double, 2>> ofAllRanks(engine::Group& group, double first, double second)
{
    const at::Tensor all = at::zeros({group.size(), 2}, at::kDouble);
    auto* const values = reinterpret_cast<std::array<double, 2>*>(all.data_ptr<double>());
    values[group.rank()] = {first, second};
    group.allReduceSum(all, "readings");
    return {values, values + group.size()};
}

/// What this rank's own states have in common with nobody else's.
double squaresOf(engine::UnitSequence& units)
{
    double squares = 0;
    for (std::size_t i = 0; i < units.size(); ++i)
        squares += engine::sumOfSquares(units[i].master);
    return squares;
}

}  // namespace

int main(int argc, char** argv)
{
    std::map<std::string, std::string> options = {{"folder", ""}, {"task", "load"}, {"states", "weights"}, {"width", "1024"}, {"depth", "28"}};
    for (int i = 1; i + 1 < argc; i += 2)
        options[std::string(argv[i]).substr(2)] = argv[i + 1];
    const auto number = [&](const char* name) { return contract::parseInteger(options[name]).value(); };
    const bool isLoading = options["task"] == "load", isTraining = options["states"] == "training";
    at::set_num_threads(1);

    const engine::RankIdentity identity = engine::rankFromEnvironment();
    const auto mesh = engine::joinRanks(identity, {.world = identity.worldSize, .shard = identity.worldSize}, nullptr,
        {engine::Exchange::Automatic, std::chrono::seconds(300)});
    engine::Group& group = mesh->world();
    const double resting = statusBytes("VmRSS");
    forgetPeak();

    const std::int64_t width = number("width");
    const engine::Dit model({32, 3, 10, 4, width, number("depth"), width / 64, {}});
    engine::BufferPool pool(group, c10::Device(c10::DeviceType::CPU));
    const auto seed = isLoading ? std::nullopt : std::optional<std::uint64_t>(0);
    engine::UnitSequence units(model.units(), group, pool, {.keepsAverage = isTraining}, {}, seed);
    const auto optimizer = isTraining ? engine::makeOptimizer(contract::Experiment(), units, group) : nullptr;
    const engine::Contents contents = isTraining ? engine::Contents::All : engine::Contents::Weights;

    const contract::RunFolder run(options["folder"]);
    if (isLoading) {
        engine::loadCheckpoint(run.checkpoint(1), units, *mesh, {}, {.contents = contents});
    } else {
        engine::CheckpointWriter writer(run, units, *mesh, contents, {});
        contract::CheckpointManifest manifest;
        manifest.step = 1;
        writer.save(manifest);
        for (const engine::SaveResult& result : writer.finish())
            if (!result.problem.empty())
                throw std::runtime_error(result.problem);
    }
    const double peak = statusBytes("VmHWM");
    std::fprintf(stderr, "rank %d: resting %.0f MB, peak %.0f MB; now %.0f MB of its own, %.0f MB of files, %.0f MB shared\n",
        identity.rank, resting / 1e6, peak / 1e6, statusBytes("RssAnon") / 1e6, statusBytes("RssFile") / 1e6, statusBytes("RssShmem") / 1e6);

    double shard = 0, largestUnit = 0;
    for (std::size_t i = 0; i < units.size(); ++i) {
        double kept = 0;
        for (const engine::ShardState& state : units[i].storedStates())
            kept += static_cast<double>(state.values.nbytes());
        shard += kept;
        largestUnit = std::max(largestUnit, kept * group.size());
    }
    nlohmann::json line = {{"shard", shard}, {"unit", largestUnit}, {"resting", 0.0}, {"peak", 0.0}, {"squares", nlohmann::json::array()}};
    for (const auto& [rest, most] : ofAllRanks(group, resting, peak)) {
        line["resting"] = std::max(line["resting"].get<double>(), rest);
        line["peak"] = std::max(line["peak"].get<double>(), most);
    }
    for (const auto& [squares, unused] : ofAllRanks(group, squaresOf(units), 0))
        line["squares"].push_back(squares);
    if (identity.rank == 0)
        std::printf("%s\n", line.dump().c_str());
    group.barrier("at the end");
    return 0;
}
