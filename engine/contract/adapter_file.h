// An adapter as a file of any of the four forms holds it: which layers it is for, and how much of it is added.
#pragma once
#include "engine/contract/adapter_names.h"
#include "engine/contract/matrix_window.h"
#include "engine/contract/safetensors_set.h"

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace contract {

struct AdapterFile {
    struct Layer {
        std::string module;
        std::int64_t rank = 0;
        double scale = 0;  ///< what B (A x) is multiplied by
    };

    SafetensorsSet files;
    AdapterNames names;
    std::vector<Layer> layers;  ///< in the order of their paths
    std::map<AdapterTensor, MatrixWindow> matrices;  ///< A and B of each layer: of layers that the file has fused, their part
};

/// Of a fused layer each part has its own rows of B. Where every part uses columns of its own, and as many, those and their
/// rows of A are the part's, as exportAdapter() writes them, and a part that has only zeros there has no adapter; otherwise
/// each part gets all of A.
/// Rank comes from the matrices; alpha from a tensor of its own, or else from adapter_config.json or the metadata, or else
/// it is the rank, as diffusers has it.
/// @param path a file, or a folder with adapter_model.safetensors (beside adapter_config.json) or
///        pytorch_lora_weights.safetensors
/// @param modules paths of the model's linear layers
/// @throws std::runtime_error in one sentence naming the file, the tensor and the fault, such as matrices that are none or
///         of two ranks; see also readAdapterNames() and readAdapterConfig().
AdapterFile readAdapter(const std::filesystem::path& path, const std::vector<std::string>& modules);

}  // namespace contract
