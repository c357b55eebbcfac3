#include "engine/contract/adapters/original_names.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

namespace contract {
namespace {

/// One or more diffusers layers, separated by commas, and the name of the original layer that combines them.
struct NamePair {
    std::string_view diffusers, original;
    bool swapsHalves = false;
    std::int64_t lastShare = 1;
};

constexpr std::array kWanBlock = {NamePair {"attn1.to_q", "self_attn.q"}, NamePair {"attn1.to_k", "self_attn.k"}, NamePair {"attn1.to_v", "self_attn.v"},
    NamePair {"attn1.to_out.0", "self_attn.o"}, NamePair {"attn2.to_q", "cross_attn.q"}, NamePair {"attn2.to_k", "cross_attn.k"},
    NamePair {"attn2.to_v", "cross_attn.v"}, NamePair {"attn2.to_out.0", "cross_attn.o"}, NamePair {"attn2.add_k_proj", "cross_attn.k_img"},
    NamePair {"attn2.add_v_proj", "cross_attn.v_img"}, NamePair {"ffn.net.0.proj", "ffn.0"}, NamePair {"ffn.net.2", "ffn.2"}};

constexpr std::array kFluxBlock = {NamePair {"attn.to_q,attn.to_k,attn.to_v", "img_attn.qkv"},
    NamePair {"attn.add_q_proj,attn.add_k_proj,attn.add_v_proj", "txt_attn.qkv"}, NamePair {"attn.to_out.0", "img_attn.proj"},
    NamePair {"attn.to_add_out", "txt_attn.proj"}, NamePair {"norm1.linear", "img_mod.lin"}, NamePair {"norm1_context.linear", "txt_mod.lin"},
    NamePair {"ff.net.0.proj", "img_mlp.0"}, NamePair {"ff.net.2", "img_mlp.2"}, NamePair {"ff_context.net.0.proj", "txt_mlp.0"},
    NamePair {"ff_context.net.2", "txt_mlp.2"}};

constexpr std::array kFluxSingleBlock = {NamePair {"attn.to_q,attn.to_k,attn.to_v,proj_mlp", "linear1", false, 4},
    NamePair {"proj_out", "linear2"}, NamePair {"norm.linear", "modulation.lin"}};

constexpr std::array kFluxRoot = {NamePair {"x_embedder", "img_in"}, NamePair {"context_embedder", "txt_in"},
    NamePair {"time_text_embed.timestep_embedder.linear_1", "time_in.in_layer"}, NamePair {"time_text_embed.timestep_embedder.linear_2", "time_in.out_layer"},
    NamePair {"time_text_embed.guidance_embedder.linear_1", "guidance_in.in_layer"}, NamePair {"time_text_embed.guidance_embedder.linear_2", "guidance_in.out_layer"},
    NamePair {"time_text_embed.text_embedder.linear_1", "vector_in.in_layer"}, NamePair {"time_text_embed.text_embedder.linear_2", "vector_in.out_layer"},
    NamePair {"norm_out.linear", "final_layer.adaLN_modulation.1", true}, NamePair {"proj_out", "final_layer.linear"}};

constexpr std::array kSd3Block = {NamePair {"attn.to_q,attn.to_k,attn.to_v", "x_block.attn.qkv"},
    NamePair {"attn.add_q_proj,attn.add_k_proj,attn.add_v_proj", "context_block.attn.qkv"}, NamePair {"attn2.to_q,attn2.to_k,attn2.to_v", "x_block.attn2.qkv"},
    NamePair {"attn.to_out.0", "x_block.attn.proj"}, NamePair {"attn.to_add_out", "context_block.attn.proj"}, NamePair {"attn2.to_out.0", "x_block.attn2.proj"},
    NamePair {"norm1.linear", "x_block.adaLN_modulation.1"}, NamePair {"norm1_context.linear", "context_block.adaLN_modulation.1"},
    NamePair {"ff.net.0.proj", "x_block.mlp.fc1"}, NamePair {"ff.net.2", "x_block.mlp.fc2"}, NamePair {"ff_context.net.0.proj", "context_block.mlp.fc1"},
    NamePair {"ff_context.net.2", "context_block.mlp.fc2"}};

constexpr std::array kSd3Root = {NamePair {"time_text_embed.timestep_embedder.linear_1", "t_embedder.mlp.0"},
    NamePair {"time_text_embed.timestep_embedder.linear_2", "t_embedder.mlp.2"}, NamePair {"time_text_embed.text_embedder.linear_1", "y_embedder.mlp.0"},
    NamePair {"time_text_embed.text_embedder.linear_2", "y_embedder.mlp.2"}, NamePair {"norm_out.linear", "final_layer.adaLN_modulation.1", true},
    NamePair {"proj_out", "final_layer.linear"}};

std::vector<std::string> partsOf(const std::string& prefix, std::string_view names)
{
    std::vector<std::string> parts;
    for (std::size_t begin = 0; begin <= names.size();) {
        const std::size_t end = std::min(names.find(',', begin), names.size());
        parts.push_back(prefix + std::string(names.substr(begin, end - begin)));
        begin = end + 1;
    }
    return parts;
}

/// @param prefix of the block in diffusers, with its dot
/// @param original prefix of the block in the original model, with its dot
template <typename Pairs>
std::optional<OriginalLayer> layerAmong(const Pairs& pairs, const std::string& module, const std::string& prefix, const std::string& original)
{
    for (const NamePair& pair : pairs) {
        const std::vector<std::string> parts = partsOf(prefix, pair.diffusers);
        if (std::ranges::find(parts, module) == parts.end())
            continue;
        std::vector<std::int64_t> shares(parts.size(), 1);
        shares.back() = pair.lastShare;
        return OriginalLayer {original + std::string(pair.original), parts, shares, pair.swapsHalves};
    }
    return std::nullopt;
}

/// The block's prefix of a path, such as "transformer_blocks.3."; empty when the path is not below @p blocks.
std::string blockOf(const std::string& module, const std::string& blocks)
{
    const std::size_t dot = module.find('.', blocks.size());
    return module.starts_with(blocks) && dot != std::string::npos ? module.substr(0, dot + 1) : std::string();
}

constexpr char kBlocks[] = "transformer_blocks.", kSingleBlocks[] = "single_transformer_blocks.", kWanBlocks[] = "blocks.";

}  // namespace

OriginalNames::OriginalNames(const std::vector<std::string>& modules)
    : m_modules(modules.begin(), modules.end())
{
    const auto hasAny = [&](auto isIt) { return std::ranges::any_of(modules, isIt); };
    if (hasAny([](const std::string& module) { return module.starts_with(kSingleBlocks); }))
        m_family = Family::Flux;
    else if (hasAny([](const std::string& module) { return module.starts_with(kBlocks) && module.ends_with(".norm1_context.linear"); }))
        m_family = Family::StableDiffusion3;
    else if (hasAny([](const std::string& module) { return module.starts_with(kWanBlocks) && module.find(".attn1.") != std::string::npos; }))
        m_family = Family::Wan;
    std::size_t blocks = 0;
    while (m_modules.contains(kBlocks + std::to_string(blocks) + ".norm1_context.linear"))
        ++blocks;
    if (blocks > 0)
        m_lastContextNorm = kBlocks + std::to_string(blocks - 1) + ".norm1_context.linear";
}

OriginalLayer OriginalNames::layerFor(const std::string& module) const
{
    OriginalLayer layer = lookUp(module);
    const auto isMissing = [this](const std::string& part) { return !m_modules.contains(part); };
    if (std::ranges::any_of(layer.parts, isMissing))
        return {.name = module, .parts = {module}};
    return layer;
}

OriginalLayer OriginalNames::lookUp(const std::string& module) const
{
    const std::string block = blockOf(module, kBlocks), single = blockOf(module, kSingleBlocks), wan = blockOf(module, kWanBlocks);
    const auto renamed = [](const std::string& own, const char* from, const char* to) { return to + own.substr(std::string_view(from).size()); };
    std::optional<OriginalLayer> layer;
    if (m_family == Family::Flux)
        layer = !block.empty() ? layerAmong(kFluxBlock, module, block, renamed(block, kBlocks, "double_blocks."))
            : !single.empty()  ? layerAmong(kFluxSingleBlock, module, single, renamed(single, kSingleBlocks, "single_blocks."))
                               : layerAmong(kFluxRoot, module, "", "");
    else if (m_family == Family::StableDiffusion3)
        layer = block.empty() ? layerAmong(kSd3Root, module, "", "") : layerAmong(kSd3Block, module, block, renamed(block, kBlocks, "joint_blocks."));
    else if (m_family == Family::Wan && !wan.empty())
        layer = layerAmong(kWanBlock, module, wan, wan);
    if (!layer)
        return {.name = module, .parts = {module}};
    layer->swapsHalves |= m_family == Family::StableDiffusion3 && module == m_lastContextNorm;
    return *layer;
}

}  // namespace contract
