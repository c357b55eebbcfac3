// Dims: B samples, N tokens = grid², D width.
#include "engine/models/dit/dit.h"

#include "engine/models/transformer/model_config.h"
#include "engine/nn/block_pass.h"
#include "engine/nn/layers.h"
#include "engine/nn/patches.h"

namespace engine {
namespace {

constexpr std::int64_t kTimeFeatures = 256;

namespace root {
enum : std::size_t {
    EmbedWeight, EmbedBias, Position, Time1Weight, Time1Bias, Time2Weight, Time2Bias, Label,
    FinalAdaWeight, FinalAdaBias, FinalWeight, FinalBias
};
}
namespace in_block {
enum : std::size_t {
    AdaWeight, AdaBias, QkvWeight, QkvBias, ProjWeight, ProjBias, Fc1Weight, Fc1Bias, Fc2Weight, Fc2Bias
};
}

void addParameter(UnitSpec& unit, const std::string& name, std::vector<std::int64_t> shape, double std)
{
    unit.parameters.push_back({name, std::move(shape), std, isDecayedByRule(name)});
}

void addLinear(UnitSpec& unit, const std::string& name, std::int64_t out, std::int64_t in, double std)
{
    addParameter(unit, name + ".weight", {out, in}, std);
    unit.parameters.back().isLinear = true;
    addParameter(unit, name + ".bias", {out}, 0);
}

}  // namespace

Dit::Dit(const DitConfig& config)
    : m_config(config)
{
    requireMultiple("model.width", config.width, "model.heads", config.heads);
    requireMultiple("the image size", config.imageSize, "model.patch", config.patch);
    m_grid = config.imageSize / config.patch;
    requireMultiple("model.heads", config.heads, "engine.ulysses", config.sequence.ulyssesSize());
    requireMultiple("the number of image tokens", m_grid * m_grid, "the ranks of a sequence", config.sequence.size());
    m_plan = plan();
}

UnitPlan Dit::plan() const
{
    const std::int64_t width = m_config.width;
    const std::int64_t patchSize = m_config.patch * m_config.patch * m_config.channels;
    UnitSpec rootSpec {"root", {}};
    addLinear(rootSpec, "embed", width, patchSize, kInitStd);
    addParameter(rootSpec, "pos", {1, m_grid * m_grid, width}, kInitStd);
    addLinear(rootSpec, "time1", width, kTimeFeatures, kInitStd);
    addLinear(rootSpec, "time2", width, width, kInitStd);
    addParameter(rootSpec, "label.weight", {m_config.classes + 1, width}, kInitStd);
    addLinear(rootSpec, "final_ada", 2 * width, width, 0);
    addLinear(rootSpec, "final", patchSize, width, 0);

    std::vector<UnitSpec> specs;
    for (std::int64_t i = 0; i < m_config.depth; ++i) {
        UnitSpec spec {"blocks." + std::to_string(i), {}};
        addLinear(spec, spec.name + ".ada", 6 * width, width, 0);
        addLinear(spec, spec.name + ".qkv", 3 * width, width, kInitStd);
        addLinear(spec, spec.name + ".proj", width, width, kInitStd);
        addLinear(spec, spec.name + ".fc1", 4 * width, width, kInitStd);
        addLinear(spec, spec.name + ".fc2", width, 4 * width, kInitStd);
        specs.push_back(std::move(spec));
    }
    return planUnits(std::move(rootSpec), std::move(specs), m_config.wrap);
}

at::Tensor Dit::patches(const at::Tensor& latents) const
{
    const auto batch = latents.size(0);
    const auto patch = m_config.patch;
    return latents.view({batch, m_config.channels, m_grid, patch, m_grid, patch})
        .permute({0, 2, 4, 3, 5, 1})
        .reshape({batch, m_grid * m_grid, patch * patch * m_config.channels});
}

Var Dit::block(Tape& tape, const BlockParameters& parameters, Var x, Var condition) const
{
    using namespace in_block;
    const auto project = [&](Var input, std::size_t weight) {
        return linear(tape, input, parameters[weight], parameters[weight + 1]);
    };
    enum : std::int64_t { Shift1, Scale1, Gate1, Shift2, Scale2, Gate2 };
    const Var ada = project(silu(tape, condition), AdaWeight);
    Var h = project(modulatedNorm(tape, x, ada, Shift1, Scale1), QkvWeight);
    h = project(attention(tape, h, m_config.heads, m_config.sequence), ProjWeight);
    const Var attended = gatedAdd(tape, x, ada, Gate1, h);
    h = project(modulatedNorm(tape, attended, ada, Shift2, Scale2), Fc1Weight);
    h = project(gelu(tape, h), Fc2Weight);
    return gatedAdd(tape, attended, ada, Gate2, h);
}

Var Dit::forward(Tape& tape, const ModelInput& input) const
{
    using namespace root;
    Unit& rootUnit = tape.root();
    const auto project = [&](Var x, std::size_t weight) {
        return linear(tape, x, rootUnit.parameter(weight), rootUnit.parameter(weight + 1));
    };
    const at::ScalarType dtype = rootUnit.parameter(Position).value.scalar_type();

    const SequenceGroups& sequence = m_config.sequence;
    const std::int64_t tokens = m_grid * m_grid / sequence.size(), first = tokens * sequence.rank();
    const Var patched = tape.input(patches(input.latents).narrow(1, first, tokens).to(dtype).contiguous());
    Var x = addPositions(tape, project(patched, EmbedWeight), rootUnit.parameter(Position), first);
    const Var time = tape.input(sinusoid(input.sigmas, kTimeFeatures).to(dtype));
    const Var embedded = project(silu(tape, project(time, Time1Weight)), Time2Weight);
    const Var condition = addEmbedding(tape, embedded, rootUnit.parameter(Label), input.labels);

    x = runBlocks(tape, m_plan, {x, condition},
        [this, &tape](std::size_t, const BlockParameters& parameters, const std::vector<Var>& in) {
            return std::vector<Var> {block(tape, parameters, in[0], in[1])};
        }).front();

    const Var ada = project(silu(tape, condition), FinalAdaWeight);
    const Var all = gatherTokens(tape, project(modulatedNorm(tape, x, ada, 0, 1), FinalWeight), sequence);
    return unpatched(tape, all, {m_config.patch, m_grid, m_grid});
}

double Dit::forwardFlops(const ModelInput& input) const
{
    const auto samples = static_cast<double>(input.latents.size(0));
    const auto width = static_cast<double>(m_config.width), tokens = static_cast<double>(m_grid * m_grid);
    const auto patchSize = static_cast<double>(m_config.patch * m_config.patch * m_config.channels);
    const auto depth = static_cast<double>(m_config.depth);
    constexpr double kBlock = 3 + 1 + 4 + 4, kBlockAda = 6, kFinalAda = 2;  // counted in width² weights
    const double perToken = 2 * patchSize * width + depth * kBlock * width * width;
    const double perSample = (kTimeFeatures + width) * width + (depth * kBlockAda + kFinalAda) * width * width;
    const double attention = depth * 2 * tokens * tokens * width;
    return 2 * samples * (tokens * perToken + perSample + attention);
}

std::map<std::string, std::string> Dit::shapeOptions() const
{
    return {{"image_size", std::to_string(m_config.imageSize)},
        {"channels", std::to_string(m_config.channels)},
        {"classes", std::to_string(m_config.classes)},
        {"model.patch", std::to_string(m_config.patch)},
        {"model.width", std::to_string(m_config.width)},
        {"model.depth", std::to_string(m_config.depth)},
        {"model.heads", std::to_string(m_config.heads)}};
}

}  // namespace engine
