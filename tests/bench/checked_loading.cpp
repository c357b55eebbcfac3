// What checksums cost while a checkpoint is loaded: the same files, with and without checksums in the manifest, loaded in turn
// into new shards on one thread, beside which another one compares; from the page cache and from the disk.
#include "engine/checkpoint/checkpoint_loader.h"
#include "engine/checkpoint/checkpoint_writer.h"
#include "engine/models/dit/dit.h"
#include "engine/optim/optimizer.h"
#include "tests/bench/figures.h"

#include <ATen/Parallel.h>

#include <QCoreApplication>
#include <QTemporaryDir>

#include <fcntl.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <stdexcept>

namespace {

namespace fs = std::filesystem;

constexpr int kRounds = 9;
constexpr std::int64_t kWidth = 640, kDepth = 6;

/// One rank's shards with the states of AdamW.
struct Model {
    engine::Mesh mesh {{}, std::make_unique<engine::LoneGroup>()};
    engine::BufferPool pool {mesh.shard(), c10::Device(c10::DeviceType::CPU)};
    engine::Dit dit {{32, 3, 10, 4, kWidth, kDepth, kWidth / 64, {}}};
    engine::UnitSequence units {dit.units(), mesh.shard(), pool, {.keepsAverage = true}, {}, 0};
    std::unique_ptr<engine::Optimizer> optimizer = engine::makeOptimizer(contract::Experiment(), units, mesh.shard());
};

/// Removes the files from the page cache.
void forget(const fs::path& folder)
{
    for (const auto& entry : fs::directory_iterator(folder)) {
        const int descriptor = ::open(entry.path().c_str(), O_RDONLY | O_CLOEXEC);
        ::posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED);
        ::close(descriptor);
    }
}

double secondsOfLoading(const fs::path& folder, bool isFromDisk)
{
    Model model;
    if (isFromDisk)
        forget(folder);
    const auto start = std::chrono::steady_clock::now();
    engine::loadCheckpoint(folder, model.units, model.mesh, {}, {});
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

int main(int argc, char** argv)
{
    const QCoreApplication application(argc, argv);
    at::set_num_threads(1);
    try {
        const QTemporaryDir root(QCoreApplication::applicationDirPath() + "/checked-loading-XXXXXX");  // /tmp may be memory
        const contract::RunFolder run(root.path().toStdString());
        {
            Model model;
            engine::CheckpointWriter writer(run, model.units, model.mesh, engine::Contents::All, {});
            writer.save({});
            if (const std::string problem = writer.finish().front().problem; !problem.empty())
                throw std::runtime_error(problem);
        }
        const fs::path checked = run.checkpoint(0), unchecked = run.checkpoint(1);
        fs::create_directory(unchecked);
        fs::create_hard_link(checked / "rank-0.safetensors", unchecked / "rank-0.safetensors");
        auto manifest = contract::readManifest(checked);
        manifest.checksums.clear();
        manifest.blocks.clear();
        contract::writeManifest(unchecked, manifest);

        nlohmann::json rows = nlohmann::json::array();
        for (const bool isFromDisk : {false, true}) {
            std::vector<double> with, without;
            for (int round = -1; round < kRounds; ++round) {  // the first warms up
                const double one = secondsOfLoading(checked, isFromDisk), other = secondsOfLoading(unchecked, isFromDisk);
                if (round >= 0) {
                    with.push_back(one);
                    without.push_back(other);
                }
            }
            const char* const figure = isFromDisk ? "load-disk" : "load-cache";
            rows.push_back(bench::row("checkpoint", std::to_string(manifest.bytes() / 1000000) + "-MB-checked", figure, "s", with, bench::Better::Lower,
                {bench::quantile(without, 0.5), "unchecked"}));
            std::fprintf(stderr, "  %s of %.0f MB: with checksums %.3f s, without %.3f s\n", figure, static_cast<double>(manifest.bytes()) / 1e6,
                bench::quantile(with, 0.5), bench::quantile(without, 0.5));
        }
        std::cout << nlohmann::json {{"rows", rows}}.dump(1) << '\n';
        return 0;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "error: %s\n", error.what());
        return 1;
    }
}
