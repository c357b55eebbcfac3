// Dims: B samples, N image tokens, L prompt tokens, D width.
#include "engine/models/flux/flux_transformer.h"

#include "engine/models/transformer/model_checks.h"
#include "engine/models/transformer/model_config.h"
#include "engine/nn/layers.h"
#include "engine/nn/packed_latents.h"
#include "engine/nn/rotary_positions.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/zeros.h>

namespace engine {
namespace {

constexpr std::int64_t kFluxTimeWidth = 256;
constexpr JointBlockNames kFluxNames {"norm1.linear", "norm1_context.linear", "ff", "ff_context"};

/// Sinusoidal features of x · 1000. The product is rounded to the model's dtype, as in the reference. @param x [B] float32
at::Tensor fluxSinusoid(const at::Tensor& x, at::ScalarType dtype)
{
    constexpr double kScale = 1000;
    return sinusoid((x.to(dtype) * kScale).to(at::kFloat), kFluxTimeWidth, 1).to(dtype);
}

}  // namespace

FluxConfig FluxConfig::fromJson(const contract::JsonConfig& json)
{
    json.requireKnown({"patch_size", "in_channels", "out_channels", "num_layers", "num_single_layers",
        "attention_head_dim", "num_attention_heads", "joint_attention_dim", "pooled_projection_dim", "guidance_embeds",
        "axes_dims_rope"});
    FluxConfig config;
    config.packedChannels = sizeIn(json, "in_channels", config.packedChannels);
    config.jointLayers = sizeIn(json, "num_layers", config.jointLayers, kMaxLayers);
    config.singleLayers = sizeIn(json, "num_single_layers", config.singleLayers, kMaxLayers);
    readHeads(json, config);
    config.promptWidth = sizeIn(json, "joint_attention_dim", config.promptWidth);
    config.pooledWidth = sizeIn(json, "pooled_projection_dim", config.pooledWidth);
    config.hasGuidance = json.flag("guidance_embeds", config.hasGuidance);
    config.rotaryAxes = rotaryAxesIn(json, config.rotaryAxes, config.headSize);
    if (sizeIn(json, "patch_size", 1) != 1)
        json.fail("patch_size", "must be 1");
    if (sizeIn(json, "out_channels", config.packedChannels) != config.packedChannels)
        json.fail("out_channels", "must equal in_channels");
    if (config.packedChannels % (kPackedEdge * kPackedEdge) != 0)
        json.fail("in_channels", "must be a multiple of 4, the latent elements of a token");
    return config;
}

FluxTransformer::FluxTransformer(const FluxConfig& config)
    : m_config(config)
{
    requireMultiple("num_attention_heads", config.heads, "engine.ulysses", config.sequence.ulyssesSize());
    std::vector<UnitSpec> blocks;
    for (std::int64_t i = 0; i < config.jointLayers; ++i) {
        const std::string name = "transformer_blocks." + std::to_string(i);
        SpecBuilder builder(name, name + ".");
        m_jointBlocks.emplace_back(builder, kFluxNames, config.width(), config.headSize);
        blocks.push_back(builder.take());
    }
    for (std::int64_t i = 0; i < config.singleLayers; ++i)
        blocks.push_back(declareSingle(i));
    m_plan = planUnits(declareRoot(), std::move(blocks), config.wrap);
}

UnitSpec FluxTransformer::declareRoot()
{
    const std::int64_t width = m_config.width();
    SpecBuilder builder("root", "");
    const auto mlp = [&](const std::string& name, std::int64_t in) {
        const std::string prefix = "time_text_embed." + name;
        return Mlp {builder.linear(prefix + ".linear_1", width, in), builder.linear(prefix + ".linear_2", width, width)};
    };
    m_root.time = mlp("timestep_embedder", kFluxTimeWidth);
    if (m_config.hasGuidance)
        m_root.guidance = mlp("guidance_embedder", kFluxTimeWidth);
    m_root.pooled = mlp("text_embedder", m_config.pooledWidth);
    m_root.prompt = builder.linear("context_embedder", width, m_config.promptWidth);
    m_root.patches = builder.linear("x_embedder", width, m_config.packedChannels);
    m_root.finalAda = builder.linear("norm_out.linear", 2 * width, width, 0);
    m_root.final = builder.linear("proj_out", m_config.packedChannels, width, 0);
    return builder.take();
}

UnitSpec FluxTransformer::declareSingle(std::int64_t index)
{
    const std::int64_t width = m_config.width();
    const std::string name = "single_transformer_blocks." + std::to_string(index);
    SpecBuilder builder(name, name + ".");
    SinglePlaces places;
    places.ada = builder.linear("norm.linear", 3 * width, width, 0);
    places.query = builder.linear("attn.to_q", width, width);
    places.key = builder.linear("attn.to_k", width, width);
    places.value = builder.linear("attn.to_v", width, width);
    places.queryNorm = builder.normWeight("attn.norm_q", m_config.headSize);
    places.keyNorm = builder.normWeight("attn.norm_k", m_config.headSize);
    places.up = builder.linear("proj_mlp", 4 * width, width);
    places.out = builder.linear("proj_out", width, 5 * width);
    m_singleBlocks.push_back(places);
    return builder.take();
}

Var FluxTransformer::conditionOf(Tape& tape, const BlockParameters& root, const ModelInput& input) const
{
    const at::ScalarType dtype = tape.root().computeDtype();
    const auto mlp = [&](Var x, const Mlp& places) {
        return linear(tape, silu(tape, linear(tape, x, root.linear(places.up))), root.linear(places.down));
    };
    Var condition = mlp(tape.input(fluxSinusoid(timestepsOf(input, 1), dtype)), m_root.time);
    if (m_config.hasGuidance)
        condition = add(tape, condition, mlp(tape.input(fluxSinusoid(input.guidance, dtype)), m_root.guidance));
    const Var pooled = inputValue(tape, input.pooled.to(dtype), input.values ? &input.values->pooled : nullptr);
    return add(tape, condition, mlp(pooled, m_root.pooled));
}

AttentionForm FluxTransformer::formOf(const ModelInput& input, const PatchGrid& grid) const
{
    AttentionForm form {.heads = m_config.heads, .headSize = m_config.headSize};
    const c10::Device device = input.latents.device();
    form.rotary = m_rotaryTables.find({input.prompt.size(1), grid.rows, grid.columns}, device, [&] {
        // All prompt tokens have position 0.
        const at::Tensor prompt = at::zeros({input.prompt.size(1), 3}, at::kDouble);
        const at::Tensor positions = at::cat({prompt, gridPositions(1, grid.rows, grid.columns)});
        return rotaryTable({.sizes = m_config.rotaryAxes}, positions, device);
    });
    return form;
}

Var FluxTransformer::forward(Tape& tape, const ModelInput& input) const
{
    const std::int64_t channels = m_config.packedChannels / (kPackedEdge * kPackedEdge);
    const PatchGrid grid = PatchGrid::of(input.latents, channels, kPackedEdge);
    const std::int64_t batch = input.latents.size(0);
    requireRows("prompt embeddings", input.prompt, 3, batch, m_config.promptWidth);
    requireRows("pooled prompt embeddings", input.pooled, 2, batch, m_config.pooledWidth);
    if (m_config.hasGuidance)
        requireRows("guidance scales", input.guidance, 1, batch, 1);
    const OwnTokens own = ownTokens(grid.tokens(), m_config.sequence);
    const BlockParameters root(tape.root(), 0);
    const at::ScalarType dtype = tape.root().computeDtype();

    const Var latents = inputValue(tape, input.latents, input.values ? &input.values->latents : nullptr);
    Var image = embedPatches(tape, latents, grid, own.first, own.count, root.linear(m_root.patches));
    const Var condition = conditionOf(tape, root, input);
    const Var embeddings = inputValue(tape, input.prompt.to(dtype), input.values ? &input.values->prompt : nullptr);
    const Var prompt = linear(tape, embeddings, root.linear(m_root.prompt));
    tape.observe("x_embedder", image);
    tape.observe("time_text_embed", condition);
    tape.observe("context_embedder", prompt);

    const AttentionForm form = formOf(input, grid);
    image = runBlocks(tape, m_plan, {image, prompt, condition},
        [this, &tape, form](std::size_t index, const BlockParameters& parameters, const std::vector<Var>& values) {
            return block(tape, index, parameters, values, form);
        }).front();

    const Var ada = linear(tape, silu(tape, condition), root.linear(m_root.finalAda));
    const Var normed = modulatedNorm(tape, image, ada, 1, 0);
    tape.observe("norm_out", normed);
    return unpacked(tape, gatherTokens(tape, linear(tape, normed, root.linear(m_root.final)), m_config.sequence), grid);
}

std::vector<Var> FluxTransformer::block(Tape& tape, std::size_t index, const BlockParameters& parameters,
    const std::vector<Var>& values, const AttentionForm& form) const
{
    const JointBlock::Tokens tokens {values[0], values[1]};
    const Var condition = silu(tape, values[2]);
    const bool isJoint = index < m_jointBlocks.size();
    const std::size_t own = isJoint ? index : index - m_jointBlocks.size();
    const JointBlock::Tokens next = isJoint
        ? m_jointBlocks[own].run(tape, parameters, tokens, condition, form, m_config.sequence)
        : single(tape, m_singleBlocks[own], parameters, tokens, condition, form);
    const char* name = isJoint ? "transformer_blocks" : "single_transformer_blocks";
    tape.observe(name, own, 0, next.prompt);
    tape.observe(name, own, 1, next.image);
    return {next.image, next.prompt};
}

JointBlock::Tokens FluxTransformer::single(Tape& tape, const SinglePlaces& places, const BlockParameters& parameters,
    const JointBlock::Tokens& tokens, Var condition, const AttentionForm& form) const
{
    enum : std::int64_t { Shift, Scale, Gate };
    const Var joint = concatenated(tape, {tokens.prompt, tokens.image}, 1);
    const Var ada = linear(tape, condition, parameters.linear(places.ada));
    const Var normed = modulatedNorm(tape, joint, ada, Shift, Scale);
    const Var qkv = linear(tape, normed, parameters.linears({places.query, places.key, places.value}));
    const std::int64_t promptTokens = tokens.prompt->data.size(1), imageTokens = tokens.image->data.size(1);
    const auto stream = [&](std::int64_t first, std::int64_t count, bool isDivided) {
        AttentionStream own = AttentionStream::of(
            narrowed(tape, qkv, 1, first, count), &parameters[places.queryNorm], &parameters[places.keyNorm]);
        own.isDivided = isDivided;
        return own;
    };
    const Var attended = concatenated(tape,
        attend(tape, {stream(0, promptTokens, false), stream(promptTokens, imageTokens, true)}, form, m_config.sequence), 1);
    const Var hidden = gelu(tape, linear(tape, normed, parameters.linear(places.up)));
    const Var both = concatenated(tape, {attended, hidden}, 2);
    const Var next = clampedInHalf(tape, gatedAdd(tape, joint, ada, Gate, linear(tape, both, parameters.linear(places.out))));
    return {narrowed(tape, next, 1, promptTokens, imageTokens), narrowed(tape, next, 1, 0, promptTokens)};
}

double FluxTransformer::forwardFlops(const ModelInput& input) const
{
    const std::int64_t channels = m_config.packedChannels / (kPackedEdge * kPackedEdge);
    const auto samples = static_cast<double>(input.latents.size(0)), promptTokens = static_cast<double>(input.prompt.size(1));
    const auto tokens = static_cast<double>(PatchGrid::of(input.latents, channels, kPackedEdge).tokens());
    const auto width = static_cast<double>(m_config.width());
    const auto layers = static_cast<double>(m_config.jointLayers + m_config.singleLayers);
    const double all = tokens + promptTokens;
    const double projections = 12 * width * width * layers * all;
    const double scores = 2 * width * layers * all * all;
    const double ends = 2 * tokens * width * static_cast<double>(m_config.packedChannels)
        + promptTokens * width * static_cast<double>(m_config.promptWidth);
    const double modulation = width * width
        * (12 * static_cast<double>(m_config.jointLayers) + 3 * static_cast<double>(m_config.singleLayers) + 4);
    return 2 * samples * (projections + scores + ends + modulation);
}

std::map<std::string, std::string> FluxTransformer::shapeOptions() const
{
    return {{"_class_name", "FluxTransformer2DModel"}, {"in_channels", std::to_string(m_config.packedChannels)},
        {"num_layers", std::to_string(m_config.jointLayers)},
        {"num_single_layers", std::to_string(m_config.singleLayers)},
        {"num_attention_heads", std::to_string(m_config.heads)},
        {"attention_head_dim", std::to_string(m_config.headSize)},
        {"joint_attention_dim", std::to_string(m_config.promptWidth)},
        {"pooled_projection_dim", std::to_string(m_config.pooledWidth)},
        {"guidance_embeds", m_config.hasGuidance ? "true" : "false"}};
}

}  // namespace engine
