#include "tests/engine/checkpoint/small_ranks.h"

#include "tests/engine/comm/forked_ranks.h"

#include <ATen/ops/full.h>
#include <ATen/ops/zeros.h>

#include <cstdio>
#include <fstream>

namespace tests {
namespace {

const c10::Device kCpu(c10::DeviceType::CPU);

/// SplitMix64's mixing: any bits at all.
std::uint32_t bitsOf(std::uint64_t number)
{
    number = (number ^ (number >> 30)) * 0xbf58476d1ce4e5b9;
    number = (number ^ (number >> 27)) * 0x94d049bb133111eb;
    return static_cast<std::uint32_t>(number >> 32);
}

/// Bytes that this process has read so far, from any file.
std::int64_t bytesRead()
{
    std::ifstream io("/proc/self/io");
    std::string word;
    std::int64_t bytes = 0;
    io >> word >> bytes;  // "rchar: N"
    return bytes;
}

}  // namespace

std::vector<engine::UnitSpec> smallUnits()
{
    return {{"root", {{"embed.weight", {37, 19}, 0, true}, {"embed.bias", {37}, 0, false}}},
        {"blocks.0", {{"blocks.0.weight", {101, 64}, 0, true}, {"blocks.0.gain", {1}, 0, false}}}};
}

std::vector<engine::UnitSpec> changedUnits()
{
    auto specs = smallUnits();
    specs[0].parameters[1].shape = {38};
    specs[1].parameters[1].name = "blocks.0.scale";
    return specs;
}

SmallModel::SmallModel(engine::Mesh& mesh, std::vector<engine::UnitSpec> specs, bool keepsAverage)
    : m_pool(mesh.shard(), kCpu)
    , m_units(std::move(specs), mesh.shard(), m_pool, {.keepsAverage = keepsAverage}, {}, 0)
{
    for (std::size_t i = 0; i < m_units.size(); ++i) {
        for (const char* name : {"exp_avg", "exp_avg_sq"})
            m_units[i].optimizerStates.push_back({name, at::zeros({m_units[i].layout().shardLength}, at::kFloat)});
    }
}

template <typename Visit>
void SmallModel::forEachElement(int generation, Visit visit)
{
    for (std::size_t i = 0; i < m_units.size(); ++i) {
        for (const engine::ShardState& state : m_units[i].storedStates()) {
            auto* const bits = reinterpret_cast<std::uint32_t*>(state.values.data_ptr<float>());
            for (const engine::LayoutPiece& piece : m_units[i].pieces()) {
                const std::string name = state.name + "/" + m_units[i].spec().parameters[piece.tensor].name;
                const std::uint64_t salt = std::hash<std::string>()(name) + static_cast<std::uint64_t>(generation);
                for (std::int64_t n = 0; n < piece.count; ++n) {
                    const auto number = static_cast<std::uint64_t>(piece.tensorBegin + n);
                    const std::uint32_t value = number % 7 == 3 ? 0x80000000 : bitsOf(salt + number * 0x9e3779b97f4a7c15);
                    visit(name, bits[piece.shardBegin + n], value);
                }
            }
        }
    }
}

void SmallModel::fill(int generation)
{
    forEachElement(generation, [](const std::string&, std::uint32_t& element, std::uint32_t value) { element = value; });
}

std::string SmallModel::difference(int generation)
{
    std::string first;
    forEachElement(generation, [&](const std::string& name, std::uint32_t element, std::uint32_t value) {
        if (element != value && first.empty())
            first = name;
    });
    return first;
}

at::Tensor SmallModel::weightBits(std::size_t unit, std::size_t parameter)
{
    for (const engine::LayoutPiece& piece : m_units[unit].pieces()) {
        if (piece.tensor == parameter)
            return m_units[unit].master.narrow(0, piece.shardBegin, piece.count).view(at::kInt).clone();
    }
    return {};
}

contract::CheckpointManifest manifestOf(std::int64_t step)
{
    contract::CheckpointManifest manifest;
    manifest.run = "run";
    manifest.step = step;
    manifest.model = "small";
    manifest.metrics = {{"loss", 0.5}};
    manifest.state = {{"step", std::to_string(step)}, {"of the caller", "what it likes"}};
    return manifest;
}

std::string faultOfReading(engine::Mesh& mesh, double bytes, const std::function<void()>& load)
{
    const std::int64_t before = bytesRead();
    load();
    const at::Tensor read = at::full({1}, static_cast<double>(bytesRead() - before), at::kDouble);
    mesh.world().allReduceSum(read, "bytes read");
    const double others = read.item<double>() - bytes;  // a group's first exchange reads files of the system's
    return others >= 0 && others < 0.2 * bytes ? "" : "beside the files " + std::to_string(others) + " bytes were read";
}

std::string runRanks(const contract::MeshShape& shape, const std::function<std::string(engine::Mesh&)>& body)
{
    const auto codes = runRanks(shape, engine::Exchange::Automatic, [&](engine::Mesh& mesh) {
        const std::string complaint = body(mesh);
        mesh.world().barrier("at the end");
        if (!complaint.empty())
            std::fprintf(stderr, "rank %d: %s\n", mesh.world().rank(), complaint.c_str());
        return complaint.empty();
    });
    std::string failed;
    for (std::size_t rank = 0; rank < codes.size(); ++rank) {
        if (codes[rank] != 0)
            failed += "rank " + std::to_string(rank) + " ended with " + std::to_string(codes[rank]) + "; ";
    }
    return failed;
}

}  // namespace tests
