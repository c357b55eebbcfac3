// Dims: B samples, N patches, L tokens of the prompt, D width.
#include "engine/model/sd3_transformer.h"

#include "engine/comm/errors.h"
#include "engine/model/layers.h"
#include "engine/model/model_config.h"

#include <algorithm>
#include <sstream>

namespace engine {
namespace {

constexpr std::int64_t kTimeWidth = 256;
constexpr double kTimestepsPerSigma = 1000;

[[noreturn]] void refuseInput(const char* what, const at::Tensor& given, const std::string& wanted)
{
    std::ostringstream text;
    text << what;
    if (given.defined())
        text << " of shape " << given.sizes();
    else
        text << " are missing";
    text << ": the model takes " << wanted;
    throw EngineError(EngineError::Kind::WrongUsage, text.str());
}

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
    config.layers = sizeIn(json, "num_layers", config.layers, kMostLayers);
    config.headSize = sizeIn(json, "attention_head_dim", config.headSize);
    config.heads = sizeIn(json, "num_attention_heads", config.heads);
    if (config.width() > kLargestWidth)
        json.fail("num_attention_heads", "· attention_head_dim must be at most " + std::to_string(kLargestWidth));
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
    requireMultiple("num_attention_heads · attention_head_dim", config.width(), "the parts of a position", 4);
    requireMultiple("num_attention_heads", config.heads, "engine.ulysses", config.sequence.ulyssesSize());
    for (const std::int64_t layer : config.dualLayers) {
        if (layer < 0 || layer >= config.layers)
            throw EngineError(EngineError::Kind::WrongUsage,
                "dual_attention_layers names block " + std::to_string(layer) + " of " + std::to_string(config.layers));
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

/// @param names of queries, keys, values and, where there are norms, those of queries and keys
Sd3Transformer::AttentionPlaces Sd3Transformer::declareAttention(
    SpecBuilder& builder, const std::vector<std::string>& names) const
{
    const std::int64_t width = m_config.width();
    AttentionPlaces places;
    places.query = builder.linear(names[0], width, width);
    places.key = builder.linear(names[1], width, width);
    places.value = builder.linear(names[2], width, width);
    if (m_config.normsQueries) {
        places.queryNorm = builder.normWeight(names[3], m_config.headSize);
        places.keyNorm = builder.normWeight(names[4], m_config.headSize);
    }
    return places;
}

UnitSpec Sd3Transformer::declareBlock(std::int64_t index)
{
    const std::int64_t width = m_config.width();
    const std::string name = "transformer_blocks." + std::to_string(index);
    SpecBuilder builder(name, name + ".");
    BlockPlaces places;
    places.hasDual = std::ranges::find(m_config.dualLayers, index) != m_config.dualLayers.end();
    places.isLast = index + 1 == m_config.layers;
    places.ada = builder.linear("norm1.linear", (places.hasDual ? 9 : 6) * width, width, 0);
    places.promptAda = builder.linear("norm1_context.linear", (places.isLast ? 2 : 6) * width, width, 0);
    places.image = declareAttention(builder, {"attn.to_q", "attn.to_k", "attn.to_v", "attn.norm_q", "attn.norm_k"});
    places.prompt = declareAttention(builder,
        {"attn.add_q_proj", "attn.add_k_proj", "attn.add_v_proj", "attn.norm_added_q", "attn.norm_added_k"});
    places.out = builder.linear("attn.to_out.0", width, width);
    if (!places.isLast)
        places.promptOut = builder.linear("attn.to_add_out", width, width);
    if (places.hasDual) {
        places.dual = declareAttention(builder, {"attn2.to_q", "attn2.to_k", "attn2.to_v", "attn2.norm_q", "attn2.norm_k"});
        places.dualOut = builder.linear("attn2.to_out.0", width, width);
    }
    places.up = builder.linear("ff.net.0.proj", 4 * width, width);
    places.down = builder.linear("ff.net.2", width, 4 * width);
    if (!places.isLast) {
        places.promptUp = builder.linear("ff_context.net.0.proj", 4 * width, width);
        places.promptDown = builder.linear("ff_context.net.2", width, 4 * width);
    }
    m_blocks.push_back(places);
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
    m_crops.clear();
}

at::Tensor Sd3Transformer::positions(const PatchGrid& grid, at::ScalarType dtype, c10::Device device) const
{
    const auto isIt = [&](const Crop& crop) {
        return crop.grid.rows == grid.rows && crop.grid.columns == grid.columns && crop.table.scalar_type() == dtype
            && crop.table.device() == device;
    };
    if (const auto found = std::ranges::find_if(m_crops, isIt); found != m_crops.end())
        return found->table;
    // The middle of the table.
    const std::int64_t size = m_config.positionSize, top = (size - grid.rows) / 2, left = (size - grid.columns) / 2;
    at::Tensor table;
    if (m_positionTable.defined()) {
        table = m_positionTable.view({size, size, -1}).narrow(0, top, grid.rows).narrow(1, left, grid.columns);
    } else {
        const double step = static_cast<double>(m_config.sampleSize / m_config.patch) / static_cast<double>(size);
        table = patchPositions(grid, top, left, step, step, m_config.width());
    }
    table = table.to(device, dtype).reshape({1, grid.tokens(), m_config.width()});
    m_crops.push_back({grid, table});
    return table;
}

void Sd3Transformer::check(const ModelInput& input) const
{
    const auto isRows = [&](const at::Tensor& x, std::int64_t dims, std::int64_t width) {
        return x.defined() && x.dim() == dims && x.size(0) == input.latents.size(0) && x.size(dims - 1) == width;
    };
    if (!isRows(input.prompt, 3, m_config.promptWidth))
        refuseInput("prompt embeddings", input.prompt, "[B, tokens, " + std::to_string(m_config.promptWidth) + "]");
    if (!isRows(input.pooled, 2, m_config.pooledWidth))
        refuseInput("pooled prompt embeddings", input.pooled, "[B, " + std::to_string(m_config.pooledWidth) + "]");
}

Var Sd3Transformer::conditionOf(
    Tape& tape, const BlockParameters& rest, const ModelInput& input, at::ScalarType dtype) const
{
    const auto mlp = [&](Var x, const LinearPlace& first, const LinearPlace& second) {
        return linear(tape, silu(tape, linear(tape, x, rest.linear(first))), rest.linear(second));
    };
    const Var time = tape.input(sinusoid(timestepsOf(input, kTimestepsPerSigma), kTimeWidth, 1).to(dtype));
    const Var pooled = inputValue(tape, input.pooled.to(dtype), input.values ? &input.values->pooled : nullptr);
    return add(tape, mlp(time, m_root.time1, m_root.time2), mlp(pooled, m_root.pooled1, m_root.pooled2));
}

Var Sd3Transformer::forward(Tape& tape, const ModelInput& input) const
{
    const PatchGrid grid = PatchGrid::of(input.latents, m_config.inChannels, m_config.patch);
    if (std::max(grid.rows, grid.columns) > m_config.positionSize)
        refuseInput("latents", input.latents,
            "at most " + std::to_string(m_config.positionSize * m_config.patch) + " in height and width");
    check(input);
    const SequenceGroups& sequence = m_config.sequence;
    requireMultiple("the number of patches", grid.tokens(), "the ranks of a sequence", sequence.size());
    const std::int64_t tokens = grid.tokens() / sequence.size(), first = tokens * sequence.rank();
    const BlockParameters rest(tape.root(), 0);
    const at::ScalarType dtype = tape.root().computeDtype();

    const Var latents = inputValue(tape, input.latents, input.values ? &input.values->latents : nullptr);
    Var image = embedPatches(tape, latents, grid, first, tokens, rest.linear(m_root.patches));
    image = addConstant(tape, image, positions(grid, dtype, input.latents.device()).narrow(1, first, tokens));
    const Var condition = conditionOf(tape, rest, input, dtype);
    const Var embeddings = inputValue(tape, input.prompt.to(dtype), input.values ? &input.values->prompt : nullptr);
    const Var prompt = linear(tape, embeddings, rest.linear(m_root.prompt));
    tape.observe("pos_embed", image);
    tape.observe("time_text_embed", condition);
    tape.observe("context_embedder", prompt);

    image = runBlocks(tape, m_plan, {image, prompt, condition},
        [this, &tape](std::size_t index, const BlockParameters& parameters, const std::vector<Var>& values) {
            return block(tape, index, parameters, values);
        }).front();

    const Var ada = linear(tape, silu(tape, condition), rest.linear(m_root.finalAda));
    const Var normed = modulatedNorm(tape, image, ada, 1, 0);
    tape.observe("norm_out", normed);
    return unpatched(tape, gatherTokens(tape, linear(tape, normed, rest.linear(m_root.final)), sequence), grid);
}

AttentionStream Sd3Transformer::streamOf(
    Tape& tape, const BlockParameters& parameters, const AttentionPlaces& places, Var tokens) const
{
    return AttentionStream::of(linear(tape, tokens, parameters.linears({places.query, places.key, places.value})),
        parameters.find(places.queryNorm), parameters.find(places.keyNorm));
}

std::vector<Var> Sd3Transformer::block(
    Tape& tape, std::size_t index, const BlockParameters& parameters, const std::vector<Var>& values) const
{
    enum : std::int64_t { Shift1, Scale1, Gate1, Shift2, Scale2, Gate2, DualShift, DualScale, DualGate };
    const BlockPlaces& places = m_blocks[index];
    const AttentionForm form {.heads = m_config.heads, .headSize = m_config.headSize};
    const auto weights = [&](Var x, const LinearPlace& place) { return linear(tape, x, parameters.linear(place)); };
    const auto feedForward = [&](Var x, Var ada, const LinearPlace& up, const LinearPlace& down) {
        const Var h = gelu(tape, weights(modulatedNorm(tape, x, ada, Shift2, Scale2), up));
        return gatedAdd(tape, x, ada, Gate2, weights(h, down));
    };
    Var image = values[0], prompt = values[1];
    const Var condition = silu(tape, values[2]);
    const Var ada = weights(condition, places.ada), promptAda = weights(condition, places.promptAda);

    const Var normed = modulatedNorm(tape, image, ada, Shift1, Scale1);
    // The last block's prompt is only looked at: it has no queries, and its scale stands before its shift.
    const Var promptNormed = places.isLast ? modulatedNorm(tape, prompt, promptAda, 1, 0)
                                           : modulatedNorm(tape, prompt, promptAda, Shift1, Scale1);
    AttentionStream promptStream;
    if (places.isLast) {
        const Var both = linear(tape, promptNormed, parameters.linears({places.prompt.key, places.prompt.value}));
        promptStream = {{}, {both, 0}, {both, 1}, nullptr, parameters.find(places.prompt.keyNorm), false};
    } else {
        promptStream = streamOf(tape, parameters, places.prompt, promptNormed);
    }
    AttentionStream imageStream = streamOf(tape, parameters, places.image, normed);
    imageStream.isDivided = true;
    const std::vector<Var> attended = attend(tape, {imageStream, promptStream}, form, m_config.sequence);

    Var next = gatedAdd(tape, image, ada, Gate1, weights(attended[0], places.out));
    if (places.hasDual) {
        const Var again = modulatedNorm(tape, image, ada, DualShift, DualScale);
        AttentionStream alone = streamOf(tape, parameters, places.dual, again);
        alone.isDivided = true;
        const Var mixed = attend(tape, {alone}, form, m_config.sequence).front();
        next = gatedAdd(tape, next, ada, DualGate, weights(mixed, places.dualOut));
    }
    image = feedForward(next, ada, places.up, places.down);
    tape.observe("transformer_blocks", index, 1, image);
    if (places.isLast)
        return {image};
    prompt = gatedAdd(tape, prompt, promptAda, Gate1, weights(attended[1], places.promptOut));
    prompt = feedForward(prompt, promptAda, places.promptUp, places.promptDown);
    tape.observe("transformer_blocks", index, 0, prompt);
    return {image, prompt};
}

double Sd3Transformer::forwardFlops() const
{
    constexpr double kPromptTokens = 333;  // what the pipeline brings
    const auto edge = static_cast<double>(m_config.sampleSize / m_config.patch), width = static_cast<double>(m_config.width());
    const double tokens = edge * edge, blocks = static_cast<double>(m_config.layers);
    const double patchSize = static_cast<double>(m_config.patch * m_config.patch);
    const double square = width * width, all = tokens + kPromptTokens;
    const double duals = static_cast<double>(m_config.dualLayers.size());
    const double projections = 12 * square * (blocks * all + duals / 3 * tokens - kPromptTokens * 10 / 12);
    const double scores = 2 * width * (blocks * all * all + duals * tokens * tokens);
    const double ends = tokens * width * patchSize * static_cast<double>(m_config.inChannels + m_config.outChannels)
        + kPromptTokens * width * static_cast<double>(m_config.promptWidth);
    const double modulation = square * (12 * blocks + 3 * duals);
    return 2 * (projections + scores + ends + modulation);
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
