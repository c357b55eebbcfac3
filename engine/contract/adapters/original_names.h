// Layer names of the original model implementations, which differ from diffusers'. Kohya's files use the original names.
#pragma once
#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace contract {

/// A layer of the original model, and the diffusers layers whose rows it concatenates.
struct OriginalLayer {
    std::string name;                      ///< "double_blocks.0.img_attn.qkv"
    std::vector<std::string> parts;        ///< "transformer_blocks.0.attn.to_q", "….to_k", "….to_v"
    std::vector<std::int64_t> shares = {1};  ///< relative number of rows of each part
    bool swapsHalves = false;              ///< diffusers has the two halves of its rows (shift, scale) in reverse order

    /// Whether the layer has the same rows as a single diffusers layer.
    bool isOneToOne() const { return parts.size() == 1 && !swapsHalves; }
};

/// Original layer names for Wan, Flux and Stable Diffusion 3, which are recognised by their layers. Other models, such as
/// Qwen-Image, have the same names in diffusers.
class OriginalNames {
public:
    /// @param modules paths of all layers of the model
    explicit OriginalNames(const std::vector<std::string>& modules);

    /// The original layer that @p module is or is a part of. It has the name of @p module where the names are the same, or
    /// where the model lacks another part of the layer.
    OriginalLayer layerFor(const std::string& module) const;

private:
    enum class Family { Other, Flux, StableDiffusion3, Wan };

    OriginalLayer lookUp(const std::string& module) const;

    std::set<std::string> m_modules;
    Family m_family = Family::Other;
    std::string m_lastContextNorm;  ///< path in the last block of Stable Diffusion 3
};

}  // namespace contract
