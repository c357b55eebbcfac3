#include "engine/contract/adapters/adapter_config.h"

#include "engine/contract/formats/json_text.h"

#include <nlohmann/json.hpp>

#include <cmath>
#include <stdexcept>
#include <utility>

namespace contract {
namespace {

constexpr char kTransformerPrefix[] = "transformer.";

/// Whether a pattern's key selects @p module: it is the end of its path, or the whole path after "^".
bool matchesModule(const std::string& key, const std::string& module)
{
    return key.starts_with('^') ? module == key.substr(1) : !AdapterTargets::ofList({key}).matching({module}).empty();
}

/// The value of the longest key that selects @p module, or @p fallback.
template <typename Value>
Value valueFor(const std::string& module, const std::map<std::string, Value>& pattern, Value fallback)
{
    std::size_t longest = 0;
    for (const auto& [key, value] : pattern) {
        if (key.size() > longest && matchesModule(key, module)) {
            fallback = value;
            longest = key.size();
        }
    }
    return fallback;
}

AdapterTargets targetsOf(const JsonConfig& json, const std::string& key)
{
    if (!json.has(key))
        return {};
    return json.json().at(key).is_string() ? AdapterTargets::ofText(json.text(key)) : AdapterTargets::ofList(json.texts(key));
}

/// Throws for features that would change the adapter's result but are not supported.
void requirePlainLora(const JsonConfig& json, const std::string& prefix)
{
    if (json.text(prefix + "peft_type", "LORA") != "LORA")
        json.fail(prefix + "peft_type", "is not supported; supported: LORA");
    if (json.text(prefix + "bias", "none") != "none")
        json.fail(prefix + "bias", "is not supported; supported: none");
    for (const char* key : {"use_dora", "fan_in_fan_out", "lora_bias", "use_qalora", "use_bdlora"}) {
        if (json.flag(prefix + key, false))
            json.fail(prefix + key, "is true, which is not supported");
    }
    for (const char* key : {"modules_to_save", "target_parameters", "layer_replication", "trainable_token_indices"}) {
        if (json.has(prefix + key) && !json.json().at(prefix + key).empty())
            json.fail(prefix + key, "is set, which is not supported");
    }
}

}  // namespace

double AdapterConfig::scale(const std::string& module) const
{
    const auto ownRank = static_cast<double>(valueFor(module, rankPattern, rank));
    return valueFor(module, alphaPattern, alpha) / (usesRslora ? std::sqrt(ownRank) : ownRank);
}

AdapterConfig readAdapterConfig(const JsonConfig& json, const std::string& prefix)
{
    requirePlainLora(json, prefix);
    AdapterConfig config;
    config.rank = json.count(prefix + "r");
    config.alpha = json.real(prefix + "lora_alpha");
    config.usesRslora = json.flag(prefix + "use_rslora", false);
    config.dropout = json.real(prefix + "lora_dropout", 0.0);
    config.targets = targetsOf(json, prefix + "target_modules");
    config.excluded = targetsOf(json, prefix + "exclude_modules");
    if (json.has(prefix + "rank_pattern")) {
        const JsonConfig pattern = json.object(prefix + "rank_pattern");
        for (const auto& [end, value] : pattern.json().items())
            config.rankPattern[end] = pattern.count(end);
    }
    if (json.has(prefix + "alpha_pattern")) {
        const JsonConfig pattern = json.object(prefix + "alpha_pattern");
        for (const auto& [end, value] : pattern.json().items())
            config.alphaPattern[end] = pattern.real(end);
    }
    return config;
}

std::optional<AdapterConfig> adapterConfigIn(const SafetensorsMetadata& metadata, const std::filesystem::path& file)
{
    const auto found = metadata.find(kAdapterMetadata);
    if (found == metadata.end())
        return std::nullopt;
    const JsonConfig json(file, found->second);
    return readAdapterConfig(json, json.has(std::string(kTransformerPrefix) + "r") ? kTransformerPrefix : "");
}

std::string adapterConfigText(const AdapterConfig& config, const std::vector<std::string>& targets, const std::string& prefix)
{
    using Ordered = nlohmann::ordered_json;
    const auto number = [](double value) -> Ordered {
        if (std::trunc(value) == value && std::abs(value) < 1e9)
            return static_cast<std::int64_t>(value);  // PEFT writes an integral alpha as an integer
        return value;
    };
    Ordered alphas = Ordered::object();
    for (const auto& [end, value] : config.alphaPattern)
        alphas[end] = number(value);
    const std::pair<const char*, Ordered> entries[] = {{"alpha_pattern", alphas}, {"auto_mapping", nullptr}, {"base_model_name_or_path", nullptr}, {"bias", "none"},
        {"fan_in_fan_out", false}, {"inference_mode", true}, {"init_lora_weights", true}, {"lora_alpha", number(config.alpha)},
        {"lora_dropout", config.dropout}, {"modules_to_save", nullptr}, {"peft_type", "LORA"}, {"r", config.rank},
        {"rank_pattern", config.rankPattern.empty() ? Ordered::object() : Ordered(config.rankPattern)}, {"target_modules", targets},
        {"task_type", nullptr}, {"use_dora", false}, {"use_rslora", config.usesRslora}};
    Ordered json = Ordered::object();
    for (const auto& [key, value] : entries)
        json[prefix + key] = value;
    return jsonText(json, 2) + "\n";
}

}  // namespace contract
