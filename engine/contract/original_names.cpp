#include "engine/contract/original_names.h"

#include <array>
#include <string_view>
#include <utility>

namespace contract {

std::string originalName(const std::string& module)
{
    using Pair = std::pair<std::string_view, std::string_view>;
    constexpr std::array kLayers = {Pair {".attn1.to_q", ".self_attn.q"}, Pair {".attn1.to_k", ".self_attn.k"}, Pair {".attn1.to_v", ".self_attn.v"},
        Pair {".attn1.to_out.0", ".self_attn.o"}, Pair {".attn2.to_q", ".cross_attn.q"}, Pair {".attn2.to_k", ".cross_attn.k"},
        Pair {".attn2.to_v", ".cross_attn.v"}, Pair {".attn2.to_out.0", ".cross_attn.o"}, Pair {".attn2.add_k_proj", ".cross_attn.k_img"},
        Pair {".attn2.add_v_proj", ".cross_attn.v_img"}, Pair {".ffn.net.0.proj", ".ffn.0"}, Pair {".ffn.net.2", ".ffn.2"}};
    if (!module.starts_with("blocks."))
        return module;
    for (const auto& [ending, original] : kLayers) {
        if (module.ends_with(ending))
            return module.substr(0, module.size() - ending.size()) + std::string(original);
    }
    return module;
}

}  // namespace contract
