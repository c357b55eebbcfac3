#include "tests/engine/contract/checkpoint/example_checkpoint.h"

#include "engine/contract/formats/checksum.h"

#include <cmath>
#include <fstream>
#include <sstream>

namespace fs = std::filesystem;
using contract::CheckpointManifest;

namespace tests {
namespace {

/// Bytes that count up, so that no two blocks are alike.
void write(const fs::path& file, std::size_t bytes)
{
    std::string content(bytes, '\0');
    for (std::size_t at = 0; at < bytes; ++at)
        content[at] = static_cast<char>('a' + at);
    std::ofstream(file) << content;
}

}  // namespace

CheckpointManifest example()
{
    CheckpointManifest manifest;
    manifest.run = "digits-x";
    manifest.attempt = 2;
    manifest.step = 500;
    manifest.unixMs = 1795255200000;
    manifest.worldSize = 2;
    manifest.model = "dit";
    manifest.modelOptions = {{"model.width", "128"}};
    manifest.metrics = {{"loss", 1.0 / 3}, {"grad_norm", std::nan("")}, {"validation/loss", -INFINITY}};
    manifest.state = {{"optimizer_steps", "499"}, {"rng/rank-0", "00ff"}};
    manifest.fileBytes = {{"rank-0.safetensors", 40}, {"rank-1.safetensors", 24}};
    // 6 elements of float32: 4 in the first file from byte 16 on, 2 in the second.
    manifest.tensors = {{"model/w", "F32", {2, 3},
        {{"rank-0.safetensors", 16, 0, 4}, {"rank-1.safetensors", 16, 4, 2}}}};
    return manifest;
}

std::string contentOf(const fs::path& file)
{
    std::ostringstream content;
    content << std::ifstream(file, std::ios::binary).rdbuf();
    return content.str();
}

std::string damageOf(const fs::path& folder)
{
    try {
        contract::verifyCheckpoint(folder);
        return {};
    } catch (const std::runtime_error& error) {
        return error.what();
    }
}

fs::path ExampleCheckpoints::writeExample()
{
    const fs::path folder = fs::path(m_root.path().toStdString()) / std::to_string(++m_count);
    fs::create_directories(folder);
    write(folder / "rank-0.safetensors", 40);
    write(folder / "rank-1.safetensors", 24);
    CheckpointManifest manifest = example();
    manifest.blockBytes = 8;
    for (const auto& [name, bytes] : manifest.fileBytes) {
        manifest.checksums[name] = contract::checksumOf(folder / name);
        contract::BlockChecksums blocks(8);
        const std::string content = contentOf(folder / name);
        blocks.add(content.data(), content.size());
        manifest.blocks[name] = blocks.finish();
    }
    contract::writeManifest(folder, manifest);
    return folder;
}

}  // namespace tests
