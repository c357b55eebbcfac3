#include "engine/contract/experiment/unsupported_options.h"

#include <algorithm>
#include <iterator>

namespace contract {
namespace {

struct UnsupportedOption {
    std::string_view name;
    std::string_view reason;
};

constexpr std::string_view kUndividedLayers
    = "no layer is divided over ranks; engine.shard_size divides the parameters, engine.ulysses and engine.ring the sequences";
constexpr std::string_view kAlwaysSharded
    = "parameters are always fully sharded, as with FSDP2; engine.shard_size sets the number of ranks that share them";

/// Rows E-018, E-050 and E-213.
constexpr UnsupportedOption kUnsupported[] = {
    {"model_parallel", kUndividedLayers},
    {"tensor_parallel", kUndividedLayers},
    {"pipeline_parallel", kUndividedLayers},
    {"context_parallel", "engine.ring divides sequences over ranks, engine.ulysses divides heads"},
    {"strategy", kAlwaysSharded},
    {"fsdp", kAlwaysSharded},
};

std::string_view lastPart(std::string_view key) { return key.substr(key.rfind('.') + 1); }

}  // namespace

bool isAlwaysSo(std::string_view key, std::string_view text)
{
    const std::string_view name = lastPart(key);
    if (name == "fsdp")
        return text == "true";
    if (text.size() > 1 && text.starts_with('"') && text.ends_with('"'))
        text = text.substr(1, text.size() - 2);
    return name == "strategy" && (text == "fsdp" || text == "fsdp2");
}

std::string_view whyUnsupported(std::string_view key)
{
    std::string_view name = lastPart(key);
    if (constexpr std::string_view kSize = "_size"; name.ends_with(kSize))
        name.remove_suffix(kSize.size());
    const auto found = std::ranges::find(kUnsupported, name, &UnsupportedOption::name);
    return found == std::end(kUnsupported) ? std::string_view() : found->reason;
}

}  // namespace contract
