// The weights of one model component: one safetensors file, or several with an index.
#pragma once
#include "engine/contract/safetensors.h"

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace contract {

/// Tensors by name, each in the file where the index says, or in the only file there is. Any thread.
class SafetensorsSet {
public:
    struct Item {
        std::shared_ptr<const SafetensorsFile> file;
        const SafetensorsTensor* tensor = nullptr;  ///< of that file
    };
    using Items = std::map<std::string, Item, std::less<>>;

    /// @param path a file *.safetensors, an index *.index.json, or a folder, in which findWeights() looks
    /// @param variant of a folder's weights, as for findWeights()
    /// @throws std::runtime_error in one sentence naming the file and the fault: what findWeights() and SafetensorsFile
    ///         say; an index that names a file outside of its folder or one that is missing, or a tensor that is not in
    ///         the file it names. A tensor that lies in a file without being in the index is none of the set.
    explicit SafetensorsSet(const std::filesystem::path& path, const std::string& variant = {});

    const std::filesystem::path& path() const { return m_path; }  ///< of the file or index
    const Items& items() const { return m_items; }
    const Item* find(std::string_view name) const;  ///< nullptr: none of that name
    std::uint64_t bytes() const;                    ///< of all tensors

private:
    void readIndex();

    std::filesystem::path m_path;
    Items m_items;
};

/// The file or index that holds the weights of a component's folder: diffusion_pytorch_model or model, sharded or not.
/// @param variant "fp16" for files such as model.fp16.safetensors; empty: those without, or the only variant there is
/// @throws std::runtime_error in one sentence naming the folder, and what lies there instead.
std::filesystem::path findWeights(const std::filesystem::path& folder, const std::string& variant = {});

}  // namespace contract
