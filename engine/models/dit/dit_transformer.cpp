// Dims: B samples, N patches, D width.
#include "engine/models/dit/dit_transformer.h"

#include "engine/comm/errors.h"
#include "engine/models/transformer/model_checks.h"
#include "engine/models/transformer/model_config.h"
#include "engine/nn/layers.h"

namespace engine {
namespace {

constexpr std::int64_t kTimeFrequencies = 256;
constexpr double kTimestepsPerUnit = 1000;

}  // namespace

DitTransformerConfig DitTransformerConfig::fromJson(const contract::JsonConfig& json)
{
    json.requireKnown({"sample_size", "patch_size", "in_channels", "out_channels", "num_layers", "attention_head_dim",
        "num_attention_heads", "num_embeds_ada_norm", "attention_bias", "norm_eps", "activation_fn", "norm_type",
        "norm_elementwise_affine", "dropout",
        "upcast_attention",    // scores are always computed in float32
        "norm_num_groups"});   // only for models without patches
    DitTransformerConfig config;
    config.sampleSize = sizeIn(json, "sample_size", config.sampleSize);
    config.patch = sizeIn(json, "patch_size", config.patch, kLargestPatch);
    config.inChannels = sizeIn(json, "in_channels", config.inChannels);
    config.outChannels = sizeIn(json, "out_channels", config.inChannels);
    config.layers = sizeIn(json, "num_layers", config.layers, kMaxLayers);
    readHeads(json, config);
    config.classes = sizeIn(json, "num_embeds_ada_norm", config.classes);
    config.hasAttentionBias = json.flag("attention_bias", config.hasAttentionBias);
    config.normEpsilon = json.real("norm_eps", config.normEpsilon);
    choiceIn(json, "activation_fn", "gelu-approximate", {"gelu-approximate"});
    choiceIn(json, "norm_type", "ada_norm_zero", {"ada_norm_zero"});
    if (json.flag("norm_elementwise_affine", false))
        json.fail("norm_elementwise_affine", "must be false: norms with weights are not supported");
    if (json.real("dropout", 0.0) != 0)
        json.fail("dropout", "must be 0: dropout is not supported");
    return config;
}

DitTransformer::DitTransformer(const DitTransformerConfig& config)
    : m_config(config)
{
    requireMultiple("sample_size", config.sampleSize, "patch_size", config.patch);
    requireMultiple("num_attention_heads · attention_head_dim", config.width(),
        "the sine and cosine parts of a 2D position", 4);
    requireMultiple("num_attention_heads", config.heads, "engine.ulysses", config.sequence.ulyssesSize());
    std::vector<UnitSpec> blocks;
    for (std::int64_t i = 0; i < config.layers; ++i)
        blocks.push_back(declareBlock(i));
    m_plan = planUnits(declareRoot(), std::move(blocks), config.wrap);
}

UnitSpec DitTransformer::declareRoot()
{
    const std::int64_t width = m_config.width();
    SpecBuilder builder("root", "");
    m_root.patches = builder.convolution("pos_embed.proj", width, m_config.inChannels, {m_config.patch, m_config.patch});
    m_root.ada = builder.linear("proj_out_1", 2 * width, width, 0);
    m_root.final = builder.linear("proj_out_2", m_config.patch * m_config.patch * m_config.outChannels, width, 0);
    return builder.take();
}

UnitSpec DitTransformer::declareBlock(std::int64_t index)
{
    const std::int64_t width = m_config.width();
    const std::string name = "transformer_blocks." + std::to_string(index);
    SpecBuilder builder(name, name + ".");
    const auto projection = [&](const char* part) {
        return m_config.hasAttentionBias ? builder.linear(part, width, width) : builder.linearWithoutBias(part, width, width);
    };
    BlockPlaces places;
    places.time1 = builder.linear("norm1.emb.timestep_embedder.linear_1", width, kTimeFrequencies);
    places.time2 = builder.linear("norm1.emb.timestep_embedder.linear_2", width, width);
    places.labels = builder.parameter("norm1.emb.class_embedder.embedding_table.weight", {m_config.classes + 1, width}, kInitStd);
    places.ada = builder.linear("norm1.linear", 6 * width, width, 0);
    places.query = projection("attn1.to_q");
    places.key = projection("attn1.to_k");
    places.value = projection("attn1.to_v");
    places.out = builder.linear("attn1.to_out.0", width, width);
    places.up = builder.linear("ff.net.0.proj", 4 * width, width);
    places.down = builder.linear("ff.net.2", width, 4 * width);
    m_blocks.push_back(places);
    return builder.take();
}

void DitTransformer::check(const ModelInput& input) const
{
    const at::Tensor& labels = input.labels;
    // Values are checked on the host only: to look at them on a device would make the host wait for it in every pass.
    const auto isInRange = [&] { return labels.ge(0).all().item<bool>() && labels.le(m_config.classes).all().item<bool>(); };
    const bool fits = labels.defined() && labels.dim() == 1 && labels.size(0) == input.latents.size(0)
        && labels.scalar_type() == at::kLong && (!labels.is_cpu() || isInRange());
    if (!fits)
        throw EngineError(EngineError::Kind::WrongUsage,
            "labels: the model takes one whole number from 0 to " + std::to_string(m_config.classes) + " for each sample");
}

Var DitTransformer::forward(Tape& tape, const ModelInput& input) const
{
    const PatchGrid grid = PatchGrid::of(input.latents, m_config.inChannels, m_config.patch);
    check(input);
    const SequenceGroups& sequence = m_config.sequence;
    const auto [first, count] = ownTokens(grid.tokens(), sequence);
    const BlockParameters root(tape.root(), 0);
    const at::ScalarType dtype = tape.root().computeDtype();
    const at::Tensor positions = m_tables.find(grid, dtype, input.latents.device(), m_config.width(), [&] {
        const auto base = static_cast<double>(m_config.sampleSize / m_config.patch);
        return patchPositions(grid, 0, 0, base / static_cast<double>(grid.rows), base / static_cast<double>(grid.columns),
            m_config.width());
    });
    const at::Tensor time = sinusoid(timestepsOf(input, kTimestepsPerUnit), kTimeFrequencies, 1, 1);

    const Var latents = inputValue(tape, input.latents, input.values ? &input.values->latents : nullptr);
    Var tokens = embedPatches(tape, latents, grid, first, count, root.linear(m_root.patches));
    tokens = addConstant(tape, tokens, positions.narrow(1, first, count));
    tape.observe("pos_embed", tokens);

    // The output layer uses the embedding of the first block, which returns it in place of this unused second value.
    const Var unused = tape.make({input.latents.size(0), m_config.width()}, dtype, false);
    const std::vector<Var> values = runBlocks(tape, m_plan, {tokens, unused},
        [this, &tape, time, labels = input.labels](std::size_t index, const BlockParameters& parameters, const std::vector<Var>& given) {
            std::vector<Var> out = block(tape, index, parameters, given[0], time, labels);
            if (index > 0)
                out.resize(1);
            return out;
        });

    const Var ada = linear(tape, silu(tape, values[1]), root.linear(m_root.ada));
    const Var normed = modulatedNorm(tape, values[0], ada, 0, 1);
    return unpatched(tape, gatherTokens(tape, linear(tape, normed, root.linear(m_root.final)), sequence), grid);
}

std::vector<Var> DitTransformer::block(Tape& tape, std::size_t index, const BlockParameters& parameters, Var tokens,
    const at::Tensor& time, const at::Tensor& labels) const
{
    enum : std::int64_t { Shift1, Scale1, Gate1, Shift2, Scale2, Gate2 };
    const BlockPlaces& places = m_blocks[index];
    const auto project = [&](Var x, const LinearPlace& place) { return linear(tape, x, parameters.linear(place)); };

    const Var features = tape.input(time.to(tokens->data.scalar_type()));
    const Var timed = project(silu(tape, project(features, places.time1)), places.time2);
    const Var condition = addEmbedding(tape, timed, parameters[places.labels], labels);
    const Var ada = project(silu(tape, condition), places.ada);

    const Var normed = modulatedNorm(tape, tokens, ada, Shift1, Scale1);
    const Var qkv = linear(tape, normed, parameters.linears({places.query, places.key, places.value}));
    const Var mixed = attention(tape, qkv, m_config.heads, m_config.sequence);
    const Var attended = gatedAdd(tape, tokens, ada, Gate1, project(mixed, places.out));
    const Var h = gelu(tape, project(modulatedNorm(tape, attended, ada, Shift2, Scale2, m_config.normEpsilon), places.up));
    const Var out = gatedAdd(tape, attended, ada, Gate2, project(h, places.down));
    tape.observe("transformer_blocks", index, out);
    return {out, condition};
}

double DitTransformer::forwardFlops(const ModelInput& input) const
{
    const auto samples = static_cast<double>(input.latents.size(0)), width = static_cast<double>(m_config.width());
    const auto tokens = static_cast<double>(PatchGrid::of(input.latents, m_config.inChannels, m_config.patch).tokens());
    const auto blocks = static_cast<double>(m_config.layers);
    const double patchSize = static_cast<double>(m_config.patch * m_config.patch);
    const double perToken = blocks * 12 * width * width
        + width * patchSize * static_cast<double>(m_config.inChannels + m_config.outChannels);
    const double perSample = blocks * width * (7 * width + static_cast<double>(kTimeFrequencies)) + 2 * width * width;
    return 2 * samples * (tokens * perToken + perSample + blocks * 2 * tokens * tokens * width);
}

std::map<std::string, std::string> DitTransformer::shapeOptions() const
{
    return {{"_class_name", "DiTTransformer2DModel"}, {"patch_size", std::to_string(m_config.patch)},
        {"in_channels", std::to_string(m_config.inChannels)}, {"out_channels", std::to_string(m_config.outChannels)},
        {"num_layers", std::to_string(m_config.layers)}, {"num_attention_heads", std::to_string(m_config.heads)},
        {"attention_head_dim", std::to_string(m_config.headSize)}, {"num_embeds_ada_norm", std::to_string(m_config.classes)},
        {"sample_size", std::to_string(m_config.sampleSize)}, {"attention_bias", m_config.hasAttentionBias ? "true" : "false"}};
}

}  // namespace engine
