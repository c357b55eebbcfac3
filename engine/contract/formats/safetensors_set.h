// The weights of one model component: one safetensors file, or several with an index.
#pragma once
#include "engine/contract/formats/safetensors.h"

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace contract {

/// The tensors of a component by name, each with the file that holds it. Thread-safe.
class SafetensorsSet {
public:
    struct Item {
        std::shared_ptr<const SafetensorsFile> file;
        const SafetensorsTensor* tensor = nullptr;  ///< tensor of that file
    };
    using Items = std::map<std::string, Item, std::less<>>;

    /// With an index, the set has exactly the tensors that the index lists; other tensors in its files are ignored.
    /// @param path a file *.safetensors, an index *.index.json, or a folder, which is searched by findWeights()
    /// @param variant for a folder: see findWeights()
    /// @throws std::runtime_error in one sentence naming the file and the fault: those of findWeights() and SafetensorsFile;
    ///         an index that names a file that is missing or outside its folder, or a tensor that is not in its file.
    explicit SafetensorsSet(const std::filesystem::path& path, const std::string& variant = {});

    const std::filesystem::path& path() const { return m_path; }  ///< path of the file or index
    const Items& items() const { return m_items; }
    const Item* find(std::string_view name) const;  ///< nullptr when there is no tensor of that name
    std::uint64_t bytes() const;                    ///< sum over all tensors

private:
    void readIndex();

    std::filesystem::path m_path;
    Items m_items;
};

/// Finds the weights file or index in a component's folder: diffusion_pytorch_model or model, sharded or not.
/// @param variant "fp16" for files such as model.fp16.safetensors; empty: files without a variant, or else the only variant
/// @throws std::runtime_error in one sentence naming the folder and what it holds instead.
std::filesystem::path findWeights(const std::filesystem::path& folder, const std::string& variant = {});

}  // namespace contract
