// The weights of a model's component on disk, as tensors.
#pragma once
#include "engine/contract/matrix_window.h"
#include "engine/contract/safetensors_set.h"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace engine {

/// The dtype of what a safetensors file calls "BF16"; nullopt for a word that it has not.
std::optional<at::ScalarType> storedScalarType(std::string_view dtype);

/// Tensors by the names that a model has for them. Any thread. What it throws is std::runtime_error naming the file.
class WeightsSource {
public:
    /// The model's name for a name in the files; empty for a tensor that the model does without.
    using NameRule = std::function<std::string(const std::string& nameInFile)>;

    /// @param rule none: the names are the same
    /// @throws std::runtime_error when two tensors would get one name.
    explicit WeightsSource(contract::SafetensorsSet files, const NameRule& rule = {});
    /// Parts of matrices, by the names that the model has for them.
    /// @throws std::runtime_error where a tensor is not there or is no matrix of that size.
    WeightsSource(contract::SafetensorsSet files, const std::map<std::string, contract::MatrixWindow>& windows);
    WeightsSource(WeightsSource&&) = default;
    WeightsSource& operator=(WeightsSource&&) = default;

    const std::filesystem::path& path() const { return m_files.path(); }
    std::vector<std::string> names() const;  ///< ascending
    bool has(std::string_view name) const { return m_names.contains(name); }

    // Of a tensor that is not there, each of these throws std::runtime_error naming it.
    const std::vector<std::int64_t>& shape(std::string_view name) const { return entry(name).shape; }
    at::ScalarType dtype(std::string_view name) const;  ///< as stored

    /// The tensor where it lies in the file, in its own shape and dtype, on the CPU; it keeps the file open. A copy where
    /// the file has it misaligned, of BOOL, and with halves that change places. Nobody may write to it.
    at::Tensor view(std::string_view name) const;

    /// A copy of its own, converted.
    at::Tensor tensor(std::string_view name, at::ScalarType dtype, c10::Device device = c10::Device(c10::DeviceType::CPU)) const;

    /// Fills @p into with elements [begin, begin + its own number) of the flattened tensor, converted. Reads those bytes of
    /// the file and no others, a few MB at a time: straight into @p into where it is on the CPU and of the stored dtype.
    /// @param into 1-D, contiguous, any floating-point dtype and device
    void read(std::string_view name, std::int64_t begin, const at::Tensor& into) const;

private:
    struct Entry {
        const contract::SafetensorsSet::Item* item = nullptr;
        std::vector<std::int64_t> shape = {};
        std::optional<contract::MatrixWindow> window = {};  ///< none: all of it
    };
    const Entry& entry(std::string_view name) const;
    const contract::SafetensorsSet::Item& item(std::string_view name) const { return *entry(name).item; }
    at::Tensor whole(const contract::SafetensorsSet::Item& item) const;

    contract::SafetensorsSet m_files;
    std::map<std::string, Entry, std::less<>> m_names;
};

/// Takes @p prefix off the names that have it and leaves the others as they are.
WeightsSource::NameRule withoutPrefix(std::string prefix);

}  // namespace engine
