// Reads the safetensors files of a model component as tensors.
#pragma once
#include "engine/contract/formats/matrix_window.h"
#include "engine/contract/formats/safetensors_set.h"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace engine {

/// The scalar type for a safetensors dtype such as "BF16"; nullopt for an unknown one.
std::optional<at::ScalarType> storedScalarType(std::string_view dtype);

/// Tensors by the names that the model uses. Thread-safe. Throws std::runtime_error naming the file.
class WeightsSource {
public:
    /// Maps a name in the files to the model's name, or to an empty string for a tensor that is to be ignored.
    using NameRule = std::function<std::string(const std::string& nameInFile)>;

    /// @param rule empty: the names are the same
    /// @throws std::runtime_error when two tensors map to the same name.
    explicit WeightsSource(contract::SafetensorsSet files, const NameRule& rule = {});
    /// @param windows the parts of matrices in the files, by the model's names
    /// @throws std::runtime_error when a tensor is missing, not a matrix, or smaller than its window.
    WeightsSource(contract::SafetensorsSet files, const std::map<std::string, contract::MatrixWindow>& windows);
    WeightsSource(WeightsSource&&) = default;
    WeightsSource& operator=(WeightsSource&&) = default;

    const std::filesystem::path& path() const { return m_files.path(); }
    std::vector<std::string> names() const;  ///< ascending
    bool has(std::string_view name) const { return m_names.contains(name); }

    // Each of these throws std::runtime_error naming the tensor when there is no tensor @p name.
    const std::vector<std::int64_t>& shape(std::string_view name) const { return entry(name).shape; }
    at::ScalarType dtype(std::string_view name) const;  ///< as stored

    /// Returns the tensor as mapped memory in its stored dtype, on the CPU; it keeps the file open and must not be written to.
    /// Returns a copy for tensors that are misaligned in the file, for BOOL, and for windows that swap halves.
    at::Tensor view(std::string_view name) const;

    /// Returns a converted copy.
    at::Tensor tensor(std::string_view name, at::ScalarType dtype, c10::Device device = c10::Device(c10::DeviceType::CPU)) const;

    /// Fills @p into with elements [begin, begin + into.numel()) of the flattened tensor, converted. Reads only those bytes, a
    /// few MB at a time; directly into @p into where it is on the CPU and has the stored dtype.
    /// @param into 1-D, contiguous, any floating-point dtype and device
    void read(std::string_view name, std::int64_t begin, const at::Tensor& into) const;

private:
    struct Entry {
        const contract::SafetensorsSet::Item* item = nullptr;
        std::vector<std::int64_t> shape = {};
        std::optional<contract::MatrixWindow> window = {};  ///< nullopt: the whole tensor
    };
    const Entry& entry(std::string_view name) const;
    const contract::SafetensorsSet::Item& item(std::string_view name) const { return *entry(name).item; }
    at::Tensor whole(const contract::SafetensorsSet::Item& item) const;

    contract::SafetensorsSet m_files;
    std::map<std::string, Entry, std::less<>> m_names;
};

/// A rule that removes @p prefix from names that start with it and leaves other names unchanged.
WeightsSource::NameRule withoutPrefix(std::string prefix);

}  // namespace engine
