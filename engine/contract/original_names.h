// What a transformer's own authors call the layers that diffusers calls otherwise: files for other programs use their names.
#pragma once
#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace contract {

/// A layer of the authors, and the layers of diffusers whose rows it has, one after another.
struct OriginalLayer {
    std::string name;                      ///< "double_blocks.0.img_attn.qkv"
    std::vector<std::string> parts;        ///< "transformer_blocks.0.attn.to_q", "….to_k", "….to_v"
    std::vector<std::int64_t> shares = {1};  ///< of the rows, of each part
    bool swapsHalves = false;              ///< the first half of its rows is the second of diffusers' (shift and scale)

    bool isOne() const { return parts.size() == 1 && !swapsHalves; }
};

/// Those of Wan, Flux and Stable Diffusion 3, which a model is recognised as by its layers; Qwen-Image's are diffusers' own.
class OriginalNames {
public:
    /// @param modules paths of all layers of the model
    explicit OriginalNames(const std::vector<std::string>& modules);

    /// The layer that @p module is, or is a part of: under its own name where authors and diffusers have the same.
    OriginalLayer of(const std::string& module) const;

private:
    enum class Family { Other, Flux, StableDiffusion3, Wan };

    OriginalLayer found(const std::string& module) const;

    std::set<std::string> m_modules;
    Family m_family = Family::Other;
    std::string m_lastContextNorm;  ///< of Stable Diffusion 3's last block
};

}  // namespace contract
