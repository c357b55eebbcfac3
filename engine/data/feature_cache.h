// What frozen encoders made of pictures and prompts, on disk, so that no later start computes it again.
#pragma once
#include <ATen/core/Tensor.h>

#include <cstddef>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>

namespace engine {

/// Tensors under keys, a safetensors file each. Any number of processes may write and read one folder at a time: a file has its
/// name when it is whole, and two that write the same key write the same.
class FeatureCache {
public:
    using Tensors = std::map<std::string, at::Tensor>;

    /// @param folder is made when it is not there. @throws std::system_error naming it.
    explicit FeatureCache(std::filesystem::path folder);

    /// Of anything whose features depend on @p content alone. @return hexadecimal digits
    static std::string keyOf(std::string_view content);
    static constexpr std::size_t kKeyLength = 16;

    bool has(const std::string& key) const;

    /// @param tensors on the CPU, float32 or bfloat16, contiguous. @throws std::system_error naming the file.
    void write(const std::string& key, const Tensors& tensors) const;

    /// What was read stays in memory, up to some 256 MB: nobody may change it. Any thread.
    /// @throws std::runtime_error naming the file when it is missing or damaged.
    Tensors read(const std::string& key) const;

    /// All tensors of a safetensors file. @throws std::runtime_error naming it, when it is damaged or holds other tensors than
    /// float32, float16 and bfloat16.
    static Tensors tensorsIn(const std::filesystem::path& file);

private:
    struct Kept;

    std::filesystem::path fileOf(const std::string& key) const;

    std::filesystem::path m_folder;
    std::shared_ptr<Kept> m_kept;
};

}  // namespace engine
