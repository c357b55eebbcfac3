// Dims: B samples, N patches, L tokens of the prompt, D width.
#include "engine/models/sd3/sd3_transformer.h"

#include "engine/comm/errors.h"
#include "engine/models/transformer/model_checks.h"
#include "engine/models/transformer/model_config.h"
#include "engine/nn/layers.h"

#include <algorithm>
#include <sstream>

namespace engine {
namespace {

constexpr std::int64_t kTimeWidth = 256;
constexpr double kTimestepsPerSigma = 1000;

}  // namespace

Sd3Config Sd3Config::fromJson(const contract::JsonConfig& json)
{
    json.requireKnown({"sample_size", "patch_size", "in_channels", "out_channels", "num_layers", "attention_head_dim",
        "num_attention_heads", "joint_attention_dim", "caption_projection_dim", "pooled_projection_dim",
        "pos_embed_max_size", "dual_attention_layers", "qk_norm"});
    Sd3Config config;
    config.sampleSize = sizeIn(json, "sample_size", config.sampleSize);
    config.patch = sizeIn(json, "patch_size", config.patch, kLargestPatch);
    config.inChannels = sizeIn(json, "in_channels", config.inChannels);
    config.outChannels = sizeIn(json, "out_channels", config.outChannels);
    config.layers = sizeIn(json, "num_layers", config.layers, kMaxLayers);
    readHeads(json, config);
    config.promptWidth = sizeIn(json, "joint_attention_dim", config.promptWidth);
    config.pooledWidth = sizeIn(json, "pooled_projection_dim", config.pooledWidth);
    config.positionSize = sizeIn(json, "pos_embed_max_size", config.positionSize);
    config.dualLayers = json.integers("dual_attention_layers", std::vector<std::int64_t> {});
    config.normsQueries = choiceIn(json, "qk_norm", "", {"rms_norm"}) == "rms_norm";
    if (sizeIn(json, "caption_projection_dim", 1152) != config.width())
        json.fail("caption_projection_dim",
            "must be num_attention_heads · attention_head_dim = " + std::to_string(config.width()));
    return config;
}

Sd3Transformer::Sd3Transformer(const Sd3Config& config)
    : m_config(config)
{
    requireMultiple("sample_size", config.sampleSize, "patch_size", config.patch);
    requireMultiple("num_attention_heads · attention_head_dim", config.width(),
        "the sine and cosine parts of a 2D position", 4);
    requireMultiple("num_attention_heads", config.heads, "engine.ulysses", config.sequence.ulyssesSize());
    for (const std::int64_t layer : config.dualLayers) {
        if (layer < 0 || layer >= config.layers)
            throw EngineError(EngineError::Kind::WrongUsage,
                "dual_attention_layers names block " + std::to_string(layer) + ", but the model has blocks 0 to "
                    + std::to_string(config.layers - 1));
    }
    std::vector<UnitSpec> blocks;
    for (std::int64_t i = 0; i < config.layers; ++i)
        blocks.push_back(declareBlock(i));
    m_plan = planUnits(declareRoot(), std::move(blocks), config.wrap);
}

UnitSpec Sd3Transformer::declareRoot()
{
    const std::int64_t width = m_config.width();
    SpecBuilder builder("root", "");
    m_root.patches = builder.convolution("pos_embed.proj", width, m_config.inChannels, {m_config.patch, m_config.patch});
    m_root.time1 = builder.linear("time_text_embed.timestep_embedder.linear_1", width, kTimeWidth);
    m_root.time2 = builder.linear("time_text_embed.timestep_embedder.linear_2", width, width);
    m_root.pooled1 = builder.linear("time_text_embed.text_embedder.linear_1", width, m_config.pooledWidth);
    m_root.pooled2 = builder.linear("time_text_embed.text_embedder.linear_2", width, width);
    m_root.prompt = builder.linear("context_embedder", width, m_config.promptWidth);
    m_root.finalAda = builder.linear("norm_out.linear", 2 * width, width, 0);
    m_root.final = builder.linear("proj_out", m_config.patch * m_config.patch * m_config.outChannels, width, 0);
    return builder.take();
}

UnitSpec Sd3Transformer::declareBlock(std::int64_t index)
{
    const std::string name = "transformer_blocks." + std::to_string(index);
    SpecBuilder builder(name, name + ".");
    m_blocks.emplace_back(builder, Sd3BlockForm {.heads = m_config.heads, .headSize = m_config.headSize,
        .normsQueries = m_config.normsQueries,
        .hasDualAttention = std::ranges::find(m_config.dualLayers, index) != m_config.dualLayers.end(),
        .isLast = index + 1 == m_config.layers});
    return builder.take();
}

at::Tensor Sd3Transformer::buffer(const std::string& name) const
{
    if (name != kPositionTable)
        return Model::buffer(name);
    if (m_positionTable.defined())
        return m_positionTable;
    const double step = static_cast<double>(m_config.sampleSize / m_config.patch) / static_cast<double>(m_config.positionSize);
    const PatchGrid whole {m_config.patch, m_config.positionSize, m_config.positionSize};
    return patchPositions(whole, 0, 0, step, step, m_config.width());
}

void Sd3Transformer::setBuffer(const ModelBuffer& buffer)
{
    if (buffer.name != kPositionTable)
        return Model::setBuffer(buffer);
    const std::vector<std::int64_t> shape = {1, m_config.positionSize * m_config.positionSize, m_config.width()};
    if (buffer.values.sizes() != at::IntArrayRef(shape)) {
        std::ostringstream text;
        text << kPositionTable << " of shape " << buffer.values.sizes() << " should be of " << at::IntArrayRef(shape);
        throw EngineError(EngineError::Kind::WrongUsage, text.str());
    }
    m_positionTable = buffer.values;
    m_tables.clear();
}

at::Tensor Sd3Transformer::positions(const PatchGrid& grid) const
{
    // Crops the middle of the table.
    const std::int64_t size = m_config.positionSize, top = (size - grid.rows) / 2, left = (size - grid.columns) / 2;
    if (m_positionTable.defined())
        return m_positionTable.view({size, size, -1}).narrow(0, top, grid.rows).narrow(1, left, grid.columns);
    const double step = static_cast<double>(m_config.sampleSize / m_config.patch) / static_cast<double>(size);
    return patchPositions(grid, top, left, step, step, m_config.width());
}

Var Sd3Transformer::conditionOf(
    Tape& tape, const BlockParameters& root, const ModelInput& input, at::ScalarType dtype) const
{
    const auto mlp = [&](Var x, const LinearPlace& first, const LinearPlace& second) {
        return linear(tape, silu(tape, linear(tape, x, root.linear(first))), root.linear(second));
    };
    const Var time = tape.input(sinusoid(timestepsOf(input, kTimestepsPerSigma), kTimeWidth, 1).to(dtype));
    const Var pooled = inputValue(tape, input.pooled.to(dtype), input.values ? &input.values->pooled : nullptr);
    return add(tape, mlp(time, m_root.time1, m_root.time2), mlp(pooled, m_root.pooled1, m_root.pooled2));
}

Var Sd3Transformer::forward(Tape& tape, const ModelInput& input) const
{
    const PatchGrid grid = PatchGrid::of(input.latents, m_config.inChannels, m_config.patch);
    if (std::max(grid.rows, grid.columns) > m_config.positionSize) {
        std::ostringstream text;
        text << "latents of shape " << input.latents.sizes() << ": the model takes at most "
             << m_config.positionSize * m_config.patch << " in height and width";
        throw EngineError(EngineError::Kind::WrongUsage, text.str());
    }
    requireRows("prompt embeddings", input.prompt, 3, input.latents.size(0), m_config.promptWidth);
    requireRows("pooled prompt embeddings", input.pooled, 2, input.latents.size(0), m_config.pooledWidth);
    const SequenceGroups& sequence = m_config.sequence;
    const auto [first, tokens] = ownTokens(grid.tokens(), sequence);
    const BlockParameters root(tape.root(), 0);
    const at::ScalarType dtype = tape.root().computeDtype();

    const Var latents = inputValue(tape, input.latents, input.values ? &input.values->latents : nullptr);
    Var image = embedPatches(tape, latents, grid, first, tokens, root.linear(m_root.patches));
    const at::Tensor table
        = m_tables.find(grid, dtype, input.latents.device(), m_config.width(), [&] { return positions(grid); });
    image = addConstant(tape, image, table.narrow(1, first, tokens));
    const Var condition = conditionOf(tape, root, input, dtype);
    const Var embeddings = inputValue(tape, input.prompt.to(dtype), input.values ? &input.values->prompt : nullptr);
    const Var prompt = linear(tape, embeddings, root.linear(m_root.prompt));
    tape.observe("pos_embed", image);
    tape.observe("time_text_embed", condition);
    tape.observe("context_embedder", prompt);

    const AttentionForm form {.heads = m_config.heads, .headSize = m_config.headSize};
    image = runBlocks(tape, m_plan, {image, prompt, condition},
        [this, &tape, form](std::size_t i, const BlockParameters& parameters, const std::vector<Var>& values) {
            const auto [next, nextPrompt]
                = m_blocks[i].run(tape, parameters, {values[0], values[1]}, values[2], form, m_config.sequence);
            tape.observe("transformer_blocks", i, 1, next);
            if (!nextPrompt)
                return std::vector<Var> {next};
            tape.observe("transformer_blocks", i, 0, nextPrompt);
            return std::vector<Var> {next, nextPrompt};
        }).front();

    const Var ada = linear(tape, silu(tape, condition), root.linear(m_root.finalAda));
    const Var normed = modulatedNorm(tape, image, ada, 1, 0);
    tape.observe("norm_out", normed);
    return unpatched(tape, gatherTokens(tape, linear(tape, normed, root.linear(m_root.final)), sequence), grid);
}

double Sd3Transformer::forwardFlops(const ModelInput& input) const
{
    const auto samples = static_cast<double>(input.latents.size(0)), width = static_cast<double>(m_config.width());
    const auto tokens = static_cast<double>(PatchGrid::of(input.latents, m_config.inChannels, m_config.patch).tokens());
    const auto promptTokens = static_cast<double>(input.prompt.size(1));
    const auto blocks = static_cast<double>(m_config.layers);
    const double patchSize = static_cast<double>(m_config.patch * m_config.patch);
    const double square = width * width, all = tokens + promptTokens;
    const double duals = static_cast<double>(m_config.dualLayers.size());
    const double projections = 12 * square * (blocks * all + duals / 3 * tokens - promptTokens * 10 / 12);
    const double scores = 2 * width * (blocks * all * all + duals * tokens * tokens);
    const double ends = tokens * width * patchSize * static_cast<double>(m_config.inChannels + m_config.outChannels)
        + promptTokens * width * static_cast<double>(m_config.promptWidth);
    const double modulation = square * (12 * blocks + 3 * duals);
    return 2 * samples * (projections + scores + ends + modulation);
}

std::map<std::string, std::string> Sd3Transformer::shapeOptions() const
{
    std::string dual;
    for (const std::int64_t layer : m_config.dualLayers)
        dual += (dual.empty() ? "" : ",") + std::to_string(layer);
    return {{"_class_name", "SD3Transformer2DModel"}, {"patch_size", std::to_string(m_config.patch)},
        {"in_channels", std::to_string(m_config.inChannels)}, {"out_channels", std::to_string(m_config.outChannels)},
        {"num_layers", std::to_string(m_config.layers)}, {"num_attention_heads", std::to_string(m_config.heads)},
        {"attention_head_dim", std::to_string(m_config.headSize)}, {"joint_attention_dim", std::to_string(m_config.promptWidth)},
        {"pooled_projection_dim", std::to_string(m_config.pooledWidth)},
        {"pos_embed_max_size", std::to_string(m_config.positionSize)}, {"sample_size", std::to_string(m_config.sampleSize)},
        {"dual_attention_layers", dual}, {"qk_norm", m_config.normsQueries ? "rms_norm" : ""}};
}

}  // namespace engine
