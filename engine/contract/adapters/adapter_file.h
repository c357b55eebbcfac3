// Reads an adapter from a file in any of the four formats: the adapted layers, their matrices and scales.
#pragma once
#include "engine/contract/adapters/adapter_names.h"
#include "engine/contract/formats/matrix_window.h"
#include "engine/contract/formats/safetensors_set.h"

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
        double scale = 0;  ///< factor of B (A x)
    };

    SafetensorsSet files;
    AdapterNames names;
    std::vector<Layer> layers;  ///< sorted by path
    std::map<AdapterTensor, MatrixWindow> matrices;  ///< A and B of each layer; a part of the matrix if the file fuses layers
};

/// Reads an adapter.
///
/// The parts of a fused layer each own some rows of B. When B is block-diagonal with equally many columns per part, as
/// exportAdapter() writes it, a part gets only its columns of B and the matching rows of A, and a part whose rows of A are
/// all zero has no adapter. Otherwise each part gets all of A.
/// The rank comes from the matrices. Alpha comes from the layer's alpha tensor, else from adapter_config.json or the
/// metadata, and else equals the rank, as in diffusers.
/// @param path a file, or a folder with adapter_model.safetensors (and adapter_config.json) or
///        pytorch_lora_weights.safetensors
/// @param modules paths of the model's linear layers
/// @throws std::runtime_error in one sentence naming the file, the tensor and the fault, such as tensors that are not
///         matrices or differ in rank; see also readAdapterNames() and readAdapterConfig().
AdapterFile readAdapter(const std::filesystem::path& path, const std::vector<std::string>& modules);

/// The tensors in an adapter's file, by its header alone: what can be known before there is a model.
/// @param path as for readAdapter()
/// @throws std::runtime_error in one sentence when there is no such file, or it is damaged or no safetensors file
SafetensorsSet openAdapter(const std::filesystem::path& path);

}  // namespace contract
