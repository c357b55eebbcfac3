// A cache on disk for the outputs of frozen encoders, so that later runs need not compute them again.
#pragma once
#include <ATen/core/Tensor.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <map>
#include <memory>
#include <string>
#include <string_view>

namespace engine {

/// Stores tensors under keys, one safetensors file per key. Any number of processes may use one folder at the same time: a file
/// gets its name when it is complete, and processes that write the same key write the same content.
class FeatureCache {
public:
    using Tensors = std::map<std::string, at::Tensor>;

    /// @param folder created if it does not exist @throws std::system_error naming it.
    explicit FeatureCache(std::filesystem::path folder);

    /// Returns the key for features that depend only on @p content: kKeyLength hexadecimal digits.
    static std::string keyOf(std::string_view content);
    static constexpr std::size_t kKeyLength = 16;

    bool has(const std::string& key) const;

    /// @param tensors on the CPU, float32 or bfloat16 @throws std::system_error naming the file.
    void write(const std::string& key, const Tensors& tensors) const;

    /// Bytes of the file that write() makes of @p tensors, which may be on the meta device.
    static std::uint64_t fileBytes(const Tensors& tensors);

    static constexpr std::uint64_t kMostKept = std::uint64_t {1} << 28;  ///< bytes of tensors that one cache keeps in memory

    /// Returns the tensors of a key. Callers must not modify them, because those that were read first are kept in memory and shared. Any
    /// thread may call it.
    /// @param needed names of tensors, without which the file counts as damaged
    /// @throws std::runtime_error naming the file when it is missing or damaged.
    Tensors read(const std::string& key, std::initializer_list<const char*> needed = {}) const;

    /// Returns all tensors of a safetensors file. @throws std::runtime_error naming it when it is damaged or has tensors with
    /// dtypes other than float32, float16 and bfloat16.
    static Tensors tensorsIn(const std::filesystem::path& file);

private:
    struct MemoryCache;

    std::filesystem::path fileOf(const std::string& key) const;

    std::filesystem::path m_folder;
    std::shared_ptr<MemoryCache> m_memory;
};

}  // namespace engine
