#include "engine/contract/adapters/adapter_names.h"

#include "engine/contract/formats/safetensors_header.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <stdexcept>
#include <utility>

namespace contract {
namespace {

constexpr std::string_view kPeftPrefix = "base_model.model.";
constexpr std::string_view kPipelinePrefix = "transformer.";
constexpr std::string_view kKohyaPrefix = "lora_unet_";
constexpr std::array<std::string_view, 3> kKohyaPrefixes = {kKohyaPrefix, "lora_transformer_", "lycoris_"};
constexpr std::string_view kDottedPrefix = "diffusion_model.";
constexpr std::array<std::string_view, 5> kOtherPrefixes = {"text_encoder.", "text_encoder_2.", "text_encoder_3.", "text_encoders.", "lora_te"};

[[noreturn]] void refuseTensor(const std::string& name, const std::string& what)
{
    throw std::runtime_error("tensor " + quotedName(name) + " " + what);
}

template <typename Prefixes>
std::optional<std::string_view> prefixOf(std::string_view name, const Prefixes& prefixes)
{
    for (const std::string_view prefix : prefixes) {
        if (name.starts_with(prefix))
            return prefix;
    }
    return std::nullopt;
}

std::string underscored(std::string path)
{
    std::ranges::replace(path, '.', '_');
    return path;
}

struct Ending {
    std::string_view module;  ///< the part of the name before the ending
    AdapterPart part;
};

/// Splits a tensor's name into the module and the kind of tensor. Throws when it is not a supported adapter tensor.
Ending endingOf(const std::string& whole)
{
    const std::string_view name = whole;
    if (name.ends_with(".alpha"))
        return {name.substr(0, name.size() - 6), AdapterPart::Alpha};
    constexpr std::array<std::pair<std::string_view, AdapterPart>, 4> kParts = {
        {{".lora_A.", AdapterPart::A}, {".lora_B.", AdapterPart::B}, {".lora_down.", AdapterPart::A}, {".lora_up.", AdapterPart::B}}};
    for (const auto& [middle, part] : kParts) {
        const std::size_t at = name.find(middle);
        if (at == std::string_view::npos)
            continue;
        // "weight", or "NAME.weight" with the name of an adapter.
        const std::string_view rest = name.substr(at + middle.size());
        if (rest == "weight" || (rest.ends_with(".weight") && rest.find('.') == rest.size() - 7))
            return {name.substr(0, at), part};
        refuseTensor(whole, "belongs to an adapter with more than two matrices per layer (a bias?), which is not supported");
    }
    if (name.find("lora_magnitude_vector") != std::string_view::npos || name.ends_with(".dora_scale"))
        refuseTensor(whole, "belongs to a DoRA adapter, which is not supported");
    if (name.find(".hada_w") != std::string_view::npos || name.find(".lokr_w") != std::string_view::npos)
        refuseTensor(whole, "belongs to a LyCORIS adapter (LoHa, LoKr), which is not supported");
    refuseTensor(whole, "does not belong to a LoRA adapter");
}

/// A path without the names that FSDP and PEFT wrappers insert.
std::string withoutWrappers(std::string module)
{
    for (const std::string_view wrapper : {std::string_view("_fsdp_wrapped_module."), std::string_view("base_layer.")}) {
        for (std::size_t at = module.find(wrapper); at != std::string::npos; at = module.find(wrapper))
            module.erase(at, wrapper.size());
    }
    return module;
}

/// Finds the module that a name in a file of one form refers to.
class ModuleFinder {
public:
    ModuleFinder(AdapterForm form, const std::vector<std::string>& modules)
        : m_form(form)
    {
        const OriginalNames originals(modules);
        for (const std::string& module : modules) {
            const bool isKohya = form == AdapterForm::Kohya;
            m_layers[isKohya ? underscored(module) : module].push_back({.name = module, .parts = {module}});
            const OriginalLayer layer = originals.layerFor(module);
            if (isKohya && layer.name != module && layer.parts.front() == module)
                m_layers[underscored(layer.name)].push_back(layer);
        }
    }

    const OriginalLayer& find(const std::string& name, std::string_view inFile) const
    {
        const auto found = m_layers.find(layerKey(inFile));
        if (found == m_layers.end())
            refuseTensor(name, "is for a layer that the model does not have (read as " + std::string(formName(m_form)) + ")");
        if (found->second.size() > 1)
            refuseTensor(name, "could be for " + found->second[0].name + " or for " + found->second[1].name);
        return found->second.front();
    }

private:
    /// The name in the file without prefixes and wrappers: a key of m_layers.
    std::string layerKey(std::string_view inFile) const
    {
        const auto without = [inFile](std::string_view prefix) { return withoutWrappers(std::string(inFile.substr(inFile.starts_with(prefix) ? prefix.size() : 0))); };
        switch (m_form) {
        case AdapterForm::Peft:
            return without(kPeftPrefix);
        case AdapterForm::DiffusersModel:
            return without("");
        case AdapterForm::DiffusersPipeline:
            return without(kPipelinePrefix);
        case AdapterForm::Kohya:
            break;
        }
        return underscored(without(prefixOf(inFile, kKohyaPrefixes).value_or(kDottedPrefix)));
    }

    AdapterForm m_form;
    std::map<std::string, std::vector<OriginalLayer>, std::less<>> m_layers;
};

/// The form of a file, from the first name in it that belongs to this component.
AdapterForm formOf(std::string_view name, const std::vector<std::string>& modules)
{
    if (name.starts_with(kPeftPrefix))
        return AdapterForm::Peft;
    if (prefixOf(name, kKohyaPrefixes) || name.starts_with(kDottedPrefix))
        return AdapterForm::Kohya;
    const bool modelHasPrefix = std::ranges::any_of(modules, [](const std::string& path) { return path.starts_with(kPipelinePrefix); });
    return name.starts_with(kPipelinePrefix) && !modelHasPrefix ? AdapterForm::DiffusersPipeline : AdapterForm::DiffusersModel;
}

void requireBothMatrices(const AdapterNames& names)
{
    for (const auto& [tensor, name] : names.tensors) {
        const auto other = tensor.part == AdapterPart::A ? AdapterPart::B : AdapterPart::A;
        if (!names.tensors.contains({tensor.module, other}))
            refuseTensor(name, std::string("has no ") + (other == AdapterPart::A ? "A (down)" : "B (up)")
                    + " for the same layer");
    }
}

}  // namespace

std::string_view formName(AdapterForm form)
{
    constexpr std::array<std::string_view, 4> kNames = {"PEFT", "diffusers, of a model", "diffusers, of a pipeline", "Kohya"};
    return kNames[static_cast<std::size_t>(form)];
}

std::string adapterTensorName(AdapterForm form, const AdapterTensor& tensor)
{
    const bool isKohya = form == AdapterForm::Kohya;
    std::string name(form == AdapterForm::Peft ? kPeftPrefix
            : form == AdapterForm::DiffusersPipeline ? kPipelinePrefix
            : isKohya                                ? kKohyaPrefix
                                                     : "");
    name += isKohya ? underscored(tensor.module) : tensor.module;
    switch (tensor.part) {
    case AdapterPart::A:
        return name + (isKohya ? ".lora_down.weight" : ".lora_A.weight");
    case AdapterPart::B:
        return name + (isKohya ? ".lora_up.weight" : ".lora_B.weight");
    case AdapterPart::Alpha:
        break;
    }
    return name + ".alpha";
}

std::string adapterParameter(const AdapterTensor& matrix, const std::string& adapter)
{
    return matrix.module + (matrix.part == AdapterPart::A ? ".lora_A." : ".lora_B.") + adapter + ".weight";
}

AdapterNames readAdapterNames(const std::vector<std::string>& names, const std::vector<std::string>& modules)
{
    AdapterNames result;
    std::optional<ModuleFinder> finder;
    for (const std::string& name : names) {
        if (prefixOf(name, kOtherPrefixes)) {
            result.others.push_back(name);
            continue;
        }
        const Ending ending = endingOf(name);
        if (!finder) {
            result.form = formOf(name, modules);
            finder.emplace(result.form, modules);
        }
        const OriginalLayer& layer = finder->find(name, ending.module);
        for (const std::string& module : layer.parts) {
            const auto [place, isNew] = result.tensors.emplace(AdapterTensor {module, ending.part}, name);
            if (!isNew)
                refuseTensor(name, "is for the same layer as " + quotedName(place->second));
            if (!layer.isOneToOne())
                result.fused.insert_or_assign(module, layer);
        }
    }
    if (result.tensors.empty())
        throw std::runtime_error("holds no adapter of this model");
    requireBothMatrices(result);
    return result;
}

}  // namespace contract
