// The header of a safetensors file: which tensors it holds, and where. https://huggingface.co/docs/safetensors
//
// Eight bytes, the length of the JSON that follows (little-endian); then the tensors' values, row-major and little-endian,
// one after another without gaps. A file from outside is hostile until it is checked here.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace contract {

struct SafetensorsTensor {
    std::string name;
    std::string dtype;  ///< "F32", "BF16"; one that dtypeBytes() knows
    std::vector<std::int64_t> shape;
    std::uint64_t offset = 0;  ///< of its values, in bytes from the start of the file; only where one is read

    std::uint64_t elements() const;
    std::uint64_t bytes() const;
};

/// Texts beside the tensors: {"format": "pt"}.
using SafetensorsMetadata = std::map<std::string, std::string>;

struct SafetensorsHeader {
    std::vector<SafetensorsTensor> tensors;  ///< ascending in offset
    SafetensorsMetadata metadata;
};

inline constexpr std::uint64_t kLengthWord = 8;                     ///< bytes
inline constexpr std::uint64_t kMostHeaderBytes = 100'000'000;      ///< of the JSON, as in the reference implementation
inline constexpr std::uint64_t kMostElements = std::uint64_t {1} << 50;  ///< of a tensor
inline constexpr std::size_t kMostDims = 32;

/// Bytes of one element of a safetensors dtype; 0 for an unknown one.
std::uint64_t dtypeBytes(std::string_view dtype);

/// @param json the header without its length word
/// @param fileBytes of the whole file
/// @throws std::runtime_error in one sentence that names the tensor and the fault: no JSON of that form, an unknown dtype,
///         an impossible shape, another number of bytes than the shape has, values outside of the file, overlaps, gaps,
///         two tensors of a name. Takes no more than a few times the memory of @p json.
SafetensorsHeader parseSafetensorsHeader(std::string_view json, std::uint64_t fileBytes);

/// Length word and JSON of a file that holds @p tensors in that order; values begin at a multiple of 8.
/// @throws std::logic_error for an unknown dtype or two tensors of a name.
std::string safetensorsHeader(const std::vector<SafetensorsTensor>& tensors, const SafetensorsMetadata& metadata);

/// A name from a file, for a message: in quotes, on one line and not too long.
std::string shownName(std::string_view name);

}  // namespace contract
