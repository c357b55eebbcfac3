// Names of an adapter's tensors in the files that programs exchange (row E-105).
//
// PEFT                  base_model.model.<module>.lora_A.weight        with an adapter_config.json
// diffusers, a model    <module>.lora_A.weight
// diffusers, a pipeline transformer.<module>.lora_A.weight
// Kohya                 lora_unet_<module, with _ for .>.lora_down.weight, .lora_up.weight, .alpha; modules have the names
//                       of the original model (original_names.h), in which one layer may be several of diffusers'
// A, also called down, is [rank, in]; B, also called up, is [out, rank]; alpha is a single number.
#pragma once
#include "engine/contract/adapters/original_names.h"

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
    std::string module;  ///< path in the model, "transformer_blocks.0.attn.to_q"; for Kohya: OriginalLayer::name
    AdapterPart part = AdapterPart::A;

    auto operator<=>(const AdapterTensor&) const = default;
};

/// "PEFT", "Kohya": for messages.
std::string_view formName(AdapterForm form);

/// The name of @p tensor in a file of @p form.
std::string adapterTensorName(AdapterForm form, const AdapterTensor& tensor);

/// The parameter name of a matrix (A or B) of the adapter @p adapter in the model and its checkpoints:
/// "MODULE.lora_A.default.weight".
std::string adapterParameter(const AdapterTensor& matrix, const std::string& adapter);

struct AdapterNames {
    AdapterForm form = AdapterForm::Peft;
    std::map<AdapterTensor, std::string> tensors;  ///< → name in the file; the parts of a fused layer share one
    std::map<std::string, OriginalLayer> fused;    ///< by module: its layer in the file, where that is not the module itself
    std::vector<std::string> others;               ///< tensors of other components, such as a text encoder
};

/// Determines the form of a file and what each tensor is. Besides the names that adapterTensorName() writes, it accepts names
/// with an adapter's name ("lora_A.default.weight") or wrapper modules in them, lora_down for lora_A and vice versa in any
/// form, alpha in any form, and Kohya names with diffusers' module names, with dots ("diffusion_model.<module>…") or with the
/// prefix "lora_transformer_" or "lycoris_".
/// @param names of all tensors in the file
/// @param modules paths of the model's linear layers
/// @throws std::runtime_error in one sentence naming the first tensor that does not belong to an adapter, is of an
///         unsupported kind (DoRA, a bias), has no module or an ambiguous module in the model, or lacks its A or B.
AdapterNames readAdapterNames(const std::vector<std::string>& names, const std::vector<std::string>& modules);

}  // namespace contract
