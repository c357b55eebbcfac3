// Names of an adapter's tensors in the files that programs exchange (row E-105).
//
// PEFT                  base_model.model.<module>.lora_A.weight        beside adapter_config.json
// diffusers, a model    <module>.lora_A.weight
// diffusers, a pipeline transformer.<module>.lora_A.weight
// Kohya                 lora_unet_<module, with _ for .>.lora_down.weight, .lora_up.weight, .alpha; modules by the names that
//                       their authors gave them (original_names.h), also where one of theirs is several of diffusers'
// A is [rank, in] and also called down; B is [out, rank] and also called up; alpha is one number.
#pragma once
#include "engine/contract/original_names.h"

#include <compare>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace contract {

enum class AdapterForm { Peft, DiffusersModel, DiffusersPipeline, Kohya };
enum class AdapterPart { A, B, Alpha };

struct AdapterTensor {
    std::string module;  ///< path in the model: "transformer_blocks.0.attn.to_q"; in names of Kohya's OriginalLayer::name
    AdapterPart part = AdapterPart::A;

    auto operator<=>(const AdapterTensor&) const = default;
};

/// "PEFT", "Kohya": for messages.
std::string_view formName(AdapterForm form);

/// How a file of that form calls it.
std::string adapterTensorName(AdapterForm form, const AdapterTensor& tensor);

/// What the model itself and its checkpoints call a matrix of a named adapter, A or B: "MODULE.lora_A.default.weight".
std::string adapterParameter(const AdapterTensor& matrix, const std::string& adapter);

struct AdapterNames {
    AdapterForm form = AdapterForm::Peft;
    std::map<AdapterTensor, std::string> tensors;  ///< → its name in the file, which the parts of a fused layer share
    std::map<std::string, OriginalLayer> fused;    ///< by module: the layer that the file has, where it is not the module itself
    std::vector<std::string> others;               ///< of other components: a text encoder's
};

/// Finds the form of a file and what its tensors are. Taken besides what adapterTensorName() writes: names of an adapter
/// ("lora_A.default.weight") and of wrappers within, lora_down for lora_A and the other way round in any form, alpha in any
/// form, Kohya's with diffusers' names of modules, with dots kept ("diffusion_model.<module>…") or for "lora_transformer_".
/// @param modules paths of the model's linear layers
/// @throws std::runtime_error in one sentence naming the first tensor that is none of an adapter, or of a kind that is
///         not known here (DoRA, a bias), or whose module the model has not or two modules could be, and a module with A
///         alone or B alone.
AdapterNames readAdapterNames(const std::vector<std::string>& names, const std::vector<std::string>& modules);

}  // namespace contract
