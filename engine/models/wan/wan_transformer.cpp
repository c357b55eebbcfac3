// Dims: B samples, N video tokens, L prompt tokens, D width.
#include "engine/models/wan/wan_transformer.h"

#include "engine/comm/errors.h"
#include "engine/models/transformer/model_checks.h"
#include "engine/models/transformer/model_config.h"
#include "engine/nn/layers.h"
#include "engine/nn/rotary_positions.h"

#include <algorithm>
#include <numeric>
#include <sstream>

namespace engine {
namespace {

constexpr double kTimestepsPerSigma = 1000;

/// Adds the learned @p table [1, parts, D] to the modulation @p x [B, parts · D] computed from the timestep; in float32.
Var wanModulation(Tape& tape, Var x, Parameter& table)
{
    const std::int64_t batch = x->data.size(0), parts = table.value.size(1), width = table.value.size(2);
    const auto shaped = [&](Var value, const std::vector<std::int64_t>& shape) {
        return permuted(tape, value, {batch, parts, width}, {0, 1, 2}, shape, at::kFloat);
    };
    return shaped(addPositions(tape, shaped(x, {batch, parts, width}), table, 0), {batch, parts * width});
}

/// @p x in @p dtype.
Var converted(Tape& tape, Var x, at::ScalarType dtype)
{
    const auto shape = x->data.sizes().vec();
    std::vector<std::int64_t> order(shape.size());
    std::iota(order.begin(), order.end(), 0);
    return x->data.scalar_type() == dtype ? x : permuted(tape, x, shape, order, shape, dtype);
}

}  // namespace

WanConfig WanConfig::fromJson(const contract::JsonConfig& json)
{
    json.requireKnown({"patch_size", "in_channels", "out_channels", "num_layers", "attention_head_dim",
        "num_attention_heads", "text_dim", "freq_dim", "ffn_dim", "rope_max_seq_len", "eps", "cross_attn_norm", "qk_norm",
        "added_kv_proj_dim", "image_dim", "pos_embed_seq_len"});
    WanConfig config;
    const auto patch = json.integers("patch_size", std::vector<std::int64_t> {1, 2, 2});
    const auto isPatch = [](std::int64_t size) { return size >= 1 && size <= kLargestPatch; };
    if (patch.size() != config.patch.size() || !std::ranges::all_of(patch, isPatch))
        json.fail("patch_size", "must be three numbers from 1 to " + std::to_string(kLargestPatch));
    std::ranges::copy(patch, config.patch.begin());
    config.channels = sizeIn(json, "in_channels", config.channels);
    config.layers = sizeIn(json, "num_layers", config.layers, kMaxLayers);
    readHeads(json, config);
    config.promptWidth = sizeIn(json, "text_dim", config.promptWidth);
    config.timeWidth = sizeIn(json, "freq_dim", config.timeWidth);
    config.hiddenWidth = sizeIn(json, "ffn_dim", config.hiddenWidth);
    config.longestAxis = sizeIn(json, "rope_max_seq_len", config.longestAxis);
    config.epsilon = json.real("eps", config.epsilon);
    config.normsBeforePrompt = json.flag("cross_attn_norm", config.normsBeforePrompt);
    choiceIn(json, "qk_norm", "rms_norm_across_heads", {"rms_norm_across_heads"});
    if (sizeIn(json, "out_channels", config.channels) != config.channels)
        json.fail("out_channels", "must equal in_channels");
    for (const char* key : {"added_kv_proj_dim", "image_dim", "pos_embed_seq_len"}) {
        if (json.has(key))
            json.fail(key, "must be null: image-to-video models are not supported");
    }
    return config;
}

WanTransformer::WanTransformer(const WanConfig& config)
    : m_config(config)
{
    requireMultiple("attention_head_dim", config.headSize, "the elements of a rotation", 2);
    requireMultiple("freq_dim", config.timeWidth, "the sine and cosine parts", 2);
    requireMultiple("num_attention_heads", config.heads, "engine.ulysses", config.sequence.ulyssesSize());
    std::vector<UnitSpec> blocks;
    for (std::int64_t i = 0; i < config.layers; ++i)
        blocks.push_back(declareBlock(i));
    m_plan = planUnits(declareRoot(), std::move(blocks), config.wrap);
}

UnitSpec WanTransformer::declareRoot()
{
    const std::int64_t width = m_config.width();
    const auto [frames, rows, columns] = m_config.patch;
    SpecBuilder builder("root", "");
    m_root.patches = builder.convolution("patch_embedding", width, m_config.channels, {frames, rows, columns});
    m_root.time1 = builder.linear("condition_embedder.time_embedder.linear_1", width, m_config.timeWidth);
    m_root.time2 = builder.linear("condition_embedder.time_embedder.linear_2", width, width);
    m_root.timeProjection = builder.linear("condition_embedder.time_proj", 6 * width, width, 0);
    m_root.prompt1 = builder.linear("condition_embedder.text_embedder.linear_1", width, m_config.promptWidth);
    m_root.prompt2 = builder.linear("condition_embedder.text_embedder.linear_2", width, width);
    m_root.table = builder.parameter("scale_shift_table", {1, 2, width}, kInitStd);
    m_root.final = builder.linear("proj_out", frames * rows * columns * m_config.channels, width, 0);
    for (std::int64_t i = 0; i < m_config.layers; ++i) {
        const std::string block = "blocks." + std::to_string(i);
        FloatPlaces& places = m_root.blocks.emplace_back();
        places.table = builder.parameter(block + ".scale_shift_table", {1, 6, width}, kInitStd);
        if (m_config.normsBeforePrompt) {
            places.promptNormWeight = builder.normWeight(block + ".norm2", width);
            places.promptNormBias = builder.parameter(block + ".norm2.bias", {width}, 0);
        }
    }
    UnitSpec root = builder.take();
    for (ParameterSpec& parameter : root.parameters)
        parameter.isOfBlock = parameter.name.starts_with("blocks.");
    root.computesInFloat = true;
    return root;
}

WanTransformer::AttentionPlaces WanTransformer::declareAttention(SpecBuilder& builder, const std::string& name) const
{
    const std::int64_t width = m_config.width();
    AttentionPlaces places;
    places.query = builder.linear(name + ".to_q", width, width);
    places.key = builder.linear(name + ".to_k", width, width);
    places.value = builder.linear(name + ".to_v", width, width);
    places.queryNorm = builder.normWeight(name + ".norm_q", width);
    places.keyNorm = builder.normWeight(name + ".norm_k", width);
    places.out = builder.linear(name + ".to_out.0", width, width);
    return places;
}

UnitSpec WanTransformer::declareBlock(std::int64_t index)
{
    const std::int64_t width = m_config.width();
    const std::string name = "blocks." + std::to_string(index);
    SpecBuilder builder(name, name + ".");
    BlockPlaces places;
    places.self = declareAttention(builder, "attn1");
    places.prompt = declareAttention(builder, "attn2");
    places.up = builder.linear("ffn.net.0.proj", m_config.hiddenWidth, width);
    places.down = builder.linear("ffn.net.2", width, m_config.hiddenWidth);
    m_blocks.push_back(places);
    return builder.take();
}

WanTransformer::Grid WanTransformer::gridOf(const at::Tensor& latents) const
{
    const auto [frames, rows, columns] = m_config.patch;
    if (latents.dim() == 5 && latents.size(1) == m_config.channels && latents.size(2) % frames == 0
        && latents.size(3) % rows == 0 && latents.size(4) % columns == 0) {
        const Grid grid {latents.size(2) / frames, latents.size(3) / rows, latents.size(4) / columns};
        if (std::max({grid.frames, grid.rows, grid.columns}) <= m_config.longestAxis)
            return grid;
    }
    std::ostringstream text;
    text << "latents of shape " << latents.sizes() << ": the model takes [B, " << m_config.channels
         << ", frames, height, width] with multiples of " << frames << ", " << rows << " and " << columns << ", and at most "
         << m_config.longestAxis << " patches along each axis";
    throw EngineError(EngineError::Kind::WrongUsage, text.str());
}

AttentionForm WanTransformer::formOf(const Grid& grid, c10::Device device) const
{
    // A third of the element pairs encodes columns, a third rows, and the remaining pairs frames.
    const std::int64_t third = m_config.headSize / 6 * 2;
    AttentionForm form {.heads = m_config.heads, .headSize = m_config.headSize};
    form.rotary = m_rotaryTables.find({grid.frames, grid.rows, grid.columns}, device, [&] {
        return rotaryTable({.sizes = {m_config.headSize - 2 * third, third, third}},
            gridPositions(grid.frames, grid.rows, grid.columns), device);
    });
    return form;
}

at::ScalarType WanTransformer::blockDtype(Tape& tape) const
{
    const auto isInRoot = [](const UnitPlan::Place& place) { return place.unit == 0; };
    return std::ranges::any_of(m_plan.blocks, isInRoot) ? tape.root().computeDtype() : tape.unitDtype(1);
}

Var WanTransformer::embedded(Tape& tape, Var latents, const Grid& grid, const BlockParameters& root) const
{
    const auto [frames, rows, columns] = m_config.patch;
    const std::int64_t batch = latents->data.size(0), channels = m_config.channels;
    const Var patches = permuted(tape, latents, {batch, channels, grid.frames, frames, grid.rows, rows, grid.columns, columns},
        {0, 2, 4, 6, 1, 3, 5, 7}, {batch, grid.tokens(), channels * frames * rows * columns}, tape.root().computeDtype());
    const OwnTokens own = ownTokens(grid.tokens(), m_config.sequence);
    const Var here = own.count < grid.tokens() ? narrowed(tape, patches, 1, own.first, own.count) : patches;
    return linear(tape, here, root.linear(m_root.patches));
}

Var WanTransformer::unpatched(Tape& tape, Var tokens, const Grid& grid) const
{
    const auto [frames, rows, columns] = m_config.patch;
    const std::int64_t batch = tokens->data.size(0), channels = m_config.channels;
    return permuted(tape, tokens, {batch, grid.frames, grid.rows, grid.columns, frames, rows, columns, channels},
        {0, 7, 1, 4, 2, 5, 3, 6},
        {batch, channels, grid.frames * frames, grid.rows * rows, grid.columns * columns}, at::kFloat);
}

Var WanTransformer::attended(Tape& tape, const BlockParameters& parameters, const AttentionPlaces& places, Var queries,
    Var keys, const AttentionForm& form, const SequenceGroups& sequence) const
{
    const auto project = [&](Var x, const LinearPlace& place) { return linear(tape, x, parameters.linear(place)); };
    // Unlike in other models, the norms run over all heads together.
    const Var query = rmsNorm(tape, project(queries, places.query), parameters[places.queryNorm], m_config.epsilon);
    const Var key = rmsNorm(tape, project(keys, places.key), parameters[places.keyNorm], m_config.epsilon);
    AttentionStream stream {{query, 0}, {key, 0}, {project(keys, places.value), 0}};
    stream.isDivided = sequence.size() > 1;
    return project(attend(tape, {stream}, form, sequence).front(), places.out);
}

std::vector<Var> WanTransformer::block(Tape& tape, std::size_t index, const BlockParameters& parameters,
    const std::vector<Var>& values, const AttentionForm& form) const
{
    enum : std::int64_t { Shift1, Scale1, Gate1, Shift2, Scale2, Gate2 };
    const BlockPlaces& places = m_blocks[index];
    const FloatPlaces& inFloat = m_root.blocks[index];
    const BlockParameters root(tape.root(), 0);
    const Var x = values[0], prompt = values[1], time = values[2];
    const Var ada = wanModulation(tape, time, root[inFloat.table]);

    const Var normed = modulatedNorm(tape, x, ada, Shift1, Scale1, m_config.epsilon);
    const Var selfAttended = attended(tape, parameters, places.self, normed, normed, form, m_config.sequence);
    const Var afterSelf = gatedAdd(tape, x, ada, Gate1, selfAttended);

    const AttentionForm promptForm {.heads = form.heads, .headSize = form.headSize};
    const SequenceGroups undivided {nullptr, nullptr, m_config.sequence.kernel};  // each rank has the whole prompt
    const Var queries = inFloat.promptNormWeight
        ? layerNorm(tape, afterSelf, root[*inFloat.promptNormWeight], root[*inFloat.promptNormBias], m_config.epsilon)
        : afterSelf;
    const Var afterPrompt
        = add(tape, afterSelf, attended(tape, parameters, places.prompt, queries, prompt, promptForm, undivided));

    const Var mlpInput = modulatedNorm(tape, afterPrompt, ada, Shift2, Scale2, m_config.epsilon);
    const Var hidden = gelu(tape, linear(tape, mlpInput, parameters.linear(places.up)));
    const Var next = gatedAdd(tape, afterPrompt, ada, Gate2, linear(tape, hidden, parameters.linear(places.down)));
    tape.observe("blocks", index, next);
    return {next};
}

Var WanTransformer::forward(Tape& tape, const ModelInput& input) const
{
    const Grid grid = gridOf(input.latents);
    requireRows("prompt embeddings", input.prompt, 3, input.latents.size(0), m_config.promptWidth);
    const BlockParameters root(tape.root(), 0);
    const at::ScalarType dtype = tape.root().computeDtype();
    const auto project = [&](Var x, const LinearPlace& place) { return linear(tape, x, root.linear(place)); };

    const Var latents = inputValue(tape, input.latents, input.values ? &input.values->latents : nullptr);
    Var x = embedded(tape, latents, grid, root);
    const at::Tensor times = timestepsOf(input, kTimestepsPerSigma);
    const Var sines = tape.input(sinusoid(times, m_config.timeWidth, 1).to(dtype));
    const Var time = project(silu(tape, project(sines, m_root.time1)), m_root.time2);
    const Var modulation = project(silu(tape, time), m_root.timeProjection);
    const Var embeddings = inputValue(tape, input.prompt.to(dtype), input.values ? &input.values->prompt : nullptr);
    const Var prompt = project(gelu(tape, project(embeddings, m_root.prompt1)), m_root.prompt2);
    tape.observe("patch_embedding", x);
    tape.observe("condition_embedder", 0, time);
    tape.observe("condition_embedder", 1, modulation);
    tape.observe("condition_embedder", 2, prompt);

    const AttentionForm form = formOf(grid, input.latents.device());
    const at::ScalarType inBlocks = blockDtype(tape);
    x = runBlocks(tape, m_plan, {converted(tape, x, inBlocks), converted(tape, prompt, inBlocks), converted(tape, modulation, inBlocks)},
        [this, &tape, form](std::size_t index, const BlockParameters& parameters, const std::vector<Var>& values) {
            return block(tape, index, parameters, values, form);
        }).front();

    const Var ada = wanModulation(tape, concatenated(tape, {time, time}, 1), root[m_root.table]);
    const Var normed = modulatedNorm(tape, converted(tape, x, dtype), ada, 0, 1, m_config.epsilon);
    return unpatched(tape, gatherTokens(tape, project(normed, m_root.final), m_config.sequence), grid);
}

double WanTransformer::forwardFlops(const ModelInput& input) const
{
    const auto samples = static_cast<double>(input.latents.size(0)), tokens = static_cast<double>(gridOf(input.latents).tokens());
    const auto promptTokens = static_cast<double>(input.prompt.size(1));
    const auto width = static_cast<double>(m_config.width()), layers = static_cast<double>(m_config.layers);
    const auto [frames, rows, columns] = m_config.patch;
    const auto packed = static_cast<double>(frames * rows * columns * m_config.channels);
    const double perToken = 6 * width * width + 2 * width * static_cast<double>(m_config.hiddenWidth);
    const double projections = layers * (tokens * perToken + promptTokens * 2 * width * width);
    const double scores = 2 * width * layers * tokens * (tokens + promptTokens);
    const double ends = 2 * tokens * width * packed
        + promptTokens * width * (width + static_cast<double>(m_config.promptWidth));
    return 2 * samples * (projections + scores + ends + 7 * width * width);
}

std::map<std::string, std::string> WanTransformer::shapeOptions() const
{
    std::string patch;
    for (const std::int64_t size : m_config.patch)
        patch += (patch.empty() ? "" : ",") + std::to_string(size);
    return {{"_class_name", "WanTransformer3DModel"}, {"patch_size", patch},
        {"in_channels", std::to_string(m_config.channels)}, {"num_layers", std::to_string(m_config.layers)},
        {"num_attention_heads", std::to_string(m_config.heads)},
        {"attention_head_dim", std::to_string(m_config.headSize)}, {"ffn_dim", std::to_string(m_config.hiddenWidth)},
        {"text_dim", std::to_string(m_config.promptWidth)}, {"freq_dim", std::to_string(m_config.timeWidth)},
        {"cross_attn_norm", m_config.normsBeforePrompt ? "true" : "false"}};
}

}  // namespace engine
