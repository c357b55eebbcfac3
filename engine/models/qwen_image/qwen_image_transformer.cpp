// Dims: B samples, N image tokens, L prompt tokens, D width.
#include "engine/models/qwen_image/qwen_image_transformer.h"

#include "engine/models/transformer/model_checks.h"
#include "engine/models/transformer/model_config.h"
#include "engine/nn/layers.h"
#include "engine/nn/packed_latents.h"
#include "engine/nn/rotary_positions.h"

#include <ATen/ops/cat.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/zeros_like.h>

#include <algorithm>

namespace engine {
namespace {

constexpr std::int64_t kQwenTimeWidth = 256;
constexpr double kQwenTimeScale = 1000;
constexpr JointBlockNames kQwenNames {"img_mod.1", "txt_mod.1", "img_mlp", "txt_mlp"};

/// Positions (frame, row, column) of the prompt tokens, then of all images. Image i has frame i, and its rows and columns are
/// counted from the image's centre. A prompt token has one position for all axes, starting beyond the largest row or column.
at::Tensor qwenPositions(std::int64_t promptTokens, const std::vector<PatchGrid>& images)
{
    std::vector<at::Tensor> positions(1);
    std::int64_t edge = 0, frame = 0;
    for (const PatchGrid& grid : images) {
        const std::int64_t rows = grid.rows, columns = grid.columns;
        positions.push_back(
            gridPositions(1, rows, columns, {.frame = frame++, .row = rows / 2 - rows, .column = columns / 2 - columns}));
        edge = std::max({edge, rows / 2, columns / 2});
    }
    const at::Tensor prompt = gridPositions(1, 1, promptTokens, {.column = edge}).select(1, 2);
    positions.front() = prompt.unsqueeze(1).expand({promptTokens, 3});
    return at::cat(positions);
}

}  // namespace

QwenImageConfig QwenImageConfig::fromJson(const contract::JsonConfig& json)
{
    json.requireKnown({"patch_size", "in_channels", "out_channels", "num_layers", "attention_head_dim",
        "num_attention_heads", "joint_attention_dim", "axes_dims_rope", "guidance_embeds", "zero_cond_t",
        "use_additional_t_cond", "use_layer3d_rope", "pooled_projection_dim"});
    QwenImageConfig config;
    config.patch = sizeIn(json, "patch_size", config.patch, kLargestPatch);
    config.channels = sizeIn(json, "out_channels", config.channels);
    config.layers = sizeIn(json, "num_layers", config.layers, kMaxLayers);
    readHeads(json, config);
    config.promptWidth = sizeIn(json, "joint_attention_dim", config.promptWidth);
    config.rotaryAxes = rotaryAxesIn(json, config.rotaryAxes, config.headSize);
    config.hasZeroReferenceTime = json.flag("zero_cond_t", false);
    for (const char* key : {"guidance_embeds", "use_additional_t_cond", "use_layer3d_rope"}) {
        if (json.flag(key, false))
            json.fail(key, "must be false: this variant of the model is not supported");
    }
    const std::int64_t packed = config.patch * config.patch * config.channels;
    if (sizeIn(json, "in_channels", 64) != packed)
        json.fail("in_channels", "must be patch_size² · out_channels = " + std::to_string(packed));
    return config;
}

QwenImageTransformer::QwenImageTransformer(const QwenImageConfig& config)
    : m_config(config)
{
    requireMultiple("num_attention_heads", config.heads, "engine.ulysses", config.sequence.ulyssesSize());
    std::vector<UnitSpec> blocks;
    for (std::int64_t i = 0; i < config.layers; ++i) {
        const std::string name = "transformer_blocks." + std::to_string(i);
        SpecBuilder builder(name, name + ".");
        m_blocks.emplace_back(builder, kQwenNames, config.width(), config.headSize);
        blocks.push_back(builder.take());
    }
    m_plan = planUnits(declareRoot(), std::move(blocks), config.wrap);
}

UnitSpec QwenImageTransformer::declareRoot()
{
    const std::int64_t width = m_config.width(), packed = m_config.patch * m_config.patch * m_config.channels;
    SpecBuilder builder("root", "");
    m_root.time1 = builder.linear("time_text_embed.timestep_embedder.linear_1", width, kQwenTimeWidth);
    m_root.time2 = builder.linear("time_text_embed.timestep_embedder.linear_2", width, width);
    m_root.promptNorm = builder.normWeight("txt_norm", m_config.promptWidth);
    m_root.patches = builder.linear("img_in", width, packed);
    m_root.prompt = builder.linear("txt_in", width, m_config.promptWidth);
    m_root.finalAda = builder.linear("norm_out.linear", 2 * width, width, 0);
    m_root.final = builder.linear("proj_out", packed, width, 0);
    return builder.take();
}

QwenImageTransformer::Grids QwenImageTransformer::gridsOf(const ModelInput& input) const
{
    Grids grids;
    grids.images.push_back(PatchGrid::of(input.latents, m_config.channels, m_config.patch));
    requireReferencesFit(*this, input);
    for (const at::Tensor& reference : input.references)
        grids.images.push_back(PatchGrid::of(reference, m_config.channels, m_config.patch));
    for (const PatchGrid& grid : grids.images)
        grids.tokens += grid.tokens();
    return grids;
}

Var QwenImageTransformer::embedded(
    Tape& tape, const ModelInput& input, const Grids& grids, const OwnTokens& own, const LinearWeights& weights) const
{
    const Var latents = inputValue(tape, input.latents, input.values ? &input.values->latents : nullptr);
    if (input.references.empty())
        return embedPatches(tape, latents, grids.generated(), own.first, own.count, weights);
    const at::ScalarType dtype = tape.root().computeDtype();
    std::vector<Var> rows = {patchRows(tape, latents, grids.generated(), dtype)};
    for (std::size_t i = 0; i < input.references.size(); ++i)
        rows.push_back(patchRows(tape, tape.input(input.references[i].contiguous()), grids.images[i + 1], dtype));
    const Var all = concatenated(tape, rows, 1);
    return linear(tape, own.count < grids.tokens ? narrowed(tape, all, 1, own.first, own.count) : all, weights);
}

AttentionForm QwenImageTransformer::formOf(const ModelInput& input, const Grids& grids) const
{
    const std::int64_t tokens = input.prompt.size(1);
    const RotaryAxes axes {.sizes = m_config.rotaryAxes, .precision = at::kFloat};
    AttentionForm form {.heads = m_config.heads, .headSize = m_config.headSize};
    std::vector<std::int64_t> shape = {tokens};
    for (const PatchGrid& grid : grids.images)
        shape.insert(shape.end(), {grid.rows, grid.columns});
    const c10::Device device = input.latents.device();
    form.rotary = m_rotaryTables.find(shape, device, [&] { return rotaryTable(axes, qwenPositions(tokens, grids.images), device); });
    if (input.promptMask.defined()) {
        const at::Tensor mask = input.promptMask.to(at::kBool);
        form.keyBias = keyBias(at::cat({mask, at::ones({mask.size(0), grids.tokens}, mask.options())}, 1));
    }
    return form;
}

Var QwenImageTransformer::forward(Tape& tape, const ModelInput& input) const
{
    const Grids grids = gridsOf(input);
    requireRows("prompt embeddings", input.prompt, 3, input.latents.size(0), m_config.promptWidth);
    const OwnTokens own = ownTokens(grids.tokens, m_config.sequence);
    const BlockParameters root(tape.root(), 0);
    const at::ScalarType dtype = tape.root().computeDtype();
    const auto project = [&](Var x, const LinearPlace& place) { return linear(tape, x, root.linear(place)); };

    Var image = embedded(tape, input, grids, own, root.linear(m_root.patches));
    const Var embeddings = inputValue(tape, input.prompt.to(dtype), input.values ? &input.values->prompt : nullptr);
    const Var prompt = project(rmsNorm(tape, embeddings, root[m_root.promptNorm]), m_root.prompt);
    const auto conditionAt = [&](const at::Tensor& times) {
        const Var time = tape.input(sinusoid(times, kQwenTimeWidth, kQwenTimeScale).to(dtype));
        return project(silu(tape, project(time, m_root.time1)), m_root.time2);
    };
    // Rounded to the model's dtype, as in the reference implementation.
    const at::Tensor times = timestepsOf(input, 1).to(dtype).to(at::kFloat);
    const Var condition = conditionAt(times);
    tape.observe("img_in", image);
    tape.observe("txt_in", prompt);
    tape.observe("time_text_embed", condition);

    const std::int64_t ownGenerated = std::clamp<std::int64_t>(grids.generated().tokens() - own.first, 0, own.count);
    const std::int64_t zeroTimeTokens = m_config.hasZeroReferenceTime ? own.count - ownGenerated : 0;
    std::vector<Var> values = {image, prompt, condition};
    if (zeroTimeTokens > 0)
        values.push_back(conditionAt(at::zeros_like(times)));
    const AttentionForm form = formOf(input, grids);
    image = runBlocks(tape, m_plan, values,
        [this, &tape, form, zeroTimeTokens](std::size_t i, const BlockParameters& parameters, const std::vector<Var>& in) {
            const LastTokens last {zeroTimeTokens, zeroTimeTokens > 0 ? silu(tape, in[3]) : nullptr};
            const auto [next, nextPrompt]
                = m_blocks[i].run(tape, parameters, {in[0], in[1]}, silu(tape, in[2]), form, m_config.sequence, last);
            tape.observe("transformer_blocks", i, 0, nextPrompt);
            tape.observe("transformer_blocks", i, 1, next);
            return std::vector<Var> {next, nextPrompt};
        }).front();

    const Var normed = modulatedNorm(tape, image, project(silu(tape, condition), m_root.finalAda), 1, 0);
    tape.observe("norm_out", normed);
    const Var all = gatherTokens(tape, project(normed, m_root.final), m_config.sequence);
    const PatchGrid& generated = grids.generated();
    return unpacked(tape, input.references.empty() ? all : narrowed(tape, all, 1, 0, generated.tokens()), generated);
}

double QwenImageTransformer::forwardFlops(const ModelInput& input) const
{
    const auto samples = static_cast<double>(input.latents.size(0)), promptTokens = static_cast<double>(input.prompt.size(1));
    const auto tokens = static_cast<double>(gridsOf(input).tokens);
    const auto width = static_cast<double>(m_config.width()), blocks = static_cast<double>(m_config.layers);
    const auto packed = static_cast<double>(m_config.patch * m_config.patch * m_config.channels);
    const double all = tokens + promptTokens;
    const double projections = 12 * width * width * blocks * all;
    const double scores = 2 * width * blocks * all * all;
    const double ends = 2 * tokens * width * packed + promptTokens * width * static_cast<double>(m_config.promptWidth);
    const double modulation = width * width * (12 * blocks + 3);
    return 2 * samples * (projections + scores + ends + modulation);
}

std::map<std::string, std::string> QwenImageTransformer::shapeOptions() const
{
    return {{"_class_name", "QwenImageTransformer2DModel"}, {"patch_size", std::to_string(m_config.patch)},
        {"out_channels", std::to_string(m_config.channels)}, {"num_layers", std::to_string(m_config.layers)},
        {"num_attention_heads", std::to_string(m_config.heads)},
        {"attention_head_dim", std::to_string(m_config.headSize)},
        {"joint_attention_dim", std::to_string(m_config.promptWidth)}};
}

}  // namespace engine
